# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The last values of a machine that is gone stay: one machine that claims to have taken values back makes nobody's vanish.
# What a machine had counts in one step, as on one machine; by host it stays, marked.
python3 - "$dwire" "$tmp" <<'PY' || fail "machines that are gone"
import subprocess, sys
import streams

dwire, tmp = sys.argv[1:]


class Machine(streams.Stream):
    """steps: for each the generation and the value that is printed. last: what it reports after them."""

    def __init__(self, host, steps=(), last=None, gone=False):
        super().__init__(host)
        self.name = host
        self.add("agg", agg=0, name="n", fn="sum", keys=[{"name": "k", "type": "string"}])
        self.add("agg", agg=1, name="rest", fn="sum", keys=[{"name": "k", "type": "string"}])
        probe = {"id": 7, "provider": "profile", "module": "", "function": "", "name": "tick-1s"}
        self.add("clause", clause=0, probe=probe, quiet=True, step=True,
                 actions=[{"action": "printa", "format": "%s %@d\n", "aggs": [0], "columns": []}])
        for i, (gen, value) in enumerate(steps):
            self.state(gen, value)
            self.add("row", clause=0, t=2000 + i * 10**9, cpu=0, step=i, out=[[0]])
        if last:
            self.state(*last)
        if not gone:
            self.end()

    def state(self, gen, value):
        for agg in (0, 1):
            self.add("state", agg=agg, gen=gen, part=0, rows=[[["x"], value]])

    def end(self):
        self.add("rest", aggs=[1])
        self.add("end", status=0)


def merge(machines, *options):
    """The words of each line."""
    files = []
    for m in machines:
        files.append("%s/%s" % (tmp, m.name))
        with open(files[-1], "w") as f:
            f.write("".join(line + "\n" for line in m.frames))
    r = subprocess.run([dwire, "merge", *options, *files], capture_output=True, text=True, timeout=20)
    assert r.returncode == 1 and "ended early" in r.stderr, (r.returncode, r.stderr)
    return [line.split() for line in r.stdout.splitlines() if line]


def expect(got, want, what):
    if got != want:
        sys.exit("%s:\n--- got\n%s\n--- want\n%s" % (what, got, want))


def X(*values):
    return [["x", str(v)] for v in values]


# A script that takes nothing back; one machine of three or four says that it has.
gone = lambda: Machine("gone", [(0, 1000)], gone=True)
honest = lambda name: Machine(name, [(0, 1), (0, 2), (0, 3)])
for evil in ([(0, 10), (7, 10), (8, 10)], [(9, 10), (99, 10), (999, 10)], [(2**64 - 1, 10), (0, 10), (1, 10)]):
    evil = [(str(g), v) for g, v in evil]
    for order in (1, -1):
        machines = [honest("web1"), gone(), Machine("evil", evil), honest("web2")][::order]
        expect(merge(machines), X(1012, 1014, 1016, 1016), "one that claims generations %s" % evil)
# All take back after each step: what one had counts once, whether it came to its step or not.
every = lambda name: Machine(name, [(0, 1), (1, 2), (2, 3), (3, 4)], (4, 5))
cut = Machine("cut", [(0, 100), (1, 200)], gone=True)
expect(merge([every("web1"), cut, every("web2")])[:4], X(102, 204, 6, 8), "a machine that ended with its step")
cut = Machine("cut", [(0, 100), (1, 200)], (2, 50), gone=True)
expect(merge([every("web1"), cut, every("web2")])[:4], X(102, 204, 56, 8), "one that ended between steps")
expect(merge([every("web1"), cut])[:4], X(101, 202, 53, 4), "of two machines")
# At the end, too: what others have left behind was shown before, unless it is one that claims so.
expect(merge([every("web1"), cut, every("web2")])[4:], X(10), "the rest of those that took values back")
# By host the last values stay, and the name says why.
want = [[host, "x", str(n)] for host, n in (("web1", 1), ("cut", 100))]
got = merge([every("web1"), cut], "--by", "host")
expect(sorted(got), sorted([["web1", "x", str(n)] for n in (1, 2, 3, 4, 5)] +
                           [["cut", "(ended", "early)", "x", "50"]] * 3 +
                           [["cut", "(ended", "early)", "x", str(n)] for n in (100, 200)]), "by host")
PY
