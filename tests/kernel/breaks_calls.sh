# The start fails half-way, at each of its calls to the kernel in turn: a map that cannot be made, a program that the
# verifier refuses, a hook that cannot be had, a perf event. Either all works and every number is right, or one error is
# said, the command does not run, and nothing stays (the harness looks for it). And dwire is killed in the middle.
# timeout: 120
need strace
netns_new calls
D="tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[1]->cs_pid != -1/ { @[probename, args[1]->cs_execname] = count(); }
	profile-97 { @p = count(); } tcp:::state-change /args[1]->cs_netns == $NETNS_ID/ { @s = count(); }
	END { printa(\"%s %s %@d\\n\", @); printa(\"states %@d\\n\", @s); }"
command_file ip netns exec "$NETNS" "$triggers/tcp_echo" -4 -n 2

right() { # WHAT: the numbers of a run
	local sent=$(($(value_of client_segs_out) + $(value_of server_segs_out) - $(value_of client_connections)))
	local got
	got=$(awk '$1 == "send" { n += $3 } END { print n + 0 }' "$tmp/out")
	expect_eq "$got" "$sent" "$1: segments sent"
	expect_match "$(<"$tmp/out")" "states 2[0-9]" "$1: changes of state"
}

run() { # WHAT STRACE-OPTIONS…
	local what=$1 status
	shift
	rm -f "$tmp/trigger"
	strace -f -o "$tmp/strace" "$@" "$dwire" -qn "$D" -c "$tmp/cmd" >"$tmp/out" 2>"$tmp/err"
	status=$?
	case $status in
	0) right "$what" && ran=$((ran + 1)) ;;
	1)
		refused=$((refused + 1))
		[ ! -e "$tmp/trigger" ] || fail "$what: the command ran"
		expect_eq "$(grep -c '^dwire: ' "$tmp/err")" 1 "$what: $(<"$tmp/err")"
		;;
	*) fail "$what: status $status: $(<"$tmp/err")" ;;
	esac
}

ran=0 refused=0
run "no failure" -e trace=bpf,perf_event_open
expect_eq $ran 1 "it works"
calls=$(grep -c ' bpf(' "$tmp/strace") events=$(grep -c perf_event_open "$tmp/strace")
# strace's own names of the injected errors: those that a kernel gives
errors=(ENOMEM EPERM E2BIG EINVAL)
for ((i = 1; i <= calls; i += 3)); do
	error=${errors[i / 3 % 4]}
	run "call $i, $error" -e trace=bpf -e inject=bpf:error=$error:when=$i
done
for ((i = 1; i <= events; i++)); do
	run "event $i" -e trace=perf_event_open -e inject=perf_event_open:error=EMFILE:when=$i
done
expect_ge $refused 6 "failures that were told"
for ((i = 5; i <= calls; i += 13)); do
	strace -f -o "$tmp/strace" -e trace=bpf -e inject=bpf:signal=KILL:when=$i "$dwire" -qn "$D" -c "$tmp/cmd" >/dev/null 2>&1
	expect_eq $? 137 "killed at call $i"
done
