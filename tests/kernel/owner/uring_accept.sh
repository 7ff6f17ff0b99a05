# SPDX-License-Identifier: GPL-2.0-or-later
# What a worker accepts by io_uring is the worker's, though it only reads and its parent made the listener.
netns_new uring

check() { # FAMILY
	start_waiting ip netns exec "$NETNS" uring_accept "$1"
	trace_waiting "tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
		printf(\"%d %s %d\\n\", args[1]->cs_pid, args[1]->cs_execname, args[4]->tcp_dport) }"
	[ "$(value_of uring)" != 0 ] || skip "no io_uring"
	echo "$OUT"
	expect_eq "$(grep -c "^$(value_of worker_pid) dw_worker $(value_of port)\$" <<<"$OUT")" 2 "$1: segments that the worker takes"
	expect_eq "$(grep -c . <<<"$OUT")" 2 "$1: segments"
}
check -4
check -6
