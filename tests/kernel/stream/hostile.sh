# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 120
# What a hostile or broken machine sends shows at most under its own name, and reaches no terminal; the others' numbers
# are those of a merge without it.
python3 - "$dwire" <<'PY' || fail "hostile streams"
import json, subprocess, sys, tempfile

dwire = sys.argv[1]
PROBE = {"id": 7, "provider": "profile", "module": "", "function": "", "name": "tick-1s"}


class Stream:
    def __init__(self, host, session, hello=True, **more):
        self.session, self.frames = session, []
        if hello:
            self.add("hello", **{**dict(v=1, dwire="0", host=host, boot_id="", kernel="6.1", machine="x86_64",
                                        tiers=["hooks"], clock={"wall": 1, "mono": 1000}, hash="h", script="",
                                        options=["quiet=1"]), **more})

    def add(self, kind, **members):
        self.frames.append(json.dumps({"s": self.session, "n": len(self.frames), "f": kind, **members}))
        return self

    def counts(self, rows, trunc=None):
        """Keys with counts, printed once, after trunc(@, trunc)."""
        self.add("agg", agg=0, name="n", fn="count", keys=[{"type": "string"}])
        cut = [{"action": "trunc", "aggs": [0], "columns": []}] if trunc else []
        self.add("clause", clause=0, probe=PROBE, quiet=True, step=True,
                 actions=cut + [{"action": "printa", "format": "%s %@d\n", "aggs": [0], "columns": []}])
        self.add("state", agg=0, gen=0, part=0, rows=rows)
        self.add("row", clause=0, t=2000, cpu=0, step=0, out=([[0, trunc], [1]] if trunc else [[0]]))
        return self

    def end(self):
        self.add("rest", aggs=[])
        return self.add("end", status=0)


def merge(*inputs, options=()):
    files = []
    for lines in inputs:
        f = tempfile.NamedTemporaryFile("w", delete=False)
        f.write("".join(line + "\n" for line in lines))
        f.close()
        files.append(f.name)
    r = subprocess.run([dwire, "merge", *options, *files], capture_output=True, timeout=30)
    return r.stdout.decode(errors="surrogateescape"), r.stderr.decode(), r.returncode


def expect(got, want, what):
    if got != want:
        sys.exit("%s:\n--- got\n%s\n--- want\n%s" % (what, got, want))


good = Stream("good", "a" * 16).counts([[["x"], 5]]).end().frames

# Names reach the terminal escaped, in each format.
evil = Stream("e\u001b[2J\nvil\u202e\"", "b" * 16).counts([[["x"], 7]]).end().frames
for rows in ([], ["rows=csv"], ["rows=json"]):
    first = Stream("good", "a" * 16, options=["quiet=1"] + rows).counts([[["x"], 5]]).end().frames
    out, err, status = merge(first, evil, options=["--by", "host"])
    for c in "\x1b\u202e":
        if c in out + err:
            sys.exit("a control character of a name is shown: %r" % (out + err))
    expect(len(out.strip().splitlines()), 2, "lines by host, %s: %r" % (rows, out))
# So do names of probes, columns and aggregations.
strange = Stream("good", "b" * 16)
strange.add("agg", agg=0, name="n\x7f", fn="count", keys=[{"name": "k\x9b", "type": "string"}])
strange.add("clause", clause=0, probe={**PROBE, "function": "f\x1b[2J"}, quiet=False, step=False,
            actions=[{"action": "trace", "columns": [{"name": "c\x7f", "type": "int", "size": 4}]}])
strange.add("state", agg=0, gen=0, part=0, rows=[[["x"], 5]])
strange.add("row", clause=0, t=2000, cpu=0, out=[[0, 1]])
strange.add("rest", aggs=[0]).add("end", status=0)
for rows in ("rows=json", "rows=csv", "rows=text", "quiet=0"):
    hello = Stream("good", "b" * 16, options=[rows]).frames[:1]
    out, err, status = merge(hello + strange.frames[1:])
    if any(c in out for c in "\x1b\x7f\x9b"):
        sys.exit("a control character of a name is shown, %s: %r" % (rows, out))
# A second hello changes no name; a stream without its beginning is left out, with a word.
renamed = Stream("bad", "b" * 16).add("hello", v=1, host="good").counts([[["x"], 7]]).end().frames
out, err, status = merge(good, renamed, options=["--by", "host"])
expect(out.split(), ["good", "x", "5", "bad", "x", "7"], "a second hello")
headless = Stream("bad", "b" * 16, hello=False).add("beat", t=1).counts([[["x"], 7]]).end().frames
out, err, status = merge(good, headless)
expect((out.strip(), status, "beginning of its stream is missing" in err), ("x 5", 1, True), "no hello: " + err)
# Nobody speaks for another: frames of a session count only from the input where it began.
forged = [json.dumps({"s": "a" * 16, "n": 3, "f": "state", "agg": 0, "gen": 0, "part": 0, "rows": [[["x"], 999]]})]
out, err, status = merge(good, Stream("bad", "b" * 16).frames[:1] + forged)
expect(out.strip(), "x 5", "a forged frame")
expect("another input's session" in err, True, "a report of it: " + err)
# The text before a line names the machine, whatever it says of itself.
named = ["web1: " + line for line in Stream("good", "b" * 16).counts([[["x"], 7]]).end().frames]
out, err, status = merge(good, named, options=["--by", "host"])
expect(out.split(), ["good", "x", "5", "web1", "x", "7"], "the name of a fan-out program")
# Who uses the number of another machine's session takes nothing away from it, in whatever order they come.
thief = ["evil: " + line for line in Stream("web1", "a" * 16).counts([[["x"], 1000]]).end().frames]
owner = ["web1: " + line for line in good]
mixed = [line for pair in zip(thief, owner) for line in pair]
for inputs in ([thief + owner], [owner + thief], [mixed], [thief, owner]):
    out, err, status = merge(*inputs, options=["--by", "host"])
    expect((sorted(out.split()), status), (sorted(["evil", "x", "1000", "web1", "x", "5"]), 0), "a session's number: " + err)
# Texts that are no UTF-8, in symbols and stacks; keys that are none are counted and change nothing.
binary = Stream("good", "b" * 16)
binary.add("agg", agg=0, name="n", fn="count", keys=[{"type": "symbol"}, {"type": "stack"}])
binary.add("state", agg=0, gen=0, part=0,
           rows=[[[{"sym": {"b64": "Yf9i"}}, {"frames": ["f", {"b64": "Yf8="}]}], 3]])
out, err, status = merge(binary.add("rest", aggs=[0]).add("end", status=0).frames)
expect(("a\\xffb" in out, "a\\xff" in out, status), (True, True, 0), "texts that are no UTF-8: %r %s" % (out, err))
out, err, status = merge(Stream("good", "b" * 16).counts([[["x"], 5], [[{"no": 1}], 6], [[1, 2], 7]]).end().frames)
expect((out.strip(), status, "were not valid" in err), ("x 5", 1, True), "keys that are none: " + err)
# What claims to be a text of the script is trusted only if it is one.
raw = Stream("good", "b" * 16).counts([[[{"lit": {"b64": "/xs="}}], 5]]).end().frames
out, err, status = merge(raw)
expect("\x1b" in out or "\udcff" in out, False, "bytes as a text of the script: %r" % out)
# A key of a wide lquantize() is half a megabyte: what is kept is bounded, and what is over is reported.
wide = Stream("wide", "b" * 16)
wide.add("agg", agg=0, name="w", fn="lquantize", base=0, limit=65000, step=1, keys=[{"type": "int", "size": 4}])
for i in range(10):
    wide.add("state", agg=0, gen=0, rows=[[[i * 100 + k], [[1, 1]]] for k in range(100)])
out, err, status = merge(wide.add("end", status=3).frames)
expect((status, "wide: " in err and "were left out" in err), (1, True), "wide states: " + err[-300:])
# trunc(@, n) cuts keys whatever they hold.
odd = ["\x7f", "\u202e", "\x01\x1f", "\u0085", "\"\\/", "ä\t"]
rows = [[[k], i + 1] for i, k in enumerate(odd)] + [[["best"], 99]]
one = Stream("good", "b" * 16).counts(rows, trunc=1).end().frames
out, err, status = merge(one)
expect(out.split(), ["best", "99"], "trunc of odd keys")
# Nothing counts behind the end of a stream. Reports of lost data are bounded.
late = Stream("bad", "b" * 16).counts([[["x"], 7]]).end()
late.add("state", agg=0, gen=0, part=0, rows=[[["x"], 1000]]).add("row", clause=0, t=9000, cpu=0, step=9, out=[[0]])
out, err, status = merge(good, late.end().frames, options=["--by", "host"])
expect((out.split(), status), (["good", "x", "5", "bad", "x", "7"], 1), "frames behind the end: " + err)
noisy = Stream("bad", "b" * 16)
for i in range(5000):
    noisy.add("drops", cause="ring", count=1, text="\u001b[2Jnoise").add("fault", text="noise")
out, err, status = merge(good, noisy.end().frames)
expect(out.strip(), "x 5", "a noisy machine")
expect((err.count("noise") <= 100, "bad: more reports" in err, "\x1b" in err), (True, True, False), "its reports: " + err[-300:])
# Sessions without number: so many of an input are kept, the others are counted, and what is reported of them is bounded.
crowd = []
for i in range(17000):
    crowd += Stream("crowd", "%016x" % (i + 1)).counts([[["x"], 1]]).frames
out, err, status = merge(crowd, good)
# a slow machine prints what it has so far, too
expect((out.split()[-2:], status), (["x", str(16384 + 5)], 1), "many sessions: " + err[-300:])
expect(("too many sessions" in err, "%d frames of sessions beyond the first 16384 were passed over" % (5 * (17000 - 16384)) in err),
       (True, True), "their report: " + err[-500:])
expect((err.count("ended early"), "15384 more reports about its sessions" in err), (1000, True), "their number: " + err[-500:])
again = [json.dumps({**json.loads(line), "s": "%016x" % i}) for i in range(1, 101) for line in good]
out, err, status = merge(["web1: " + line for line in again] + ["web2: " + line for line in good])
expect((out.split(), status), (["x", "505"], 0), "sessions of a machine that is not expected: " + err[-300:])
# A line without an end, numbers beyond 64 bits and objects in objects harm nobody else in the same input.
rubbish = ["evil: " + "x" * (70 << 20), "evil: " + '{"s":' * 100000,
           'evil: {"s":"%s","n":%s,"f":"beat","t":1}' % ("c" * 16, "9" * 400),
           'evil: {"s":"%s","n":"18446744073709551615","f":"beat","t":1}' % ("c" * 16)]
named = ["web1: " + line for line in good]
out, err, status = merge(named[:2] + rubbish + named[2:])
expect((out.strip(), status), ("x 5", 1), "rubbish in the same input: " + err[-300:])
expect(("a line of more than 64 MB" in err, "web1" in err), (True, False), "its report: " + err[-300:])
# An action that comes again and again in a row, or equal descriptions without end: refused.
again = Stream("good", "b" * 16).counts([[["x"], 5]])
again.add("row", clause=0, t=3000, cpu=0, step=1, out=[[0]] * 100000)
out, err, status = merge(again.end().frames) # in bounded time, as all of these
expect((out.strip(), status), ("x 5", 1), "an action that comes again")
many = Stream("good", "b" * 16)
for i in range(3000):
    many.add("clause", clause=i, probe=PROBE, quiet=True, step=False, actions=[None] * 50)
merge(many.counts([[["x"], 5]]).end().frames)
PY
# A machine whose clock stands still delays the others by some seconds, no more.
cat >still.py <<'PY'
import json, sys, time
number = 0
def send(kind, **members):
    global number
    print(json.dumps({"s": "c" * 16, "n": number, "f": kind, **members}), flush=True)
    number += 1
send("hello", v=1, host="still", clock={"wall": 1, "mono": 1000}, hash=sys.argv[1], script="", options=[])
for _ in range(300):
    send("beat", t=1000)
    time.sleep(0.1)
PY
"$dwire" --emit -q -n 'BEGIN { i = 0; } tick-100ms { printf("step %d\n", i++); } tick-100ms /i == 4/ { exit(0); }' >recorded
hash=$(python3 -c 'import json; print(json.loads(open("recorded").readline())["hash"])')
: >out
"$dwire" merge recorded <(exec python3 still.py "$hash" 2>still.err) >out 2>err &
merge=$!
for _ in {1..180}; do
	[ "$(wc -l <out)" -ge 4 ] && break
	sleep 0.1
done
expect_eq "$(wc -l <out)" 4 "steps beside a clock that stands still"
kill $merge
wait $merge
pkill -f "still.py $hash" || : # it may have ended
