# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# The start fails at each of its calls to the kernel in turn: maps, programs, hooks, perf events, files, timers, the
# command's start. Either everything works and every number is right, or there is one error, the command does not run,
# and nothing stays in the kernel (the runner checks that). Also: dwire is killed half-way.
need strace
# Each start waits for the kernel rather than works: several at once, each with a namespace and files of its own.
at_once=6

script() { # NETNS_ID
	echo "tcp:::send, tcp:::receive /args[1]->cs_netns == $1 && args[1]->cs_pid != -1/ { @[probename, args[1]->cs_execname] = count(); }
		profile-97 { @p = count(); } tcp:::state-change /args[1]->cs_netns == $1/ { @s = count(); }
		END { printa(\"%s %s %@d\\n\", @); printa(\"states %@d\\n\", @s); }"
}

right() { # WHAT: the numbers of a run
	local sent=$(($(value_of client_segs_out) + $(value_of server_segs_out)))
	local got
	got=$(awk '$1 == "send" { n += $3 } END { print n + 0 }' "$tmp/out")
	expect_eq "$got" "$sent" "$1: segments sent"
	expect_match "$(<"$tmp/out")" "states 2[0-9]" "$1: changes of state"
}

run() { # WHAT STRACE-OPTIONS…
	local what=$1 status at=postinit
	shift
	# a command that strace follows cannot be stopped by dwire as well
	[ "$1" != -f ] || at=exec
	rm -f "$tmp/trigger"
	strace -o "$tmp/strace" "$@" "$dwire" -x evaltime=$at -qn "$D" -c "$tmp/cmd" >"$tmp/out" 2>"$tmp/err"
	status=$?
	case $status in
	0) # an aggregation that could not be read when END prints it is reported as a drop
		grep -q '^dwire: 1 consumer aggregation drop$' "$tmp/err" || right "$what"
		echo ran >>"$tmp/what"
		;;
	1)
		echo refused >>"$tmp/what"
		# END fires when the command has ended; all other calls that can fail come before it runs.
		if ! grep -q '^dwire: cannot fire dtrace:::END: ' "$tmp/err"; then
			[ ! -e "$tmp/trigger" ] || fail "$what: the command ran"
			expect_eq "$(grep -c '^dwire: ' "$tmp/err")" 1 "$what: $(<"$tmp/err")"
		fi
		;;
	*) fail "$what: status $status: $(<"$tmp/err")" ;;
	esac
}

# The most calls of bpf() that a thread of the last run has made.
calls_of_a_thread() {
	awk '/ bpf\(/ && ++n[$1] > most { most = n[$1] } END { print most + 0 }' "$tmp/strace"
}

# strace's own names of the injected errors: those that a kernel gives
errors=(ENOMEM EPERM E2BIG EINVAL)
one() { # KIND NUMBER: one of the runs
	local status
	case $1 in
	call) run "call $2, ${errors[$2 / 3 % 4]}" -f -e trace=bpf -e "inject=bpf:error=${errors[$2 / 3 % 4]}:when=$2" ;;
	event) run "event $2" -f -e trace=perf_event_open -e "inject=perf_event_open:error=EMFILE:when=$2" ;;
	other) run "$2 $3" -e trace="$2" -e "inject=$2:error=ENOMEM:when=$3" ;; # not the command's
	kill)
		strace -f -o "$tmp/strace" -e trace=bpf -e "inject=bpf:signal=KILL:when=$2" "$dwire" -qn "$D" -c "$tmp/cmd" >/dev/null 2>&1
		status=$?
		# strace counts for each thread: a run in which none has so many calls goes on
		[ "$(calls_of_a_thread)" -lt "$2" ] || expect_eq "$status" 137 "killed at call $2"
		;;
	esac
}

place() { # NUMBER: a namespace and files
	tmp=$all/$1
	mkdir "$tmp"
	netns_new "calls$1"
	D=$(script "$NETNS_ID")
	command_file ip netns exec "$NETNS" "$triggers/tcp_echo" -4 -n 2
}

worker() { # NUMBER: every so many of $all/runs, in a process of its own
	local line
	awk -v n="$at_once" -v i="$1" 'NR % n == i' "$all/runs" >"$tmp/runs"
	while read -r line; do
		# shellcheck disable=SC2086
		one $line
	done <"$tmp/runs"
	exit "$failed"
}

all=$tmp
place first
# Other calls that a start may make, of which every so many fail; those that read what the trace found are left out.
others='openat:5 read:5 newfstatat:3 ioctl:1 epoll_create1:1 epoll_ctl:2 timerfd_create:1 eventfd2:1 pidfd_open:1 dup:1
	socketpair:1 clone:1 fstatfs:1 capget:1 sendto:1'
run "all calls" -e trace=all
# up to where the timers are set the trace has not begun
started=$(grep -n -m 1 timerfd_settime "$tmp/strace" | cut -d: -f 1)
for kind in $others; do
	seq 1 "${kind#*:}" "$(head -n "${started:-0}" "$tmp/strace" | grep -c "^${kind%:*}(")" | sed "s/^/other ${kind%:*} /"
done >"$all/others"
expect_ge "$(wc -l <"$all/others")" 20 "other calls"
rm "$tmp/what"
run "no failure" -f -e trace=bpf,perf_event_open
expect_eq "$(cat "$tmp/what")" ran "it works"
calls=$(grep -c ' bpf(' "$tmp/strace") events=$(grep -c perf_event_open "$tmp/strace")
{
	seq 1 3 "$calls" | sed 's/^/call /'
	seq 1 "$events" | sed 's/^/event /'
	seq 5 13 "$(calls_of_a_thread)" | sed 's/^/kill /'
	cat "$all/others"
} >"$all/runs"
workers=()
for ((i = 0; i < at_once; i++)); do
	place "$i"
	(trap - EXIT INT TERM HUP; worker "$i") &
	workers+=($!)
done
for w in "${workers[@]}"; do wait "$w" || failed=1; done
tmp=$all
expect_ge "$(cat "$tmp"/?/what | grep -c refused)" 6 "failures that were told"
expect_eq "$(cat "$tmp"/?/what | wc -l)" "$(grep -vc kill "$tmp/runs")" "runs that ended in order"
