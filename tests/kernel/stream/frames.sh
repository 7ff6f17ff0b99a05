# SPDX-License-Identifier: GPL-2.0-or-later
# Streams are what docs/STREAM.md and its schema say: each kind of value, state and frame; nothing is lost between the
# trace and what merge makes of its stream.
python3 -c 'import jsonschema' 2>/dev/null || skip "needs python3-jsonschema"
cat >every.d <<'D'
#pragma D option strsize=64
BEGIN {
	printf("%d %s %c|%-8s|%%\n", -5, "x\ny", 65, "left");
	trace(1 << 62); trace((char)-1); trace("bad\377text"); trace(probename);
	tracemem(curthread->comm, 16);
	printf("%u %x %p\n", (uint64_t)-1, 255, 4096);
	@count["a\"b\\", (char)-3, 5] = count();
	@sum = sum(-(1 << 61));
	@least[1] = min(-7); @most[1] = max(7); @mean["m"] = avg(9);
	@spread = stddev(1 << 40); @spread = stddev(-(1 << 40));
	@q["q"] = quantize(-100); @l = lquantize(3, 0, 10, 3); @ll = llquantize(500, 10, 0, 5, 10);
	@stacks[stack(4)] = count();
	printa("%s %d %d %@d\n", @count);
	normalize(@sum, 1000);
	clear(@count);
	setopt("quiet");
}
tick-10ms { printf("%d\n", i++); @mean["m"] = avg(i); }
tick-10ms /i == 3/ { trunc(@q, 1); exit(4); }
END { printf("end\n"); }
D
"$dwire" -s every.d >text 2>/dev/null
expect_eq $? 4 "status of the trace"
"$dwire" --emit -s every.d >stream 2>/dev/null
expect_eq $? 4 "status with --emit"
# CPUs differ; bytes that are no UTF-8 are escaped as if they were traced; setopt() counts from the next row on.
plain() {
	LC_ALL=C sed 's/^  *[0-9]* /N /; s/bad.*text  */bad text /' | grep -a .
}
diff <("$dwire" merge stream | plain) <(plain <text) >differ || fail "merge differs from text: $(<differ)"

python3 - stream "$here/../../docs/stream.schema.json" <<'PY' || fail "the schema"
import json, sys
import jsonschema

frames = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
validator = jsonschema.Draft7Validator(json.load(open(sys.argv[2], encoding="utf-8")))
for frame in frames:
    for error in validator.iter_errors(frame):
        sys.exit("%s: %s" % (error.message[:200], json.dumps(frame)[:300]))
assert [f["n"] for f in frames] == list(range(len(frames))), "numbers of frames"
assert len({f["s"] for f in frames}) == 1, "one session"
kinds = {f["f"] for f in frames}
assert kinds == {"hello", "options", "agg", "clause", "row", "state", "rest", "beat", "end"}, kinds
assert frames[0]["f"] == "hello" and frames[-1] == {**frames[-1], "f": "end", "status": 4}
states = {}
names = {f["agg"]: f["name"] for f in frames if f["f"] == "agg"}
for f in frames:
    if f["f"] == "state":
        states[names[f["agg"]], f["gen"]] = f["rows"]
assert states["count", 0] == [[["a\"b\\", -3, 5], 1]], states["count", 0]
assert states["count", 1][0][1] == 0, "clear() raises the generation"
assert states["sum", 0] == [[[], "-2305843009213693952"]], states["sum", 0]
assert states["spread", 0] == [[[], [2, 0, str(2 << 80)]]], states["spread", 0]
assert states["q", 0] == [[["q"], [[63 - 7, 1]]]], states["q", 0]
values = [v for f in frames if f["f"] == "row" for item in f["out"] for v in item[1:]]
for want in (1 << 62, "18446744073709551615"):
    assert str(want) in map(str, values), want
assert {"b64": "YmFk/3RleHQ="} in values and {"lit": "x\ny"} in values, values
# The schema refuses what is no frame.
for bad in ({"s": "x", "n": 0, "f": "beat", "t": 1}, {"s": "0" * 16, "n": 0, "f": "row"}, {"s": "0" * 16, "n": -1, "f": "beat", "t": 1}):
    assert list(validator.iter_errors(bad)), bad
PY

# Rows of a clause that is no step share frames; a recording gives those of a window.
cat >calls.py <<'P'
import os, time
for _ in range(300):
    os.getppid()
    time.sleep(0.01)
P
"$dwire" record -o rec -x quiet -n 'syscall::getppid:entry /pid == $target/ { printf("row %d\n", i++); }' -c "python3 calls.py" 2>err ||
	fail "record: $(<err)"
"$dwire" replay rec --json >rows
expect_eq "$("$dwire" merge rows)" "$(printf 'row %d\n' {0..299})" "rows of frames"
python3 - rows "$here/../../docs/stream.schema.json" "$dwire" <<'PY' || fail "rows"
import datetime, json, subprocess, sys
import jsonschema

frames = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
validator = jsonschema.Draft7Validator(json.load(open(sys.argv[2], encoding="utf-8")))
for frame in frames:
    for error in validator.iter_errors(frame):
        sys.exit("%s: %s" % (error.message[:200], json.dumps(frame)[:300]))
groups = [f for f in frames if f["f"] == "rows"]
clock = frames[0]["clock"]
rows = [(int(clock["wall"]) - int(clock["mono"]) + int(f["t"]) + r[0], r[2][1]) for f in groups for r in f["rows"]]
assert [r[1] for r in rows] == list(range(300)), "each row once"
assert rows == sorted(rows), "in order of time"
assert len(groups) < 100, "%d frames for 300 rows" % len(groups)
second = rows[100][0] // 10**9
at = lambda s: datetime.datetime.fromtimestamp(s, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
out = subprocess.run([sys.argv[3], "replay", "rec", "--from", at(second), "--to", at(second + 1)], capture_output=True, text=True)
want = [n for t, n in rows if second * 10**9 <= t <= (second + 1) * 10**9]
assert [int(line.split()[1]) for line in out.stdout.splitlines() if line] == want and 50 < len(want) < 150, (out, want)
PY
