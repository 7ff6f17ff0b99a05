# SPDX-License-Identifier: GPL-2.0-or-later
# tick interrupts a CPU: it fires in the thread that runs there, once in each period of the machine, and on time where
# the event of the CPU's clock does not fire.
need strace taskset
. "$here/lib/cli.lib"
cd "$tmp" || exit 1

# A process that keeps a CPU busy is interrupted, in its own code or in the kernel.
run -q -x cpu=0 -n 'tick-200 /pid == $target/ { @["target"] = count(); } tick-200 /pid == $target && arg1/ { @["its code"] = count(); }
	tick-200 /pid == $target && arg0 && arg1/ { @["both"] = count(); }
	tick-200 /pid == 0 && (execname != "swapper/0" || !arg0)/ { @["idle"] = count(); }
	tick-200 /cpu != 0/ { @["elsewhere"] = count(); }
	tick-2s { exit(0); } END { printa("%s %@d\n", @); }' -c 'taskset -c 0 sh -c "while :; do :; done"'
expect_match "$STATUS $OUT" $'(^|[ \n])its code [0-9]' "a busy process: $ERR"
expect_match "$OUT" $'(^|\n)target [0-9]' "a busy process: $ERR"
[[ ! $OUT =~ both|idle|elsewhere ]] || fail "arguments: $OUT"

# Once in each period, whatever the number of CPUs. A tick of the same period fires as often.
counted() { # WHAT
	missed=$(awk '/ tick firings? missed \(too late\)$/ { n += $2 } END { print n + 0 }' <<<"$ERR")
	read -r a b due <<<"$OUT"
	expect_ge $((a + b + missed)) 96 "$1: fired $OUT, missed $missed"
	expect_le "$a" $((due + 1)) "$1"
	expect_le "$b" $((due + 1)) "$1"
}
d='BEGIN { began = timestamp; } tick-20ms { a++; } tick-50hz { b++; }
	tick-1s { printf("%d %d %d\n", a, b, (timestamp - began) / 20000000); exit(0); }' # it may be late
run -qn "$d"
counted "two ticks"

# No events of a CPU's clock: a timer fires ticks, and dwire says so.
started() { # INJECT
	STATUS=0
	timeout 20 strace -f -o strace -e trace=perf_event_open,ioctl -e inject="$1" "$dwire" -qn "$d" >out 2>err || STATUS=$?
	OUT=$(<out) ERR=$(<err)
	expect_eq "$STATUS" 0 "$1"
	counted "$1"
}
started perf_event_open:error=EACCES
expect_match "$ERR" 'tick probes are fired by a timer of dwire.s own, .*Permission denied' "no events"
# Events that never fire.
started ioctl:retval=0
expect_eq "$(grep -c 'timer of dwire' <<<"$ERR")" 0 "events that do not fire: $ERR"
