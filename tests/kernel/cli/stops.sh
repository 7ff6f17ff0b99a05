# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# A trace stops when a signal asks for it, whatever it waits for: the reader of its output, a stopped terminal, a FIFO that nobody
# reads, a command of system(). The first signal ends the trace within two seconds, the second one at once.
. "$here/lib/cli.lib"

now_ms() { # without a process
	local t=$EPOCHREALTIME
	printf '%s' $((${t/./} / 1000))
}

# Waits for the tracer to end; fails after MS milliseconds.
ends_within() { # MS WHAT
	local began
	began=$(now_ms)
	while kill -0 "$tracer" 2>/dev/null && ! grep -qs '^State:.*Z' "/proc/$tracer/status"; do
		if [ $(($(now_ms) - began)) -gt "$1" ]; then
			fail "$2: still running after $1 ms"
			kill -KILL "$tracer"
			break
		fi
		sleep 0.02
	done
	wait "$tracer" 2>/dev/null
	STATUS=$?
}

# Waits until the tracer waits for something else than events: those it awaits with epoll_wait(2), all else with poll(2).
until_blocked() {
	local i polls=0
	for ((i = 0; i < 1000 && polls < 5; i++)); do
		case $(cut -d ' ' -f 1 "/proc/$tracer/syscall" 2>/dev/null) in
		"$poll") polls=$((polls + 1)) ;;
		*) polls=0 ;;
		esac
		sleep 0.02
	done
	[ $polls -eq 5 ] || fail "the tracer is not blocked"
}
poll=7
[ "$(uname -m)" = x86_64 ] || poll=73 # ppoll

# Some 2 MB a second, so that a pipe is full at once.
flood='tick-1ms { printf("%2000d\n", i++); }'

blocked() { # starts a tracer whose output is a pipe that nobody reads
	rm -f fifo
	mkfifo fifo
	sleep 1000 <fifo &
	reader=$!
	"$dwire" -qn "$1" >fifo 2>err &
	tracer=$!
	until_blocked
}

for sig in INT TERM HUP; do
	blocked "$flood"
	kill -$sig $tracer
	ends_within 2500 "SIG$sig, and the pipe is full"
	expect_eq "$STATUS $(grep -v 'missed' err)" "1 dwire: nobody reads the output: the rest of it is lost" "SIG$sig, and the pipe is full"
	kill $reader
done
blocked "$flood"
kill -INT $tracer
sleep 0.3
kill -INT $tracer
ends_within 200 "the second signal, and the pipe is full"
kill $reader

# A reader that goes on in time gets all of it, END's lines too.
rm -f fifo
mkfifo fifo
(until [ -e told ]; do sleep 0.02; done; sleep 0.5; cat) <fifo >got &
reader=$!
"$dwire" -qn "$flood END { printf(\"the end\\n\"); }" >fifo 2>err &
tracer=$!
until_blocked
kill -INT $tracer
touch told
ends_within 2500 "a slow reader"
wait $reader
expect_eq "$STATUS $(tail -n 2 got | head -n 1)" "0 the end" "a slow reader gets the end"

# system() that does not end.
"$dwire" -qwn 'BEGIN { system("exec sleep 1000"); } END { printf("the end\n"); }' >out 2>err &
tracer=$!
until_blocked
kill -TERM $tracer
ends_within 1000 "SIGTERM, and a command runs"
expect_eq "$STATUS $(grep -c 'the end' out) $(<err)" "0 1 dwire: the trace ends: \"exec sleep 1000\" was given up" "END after a command"
# What END runs has its time, though the trace was asked to stop before.
"$dwire" -qwn 'BEGIN { freopen("begun"); printf("."); freopen(""); } END { system("sleep 0.3; echo done"); }' >out 2>err &
tracer=$!
until [ -s begun ]; do sleep 0.02; done
kill -INT $tracer
ends_within 2000 "a command of END"
expect_eq "$STATUS $(grep -c done out) $(<err)" "0 1 " "a command of END"

# freopen() waits for a reader of a FIFO.
mkfifo nobody
"$dwire" -qwn "BEGIN { freopen(\"$PWD/nobody\"); }" >out 2>err &
tracer=$!
until_blocked
kill -INT $tracer
ends_within 1000 "SIGINT, and freopen() waits"
expect_eq "$STATUS $(<err)" "0 dwire: the trace ends: \"$PWD/nobody\" was given up" "SIGINT, and freopen() waits"

# A terminal that ^S has stopped.
cat >stopped.py <<-'END'
	import os, pty, signal, sys, time
	pid, fd = pty.fork()
	if pid == 0:
	    os.execv(sys.argv[2], sys.argv[2:])
	os.read(fd, 100)
	os.write(fd, b"\x13")
	polls = 0 # it waits with poll(2) for the terminal, with epoll_wait(2) for events
	while polls < 5:
	    polls = polls + 1 if open(f"/proc/{pid}/syscall").read().split()[0] == sys.argv[1] else 0
	    time.sleep(0.02)
	os.kill(pid, signal.SIGTERM)
	began = time.time()
	while time.time() - began < 5 and os.waitpid(pid, os.WNOHANG)[0] == 0:
	    time.sleep(0.02)
	print(int((time.time() - began) * 1000))
	os.kill(pid, signal.SIGKILL) if time.time() - began >= 5 else None
END
expect_le "$(python3 stopped.py $poll "$dwire" -qn "$flood" 2>/dev/null)" 2500 "ms from SIGTERM to the end on a stopped terminal"
