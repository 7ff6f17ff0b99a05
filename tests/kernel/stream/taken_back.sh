# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 180
# Values that are taken back (clear, trunc, trunc of n keys) or normalized, in merges of machines and in trees of merges,
# for any split of the events, order, repetition and loss of partial states, are those of a model of one machine.
python3 - "$dwire" <<'PY' || fail "the model"
import json, random, subprocess, sys, time
import streams

dwire = sys.argv[1]
DEADLINE = time.monotonic() + 120
COUNT, SUM = 0, 1


def merge(lines, *options):
    """Output, messages and status."""
    r = subprocess.run([dwire, "merge", *options], input="".join(line + "\n" for line in lines), capture_output=True,
                       text=True, timeout=30)
    return r.stdout, r.stderr, r.returncode


def taken_back(values, op, n):
    """What is left of key -> (count, sum) for an aggregation after a step."""
    if op == "clear":
        return {k: 0 for k in values}
    if op == "trunc":
        return {}
    if op == "cut":
        return dict(ordered(values)[-n:])
    return dict(values)


def ordered(values):
    return sorted(values.items(), key=lambda kv: (kv[1], kv[0][0].encode(), kv[0][1] & (1 << 64) - 1))


def model(parts, ops):
    """What one machine prints."""
    values, text = ({}, {}), ""
    for part, (op, n, normal) in zip(parts, ops):
        for k, v in part:
            values[COUNT][k] = values[COUNT].get(k, 0) + 1
            values[SUM][k] = values[SUM].get(k, 0) + v
        for agg in (COUNT, SUM):
            text += "".join("%d %s %d %d\n" % (agg, k[0], k[1], streams.towards_zero(v, normal))
                            for k, v in ordered(values[agg]))
        values = (taken_back(values[COUNT], op, n), taken_back(values[SUM], None if op == "cut" else op, n))
    return text


class Machine(streams.Stream):
    """A machine with a part of the events. Values are cumulative within a generation; a cut is left to the reader."""

    def __init__(self, name, parts, ops):
        super().__init__(name, script="taken back")
        keys = [{"name": "k", "type": "string"}, {"type": "int", "size": 8, "signed": True}]
        for agg, fn in enumerate(("count", "sum")):
            self.add("agg", agg=agg, name=fn, fn=fn, keys=keys)
        probe = {"id": 7, "provider": "profile", "module": "", "function": "", "name": "tick-1s"}
        printa = [{"action": "printa", "format": "%d %%s %%d %%@d\n" % agg, "aggs": [agg], "columns": []} for agg in (0, 1)]
        self.add("clause", clause=0, probe=probe, quiet=True, step=True,
                 actions=printa + [{"action": "trunc", "aggs": [COUNT], "columns": []},
                                   {"action": "clear", "aggs": [COUNT], "columns": []}])
        values, gen, cut = ({}, {}), 0, False
        for i, (part, (op, n, normal)) in enumerate(zip(parts, ops)):
            for j, (k, v) in enumerate(part):
                values[COUNT][k] = values[COUNT].get(k, 0) + 1
                values[SUM][k] = values[SUM].get(k, 0) + v
                if random.random() < 0.05:
                    self.partial(values, gen, normal, [k])
            for agg in (COUNT, SUM):
                self.state(agg, values[agg], gen, normal, part=0)
            self.add("row", clause=0, t=2000 + i * 1000, cpu=0, step=i, out=[[0], [1]] + ([[2, n]] if op == "cut" else [[3]] if op == "clear" and cut else []))
            cut = cut or op == "cut"
            if op in ("clear", "trunc"):
                gen += 1
                values = tuple(taken_back(v, op, n) for v in values)
        self.add("rest", aggs=[])
        self.add("end", status=0)

    def state(self, agg, values, gen, normal, **part):
        rows = [[list(k), streams.number(v)] for k, v in values.items()]
        self.add("state", agg=agg, gen=gen, **({"normal": normal} if normal > 1 else {}), **part, rows=rows)

    def partial(self, values, gen, normal, keys):
        """Repeated by the whole state before the step."""
        agg = random.choice((COUNT, SUM))
        self.state(agg, {k: values[agg][k] for k in keys}, gen, normal)


def tree(sessions, levels):
    """Merges of random groups, merged again."""
    while levels:
        random.shuffle(sessions)
        groups = [sessions[i::random.randint(1, len(sessions))] for i in range(len(sessions))]
        n = random.randint(1, len(sessions))
        groups, sessions = [sessions[i::n] for i in range(n)], []
        for group in groups:
            out, messages, status = merge([line for s in group for line in s], "--emit")
            expect(messages + str(status), "0", "messages of a part of a tree")
            sessions.append(out.splitlines())
        levels -= 1
    return merge([line for s in sessions for line in s])[0]


def expect(got, want, what):
    if got != want:
        sys.exit("%s, seed %d:\n--- got\n%s\n--- want\n%s" % (what, seed, got, want))


seeds = list(range(12)) + [random.SystemRandom().getrandbits(32) for _ in range(12)] # the same ones, and new ones
for seed in seeds:
    if time.monotonic() > DEADLINE:
        break
    random.seed(seed)
    hosts = random.randint(1, 6)
    parts = [streams.random_events(random.randint(1, 60)) for _ in range(random.randint(1, 5))]
    ops = [(random.choice((None, "clear", "trunc", "cut")), random.randint(1, 6), random.choice((1, 1, 3, 1000)))
           for _ in parts]
    want = model(parts, ops)
    split = [[[] for _ in parts] for _ in range(hosts)]
    for i, part in enumerate(parts):
        for event in part:
            split[random.randrange(hosts)][i].append(event)
    machines = [Machine("host%d" % h, own, ops) for h, own in enumerate(split)]
    lines = [line for m in machines for line in m.frames]
    out, messages, status = merge(lines)
    expect(messages + str(status), "0", "messages")
    expect(out.rstrip("\n"), want.rstrip("\n"), "one merge of %s" % ops)
    random.shuffle(lines)
    lines += random.sample(lines, len(lines) // 2)
    expect(merge(lines)[0].rstrip("\n"), want.rstrip("\n"), "shuffled and repeated, %s" % ops)
    lost = [line for line in lines if '"f": "state"' not in line or '"part"' in line]
    out, messages, status = merge(lost)
    expect(out.rstrip("\n"), want.rstrip("\n"), "lost partial states, %s" % ops)
    expect((status, "frames were lost" in messages), (1, True) if len(set(lost)) < len(set(lines)) else (0, False), "their report")
    for levels in (1, 2):
        expect(tree([m.frames for m in machines], levels).rstrip("\n"), want.rstrip("\n"), "a tree of %d levels, %s" % (levels + 1, ops))
PY
