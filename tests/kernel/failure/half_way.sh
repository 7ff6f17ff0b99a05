# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A start that fails half-way leaves no program and runs no command. Other programs at the same cgroup2 hooks still
# see and pass their packets. cgroup2 is found wherever it is mounted.
need unshare findmnt bpftool

mine='tcp:::send /args[1]->cs_netns == NS && args[1]->cs_pid != -1/ { @ = count(); } END { printa("%@d\n", @); }'
netns_new breaks
D=${mine/NS/$NETNS_ID}
command_file ip netns exec "$NETNS" "$triggers/tcp_echo" -4 -n 5

segments_sent() { # of the trigger
	echo $(($(value_of client_segs_out) + $(value_of server_segs_out)))
}

# cgroup2 mounted elsewhere
where=$tmp/cg
mkdir "$where"
OUT=$(unshare -m sh -c 'for m in $(findmnt -rn -t cgroup2 -o TARGET); do umount -l "$m"; done
	mount -t cgroup2 none "$1" && shift && exec "$@"' - "$where" "$dwire" -qn "$D" -c "$tmp/cmd" 2>"$tmp/err") ||
	fail "cgroup2 elsewhere: $(<"$tmp/err")"
expect_eq "$(grep . <<<"$OUT")" "$(segments_sent)" "cgroup2 elsewhere"

# Another tracer's programs at the same cgroup, before and while ours come and go
others=$(mktemp -p "$tmp")
"$dwire" -qn "tcp:::send, tcp:::receive, tcp:::connect-established /args[1]->cs_netns == $NETNS_ID/ { @[probename] = count(); }
	tick-100ms { printf(\"x\n\"); } END { printa(\"%s %@d\n\", @); }" >"$others" 2>"$tmp/err" &
other=$!
for _ in {1..80}; do [ -s "$others" ] && break || sleep 0.1; done
sent=0
for _ in 1 2; do
	OUT=$("$dwire" -qn "$D" -c "$tmp/cmd" 2>"$tmp/err2") || fail "beside another: $(<"$tmp/err2")"
	expect_eq "$(grep . <<<"$OUT")" "$(segments_sent)" "beside another"
	sent=$((sent + $(value_of client_segs_out) + $(value_of server_segs_out)))
done
kill -INT $other
wait $other || fail "the other: $(<"$tmp/err")"
expect_eq "$(sed -n 's/^send //p' "$others")" "$sent" "the other saw all segments"
expect_eq "$(sed -n 's/^connect-established //p' "$others")" 10 "the other saw all connections"

# Too few descriptors, at every step from the first to the last: all or nothing.
ran=0
for n in $(seq 8 6 104); do
	rm -f "$tmp/ran"
	(ulimit -n "$n" && exec "$dwire" -qn 'tcp:::send, tcp:::receive, tcp:::state-change, udp:::send, ip:::receive
		{ @[args[1]->cs_execname] = count(); } profile-97 { @p = count(); }' -c "touch $tmp/ran") >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ -e "$tmp/ran" ] && ran=1
	if [ $status -ne 0 ]; then
		[ -e "$tmp/ran" ] && fail "$n descriptors: the command ran, status $status"
		[ -s "$tmp/err" ] || fail "$n descriptors: nothing was said"
	fi
done
expect_eq $ran 1 "with enough descriptors it works"

# A member that the kernel's structure does not have is an error of the script alone.
"$dwire" -qn 'tcp:::send { trace(((struct tcp_sock *)args[1]->cs_addr)->no_such_member); }' >"$tmp/out" 2>"$tmp/err" &&
	fail "a member that is not there"
expect_match "$(<"$tmp/err")" 'D_TYPE_MEMBER.*no_such_member' "a member that is not there"
