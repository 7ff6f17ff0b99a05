# SPDX-License-Identifier: GPL-2.0-or-later
# No clause acts before all probes are attached and BEGIN has run, and none after the end. What BEGIN asks for is done
# when all others can see it. A trace that fails has not run its BEGIN.
need strace python3
. "$here/lib/cli.lib"
cd "$tmp" || exit 1

# A process that makes system calls all the time. The probes between the two ends of a call take long to attach.
python3 -c '
import os
while True:
    os.getppid()' &
loop=$!
sleep 0.2
for end in 'tick-200ms { exit(0); }' 'syscall::getppid:return /returned == 5000/ { exit(0); }'; do
	run -qn 'BEGIN { begun = 1; } syscall::getppid:entry /pid == $1/ { entered++; } syscall::getppid:entry /!begun/ { early++; }
		sched:::, proc:::, vminfo::: { @ = count(); }
		pid$1:libc:mem*:entry, pid$1:libc:str*:entry { @ = count(); }
		syscall::getppid:return /pid == $1/ { returned++; }
		'"$end"'
		END { trunc(@); printf("%d %d %d", early, returned > 1000, entered - returned); }' "$loop"
	expect_match "$STATUS $OUT" '^0 0 1 (-1|0|1)$' "entered and returned, $end: $ERR"
done
# Without exit(), the command's end ends the trace.
run -qn 'syscall::getppid:entry /pid == $1/ { entered++; } sched:::, vminfo:::, pid$1:libc:mem*:entry { @ = count(); }
	syscall::getppid:return /pid == $1/ { returned++; }
	END { trunc(@); printf("%d %d", returned > 1000, entered - returned); }' "$loop" -c 'sleep 0.3'
expect_match "$STATUS $OUT" '^0 1 (-1|0|1)$' "entered and returned, -c: $ERR"
kill "$loop"

# A command of BEGIN is seen by probes that are attached late.
run -qwn 'BEGIN { system("/bin/true"); } sched:::, vminfo::: { @ = count(); } proc:::exec-success /execname == "true"/ { seen++; exit(0); }
	tick-5s { exit(1); } END { trunc(@); printf("%d", seen); }'
expect_eq "$STATUS $OUT" "0 1" "the command of BEGIN is traced: $ERR"

# What BEGIN records comes first.
run -qn 'BEGIN { printf("first "); } syscall:::entry /!n++/ { printf("second"); exit(0); }'
expect_eq "$STATUS $OUT" "0 first second" "BEGIN's records: $ERR"

# exit() in BEGIN: nothing else acts.
run -qn 'BEGIN { exit(3); } syscall:::entry, profile-97, tick-1ms { n++; } END { printf("%d", n); }'
expect_eq "$STATUS $OUT" "3 0" "exit() in BEGIN: $ERR"

# A trace that cannot attach its probes, whichever call fails.
begin='BEGIN { printf("BEGIN ran"); system("touch ran"); }'
fails() { # INJECT D: sets STATUS
	rm -f ran
	timeout 20 strace -f -o strace -e trace=bpf,perf_event_open -e inject="$1" "$dwire" -x evaltime=exec -qwn "$2 END { trunc(@); }" -c true >out 2>err
	STATUS=$?
	[ "$STATUS" -ne 0 ] && ! grep -q 'cannot fire dtrace:::END: ' err || return
	expect_eq "$STATUS $(<out) $(grep -c '^dwire: ' err)" "1  1" "$1: $(<err)"
	[ ! -e ran ] || fail "$1: BEGIN's command ran"
}
fails perf_event_open:error=EMFILE:when=1+ "$begin profile-97 { @ = count(); }"
expect_eq "$STATUS" 1 "profile without events"
refused=0
for n in {8..40}; do
	fails bpf:error=EINVAL:when="$n" "$begin sched:::on-cpu, proc:::exit { @ = count(); }"
	grep -q '^dwire: cannot attach ' err && refused=$((refused + 1))
done
expect_ge "$refused" 2 "traces that could not attach"
