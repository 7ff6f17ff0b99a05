# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 300
# What takes longer than half a second says on a terminal what it waits for, in one line that is gone when anything else
# is written: many programs, the end of such a trace, a report, a stream of a file. Elsewhere there is no such line.
need script python3 taskset
cat >many.d <<'D'
#pragma D option quiet
sdt:::, rawtp:::, syscall::: { @n = count(); }
tick-200ms { printf("rows\n"); exit(0); }
D
on_terminal() { # COMMAND: what it writes on a terminal, without carriage returns at the ends of lines
	TERM=xterm script -qec "$1" /dev/null </dev/null | sed 's/\r$//' >out
}

# --- programs, and how many of them are loaded ----------------------------------------------------------------------
# However fast the machine is: dwire shares a CPU with two that never wait.
spinners=()
for _ in 1 2; do
	taskset -c 0 sh -c 'while :; do :; done' &
	spinners+=($!)
done
on_terminal "taskset -c 0 '$dwire' -s many.d"
grep -qE $'\r(loading|attaching) programs: [0-9]+ %\x1b\[K' out || fail "no progress of loading: $(cat -v out)"
# Each line of output stands alone: a line of progress before it has been erased.
grep -q $'\r\x1b\[Krows$' out || grep -q '^rows$' out || fail "the rows: $(cat -v out)"
expect_eq "$(tr '\r' '\n' <out | tail -n 1 | grep -cE ' %|\.\.\.')" 0 "a line that stays"
kill "${spinners[@]}"

# --- a report -----------------------------------------------------------------------------------------------------------
on_terminal "'$dwire' report 3 -o page.html"
grep -q $'\rtracing, [12] s of 3 s: [0-9]* %\x1b\[K' out || fail "no progress of a report: $(cat -v out)"
grep -q $'\r\x1b\[Kdwire: report: wrote page.html$\|^dwire: report: wrote page.html$' out ||
	fail "the message after it: $(cat -v out)"

# --- a stream of a file: as long as it takes to read 500,000 rows --------------------------------------------------------
"$dwire" --emit -qn 'tick-1ms { printf("%d\n", i++); } tick-300ms { exit(0); }' >small.ndjson 2>err || fail "status $?: $(<err)"
python3 - <<'P' || fail "a larger stream"
import json
frames = [json.loads(line) for line in open("small.ndjson")]
rows = [f for f in frames if f["f"] in ("row", "rows") and any(f.get("out", f.get("rows")))]
head, end = [f for f in frames if f["f"] in ("hello", "clause")], [f for f in frames if f["f"] == "end"]
with open("big.ndjson", "w") as out:
    for n, f in enumerate(head + rows * (500000 // len(rows)) + end):
        print(json.dumps(f | {"n": n}), file=out)
P
on_terminal "timeout -s INT 20 '$dwire' merge big.ndjson >/dev/null"
grep -q $'\rreading streams: [0-9]* %\x1b\[K' out || fail "no progress of a merge: $(cat -v out)"

# --- what is no terminal, or cannot erase ------------------------------------------------------------------------------
timeout -s INT 3 "$dwire" merge big.ndjson >out 2>err
expect_eq $? 124 "it was over too soon; status"
! grep -q 'reading streams' err || fail "progress in a file: $(<err)"
TERM=dumb script -qec "timeout -s INT 3 '$dwire' merge big.ndjson >/dev/null" /dev/null </dev/null >out
expect_eq $? 124 "it was over too soon; status"
! grep -q 'reading streams' out || fail "progress on a dumb terminal: $(cat -v out)"

# --- when a tool is ready -----------------------------------------------------------------------------------------------
# Every tool that shows events says so in one line before its first row; not where a program reads it.
for tool in $("$dwire" help | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p' | grep -vE '^(ss|qdisc-.*|ieee80211scan)$'); do
	on_terminal "'$dwire' $tool -d 0.2"
	grep -qE '(Tracing|Watching)( |\.\.\.)' out || fail "$tool does not say when it is ready: $(cat -v out)"
done
for how in "tcplife --json" "tcplife --csv" "tcplife | cat" "tcpdrop -q" "tcptop -b | cat"; do
	on_terminal "'$dwire' ${how%% *} -d 0.2 ${how#* }"
	! grep -q '^Tracing\.\.\.' out || fail "$how: $(cat -v out)"
done
