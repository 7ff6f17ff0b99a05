# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 90
# Live trees: merges of merges, of machines whose clocks have nothing in common, show what one merge would, step by step,
# also with clear() and trunc(). Machines that die count in no later step, and not in what others have taken back.
cat >machine.py <<'PY'
# machine.py CLOCK BASE STEPS SECONDS: a live stream. In step i each of three keys gets (BASE + i); the aggregation n is
# printed and truncated, c printed and cleared, all only counts. With STEPS 0 it dies before its first step.
import json, random, sys, time
clock, base, steps, seconds = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
session, number, start = "%016x" % random.getrandbits(64), 0, time.monotonic_ns()
def now():
    return clock + time.monotonic_ns() - start
def send(kind, **members):
    global number
    print(json.dumps({"s": session, "n": number, "f": kind, **members}), flush=True)
    number += 1
send("hello", v=1, dwire="0", host="m%d" % base, boot_id="", kernel="6.1", machine="x86_64", tiers=["hooks"],
     clock={"wall": clock, "mono": now()}, hash="tree", script="", options=["quiet=1"])
for i, name in enumerate(("n", "c", "all")):
    send("agg", agg=i, name=name, fn="sum", keys=[{"type": "string"}])
send("clause", clause=0, quiet=True, step=True,
     probe={"id": 7, "provider": "profile", "module": "", "function": "", "name": "tick-1s"},
     actions=[{"action": "printa", "format": "n %s %@d\n", "aggs": [0], "columns": []}, None,
              {"action": "printa", "format": "c %s %@d\n", "aggs": [1], "columns": []}, None])
total = 0
for i in range(steps or 1):
    time.sleep(0 if not steps else seconds / 2)
    send("beat", t=now())
    time.sleep(0 if not steps else seconds / 2)
    value = base + i
    total += value
    send("state", agg=0, gen=i, part=0, rows=[[["key%d" % k], value] for k in range(3)])
    send("state", agg=1, gen=i, part=0, rows=[[["x"], value]])
    send("state", agg=2, gen=0, part=0, rows=[[["sum"], total]])
    if not steps:
        time.sleep(seconds / 2)
        sys.exit()
    send("row", clause=0, t=now(), cpu=0, step=i, out=[[0], [2]])
    send("state", agg=0, gen=i + 1, part=0, rows=[])
    send("state", agg=1, gen=i + 1, part=0, rows=[[["x"], 0]])
    send("beat", t=now())
if steps == 5:
    send("state", agg=2, gen=0, part=0, rows=[[["sum"], total]])
    send("rest", aggs=[2])
    send("end", status=0)
PY
machine() {
	python3 machine.py "$@"
}
want() { # BASES: what the steps of these machines add up to
	python3 - "$@" <<'PY'
import sys
total = 0
for i in range(5):
    value = sum(int(base) + i for base in sys.argv[1:])
    total += value
    for k in range(3):
        print("n key%d %d" % (k, value))
    print("c x %d" % value)
PY
}
"$dwire" merge \
	<("$dwire" merge --emit <(machine 5000000000 100 5 0.5) <(machine 900000000000000 2000 5 0.5)) \
	<("$dwire" merge --emit <(machine 1 30000 5 0.5) <("$dwire" merge --emit <(machine 77000000000 400000 5 0.5))) \
	>out 2>err
expect_eq $? 0 "status of the tree: $(<err)"
expect_eq "$(grep '^[nc] ' out)" "$(want 100 2000 30000 400000)" "steps of the tree"
expect_eq "$(grep -w sum out | tr -d ' ')" "sum$((5 * 432100 + 4 * 10))" "what is never taken back"
expect_eq "$(<err)" "" "messages of the tree"

# A stream of a merge is alive and valid: beats each second, no number out of order, generations that only rise.
"$dwire" merge --emit <(machine 9000000000 1 5 0.7) <(machine 1 10 5 0.7) >emitted 2>err
python3 - emitted "$here/../../docs/stream.schema.json" <<'PY' || fail "the stream of a merge"
import json, sys
frames = [json.loads(line) for line in open(sys.argv[1])]
assert [f["n"] for f in frames] == list(range(len(frames)))
beats = [f["t"] for f in frames if f["f"] == "beat"]
assert len(beats) >= 3 and all(0.9e9 < b - a < 2e9 for a, b in zip(beats, beats[1:])), beats
start = frames[0]["clock"]["mono"]
rows = sorted({f["t"] - start for f in frames if f["f"] == "row"}) # a row may be several frames
assert len(rows) == 5 and all(0.5e9 < b - a < 1.5e9 for a, b in zip(rows, rows[1:])), rows
assert all(0 <= t < 6e9 for t in rows), rows
for agg in range(3):
    gens = [f["gen"] for f in frames if f["f"] == "state" and f["agg"] == agg]
    assert gens == sorted(gens) and (gens[-1] >= 8 if agg < 2 else gens[-1] == 0), gens
PY

# One dies before its first trunc(): what it had counts in the step that it had part in, and in no other.
"$dwire" merge <(machine 1 100 5 0.5) <(machine 1 2000 0 0.5) >out 2>err
expect_eq $? 1 "status with a machine that died"
expect_eq "$(grep '^n key0' out)" "n key0 2100
n key0 101
n key0 102
n key0 103
n key0 104" "a machine that died before it took anything back"
expect_eq "$(grep -w sum out | tr -d ' ')" "sum$((510 + 2000))" "its count that is never taken back stays"

# One that came later has taken values back less often than the others; it counts in each beat all the same.
cat >steady.py <<'PY'
# steady.py GENERATION VALUE: a live stream of one count that stays as it is, for three seconds.
import json, random, sys, time
session, number = "%016x" % random.getrandbits(64), 0
def send(kind, **members):
    global number
    print(json.dumps({"s": session, "n": number, "f": kind, **members}), flush=True)
    number += 1
send("hello", v=1, dwire="0", host="m" + sys.argv[2], boot_id="", kernel="6.1", machine="x86_64", tiers=["hooks"],
     clock={"wall": 1, "mono": time.monotonic_ns()}, hash="tree", script="", options=["quiet=1"])
send("agg", agg=0, name="n", fn="count", keys=[])
send("state", agg=0, gen=int(sys.argv[1]), part=0, rows=[[[], int(sys.argv[2])]])
for _ in range(6):
    time.sleep(0.5)
    send("beat", t=time.monotonic_ns())
send("rest", aggs=[0])
send("end", status=0)
PY
"$dwire" merge --emit <(python3 steady.py 5 100) <(python3 steady.py 0 1) >emitted 2>err
python3 - emitted <<'PY' || fail "a machine that came later"
import json, sys
frames = [json.loads(line) for line in open(sys.argv[1])]
last_beat = max(i for i, f in enumerate(frames) if f["f"] == "beat")
values = [f["rows"][0][1] for f in frames[:last_beat] if f["f"] == "state" and f["rows"]]
assert values and values[-1] == 101, values # the first may have been before the other was there
PY
