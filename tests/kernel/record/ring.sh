# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 60
# A ring writes what is around snapshot(), and nothing else: each row once, those of the window all; a window that is cut
# by SIGKILL keeps what came before the trigger.
cat >script.d <<'D'
#pragma D option quiet
int i;
tick-10ms { printf("%d\n", i); @n["rows"] = count(); i++; }
tick-10ms /i == 100 || i == 110 || i == 250/ { snapshot(); }
tick-10ms /i == 320/ { exit(4); }
D
"$dwire" record --ring 300ms --after 200ms -o rec -s script.d 2>err
expect_eq $? 4 "the status of the script: $(<err)"
expect_eq "$(grep -c 'rows are recorded$' err)" 2 "snapshots: $(<err)"
expect_eq "$("$dwire" replay rec --json 2>&1 | python3 -c '
import json, sys
sessions = {}
for line in sys.stdin:
    f = json.loads(line)
    sessions.setdefault(f["s"], []).append(f)
for k, frames in enumerate(sessions.values()):
    kinds = [f["f"] for f in frames]
    clock = frames[0]["clock"]
    shots = [int(f["t"]) for f in frames if f["f"] == "snapshot"]
    times = [int(f["t"]) for f in frames if f["f"] == "row"]
    shown = [f["out"][0][1] for f in frames if f["f"] == "row" and f["out"]]
    numbers = [f["n"] for f in frames] == list(range(len(frames)))
    inside = shots[0] - 300000000 <= min(times) and max(times) <= shots[-1] + 200000000
    before, after = sum(t < shots[0] for t in times), sum(t > shots[-1] for t in times)
    print(len(shots), kinds[0], kinds[-1], kinds.count("end"), numbers, inside, int(clock["mono"]) <= min(times),
        shown == list(range(shown[0], shown[0] + len(shown))), before > 10, after > 5)
')" "2 hello end 1 True True True True True True
1 hello end 1 True True True True True True" "windows"
"$dwire" replay rec >replayed 2>err || fail "replay: $(<err)"
expect_eq "$(<err)" "" "messages of the replay"
expect_eq "$(grep -cx '100\|110\|250' replayed)" 3 "triggers"
expect_eq "$(grep -cx '50\|200\|300' replayed)" 0 "rows between the windows"
expect_eq "$(grep -c 'rows  ' replayed)" 2 "the aggregation"

# A trigger without a row; the trace ends within the window.
"$dwire" record --ring 10s -o end -n 'BEGIN { printf("first\n"); } tick-50ms /++i == 3/ { snapshot(); exit(0); }
	END { printf("last\n"); }' -x quiet 2>err || fail "the end: $(<err)"
expect_eq "$("$dwire" replay end 2>&1)" "$(printf 'first\nlast')" "a window to the end"

# Killed after the trigger; nothing is written before it.
"$dwire" record --ring 10s --after 1h -o killed -n 'int i; tick-10ms { printf("%d\n", i++); } tick-10ms /i == 30/ { snapshot(); }' \
	-x quiet 2>err & pid=$!
for ((i = 0; i < 200; i++)); do
	[ -s killed/000000000001.dwr ] && break
	sleep 0.05
done
kill -KILL $pid
wait $pid
"$dwire" replay killed >replayed 2>err && fail "a recorder that was killed has no status"
expect_eq "$(head -30 replayed)" "$(seq 0 29)" "what came before the trigger: $(<err)"

# What is refused.
"$dwire" record --ring 10s -o none -n 'tick-1s { exit(0); }' 2>err && fail "no snapshot()"
expect_match "$(<err)" "the script has no snapshot" "why"
[ -e none ] && fail "a directory is made for nothing"
"$dwire" record --after 10s -o none -n 'tick-1s { exit(0); }' 2>err
expect_eq $? 2 "--after alone"
expect_match "$("$dwire" -n 'BEGIN { snapshot(); exit(0); }' 2>&1)" "snapshot.. does nothing without dwire record --ring" \
	"without a recorder"

# Rows that share frames: those of the windows, each once, and no others.
cat >calls.py <<'P'
import os, time
for _ in range(300):
    os.getppid()
    time.sleep(0.005)
P
cat >calls.d <<'D'
#pragma D option quiet
int i;
syscall::getppid:entry /pid == $target/ { printf("%d\n", i); i++; }
syscall::getppid:entry /pid == $target && (i == 100 || i == 180)/ { snapshot(); }
D
"$dwire" record --ring 150ms --after 100ms -o calls -s calls.d -c "python3 calls.py" 2>err || fail "calls: $(<err)"
expect_eq "$("$dwire" replay calls --json 2>&1 | python3 -c '
import json, sys
sessions, before = {}, []
for line in sys.stdin:
    f = json.loads(line)
    sessions.setdefault(f["s"], []).append(f)
for frames in sessions.values():
    shot = [int(f["t"]) for f in frames if f["f"] == "snapshot"][0]
    rows = [(int(f["t"]) + r[0], r[2][1]) for f in frames if f["f"] == "rows" for r in f["rows"] if len(r) > 2]
    numbers = [n for t, n in rows]
    print(numbers == list(range(numbers[0], numbers[0] + len(numbers))), 10 < len(numbers) < 60,
        all(shot - 150000000 <= t <= shot + 100000000 for t, n in rows), (99 if not before else 179) in numbers,
        not set(before) & set(numbers))
    before += numbers
')" "True True True True True
True True True True True" "windows of rows that share frames"
