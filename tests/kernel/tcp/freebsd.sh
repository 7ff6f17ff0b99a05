# SPDX-License-Identifier: GPL-2.0-or-later
# FreeBSD's probes: siftr, debug-input, debug-output, debug-user against what the trigger did.
netns_new freebsd

check() { # FAMILY ADDRESS IPVER
	local port n=3 k=2 sides in out
	trace_in "$NETNS" "tcp:::siftr /args[0]->laddr == \"$2\"/ {
			printf(\"siftr dir=%d ver=%d lp=%d rp=%d ra=%s mss=%d st=%d sack=%d rto=%d cwnd=%d rcv=%d snd=%d a=%x old=%d str=%s\\n\",
			    args[0]->direction, args[0]->ipver, args[0]->lport, args[0]->rport, args[0]->raddr, args[0]->mss,
			    args[0]->conn_state, args[0]->sack_enabled, args[0]->rto, args[0]->snd_cwnd,
			    args[0]->rcv_buf_hiwater, args[0]->snd_buf_hiwater, arg0,
			    args[0]->tcp_localport == args[0]->lport && args[0]->tcp_foreignport == args[0]->rport &&
			    args[0]->snd_bwnd == 0 && args[0]->max_seg_size == args[0]->mss && args[0]->smoothed_rtt == args[0]->srtt &&
			    args[0]->flags == args[0]->t_flags && args[0]->rxt_length == args[0]->rto,
			    siftr_dir_string[args[0]->direction]); }
		tcp:::debug-input, tcp:::debug-output /args[0]->tcps_laddr == \"$2\" || args[2]->ip_saddr == \"$2\"/ {
			printf(\"%s same=%d sp=%d dp=%d len=%d debug=%d max=%d\\n\", probename, arg0 == args[0]->tcps_addr, args[1]->tcp_sport, args[1]->tcp_dport,
			    args[2]->ip_plength - args[1]->tcp_offset, args[0]->tcps_debug,
			    args[0]->tcps_smax >= args[0]->tcps_suna); }
		tcp:::debug-user {
			printf(\"%s req=%s n=%d same=%d lp=%d\\n\", probename, prureq_string[args[1]], args[1], arg1 == args[1] && arg0 == args[0]->tcps_addr,
			    args[0]->tcps_lport); }" \
		tcp_echo "$1" -n $n -c $k -k 300
	port=$(value_of port)
	# but the server's FIN, which meets the client in TIME_WAIT, and its answer: they have no socket
	out=$(($(value_of client_segs_out) + $(value_of server_segs_out) - n))
	in=$(($(value_of client_segs_in) + $(value_of server_segs_in) - n))
	local ours="(v[\"lp\"] == $port || v[\"rp\"] == $port)" wire="(v[\"sp\"] == $port || v[\"dp\"] == $port)"
	expect_count "p == \"siftr\" && v[\"dir\"] == 1 && $ours" "$out" "$1: siftr out"
	expect_count "p == \"siftr\" && v[\"dir\"] == 0 && $ours" "$in" "$1: siftr in"
	expect_count "p == \"siftr\" && $ours && (v[\"ver\"] != $3 || v[\"ra\"] != \"$2\" || v[\"rto\"] < 200000)" 0 "$1: siftr's members"
	expect_count "p == \"debug-output\" && $wire" "$out" "$1: debug-output"
	expect_count "p == \"debug-input\" && $wire" "$in" "$1: debug-input"
	expect_total len "p == \"debug-input\" && $wire" $(($(value_of client_bytes_in) + $(value_of server_bytes_in))) "$1: bytes in"
	expect_total len "p == \"debug-output\" && $wire" $(($(value_of client_bytes_out) + $(value_of server_bytes_out))) "$1: bytes out"
	expect_count "$wire && v[\"same\"] == 0" 0 "$1: arg0 is the socket"
	expect_count "p == \"siftr\" && (v[\"old\"] != 1 || v[\"a\"] == \"0\" || v[\"str\"] != (v[\"dir\"] ? \"out\" : \"in\"))" 0 "$1: siftr's earlier names"
	expect_eq "$(over_lines "(p == \"siftr\" && $ours && v[\"lp\"] != $port) { print v[\"lp\"], v[\"a\"] }" | sort -u | wc -l)" "$n" \
		"$1: one arg0 a connection"
	expect_count "$wire && (v[\"debug\"] || !v[\"max\"])" 0 "$1: tcps_debug, tcps_smax"
	# each message is sent twice, by the client and by the server; the server's socket is closed, and so is the client's
	expect_count "p == \"debug-user\" && v[\"req\"] == \"SEND\" && v[\"lp\"] == $port" $((n * k)) "$1: the server's sends"
	expect_count "p == \"debug-user\" && v[\"req\"] == \"LISTEN\" && v[\"lp\"] == $port" 1 "$1: the server listens"
	expect_count "p == \"debug-user\" && !v[\"same\"]" 0 "$1: arg1 is args[1]"
}

check -4 127.0.0.1 1
check -6 ::1 2

# The buffer of a reader grows, where the kernel tells it: each time it is larger than the last.
"$dwire" "${dwire_opts[@]}" -en tcp:::receive-autoresize 2>/dev/null || return 0
trace_in "$NETNS" "tcp:::receive-autoresize /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"resize cid=%d size=%d same=%d st=%d\\n\", args[1]->cs_cid, args[5], args[5] == args[3]->tcps_rcvbuf && arg5 == args[5],
	    args[3]->tcps_state); }" tcp_echo -n 1 -c 20 -k 1000000 -q
expect_ge "$(count 'p == "resize"')" 2 "the buffers of both sides grow"
over_lines 'p == "resize" { if (v["size"] < last[v["cid"]] || !v["same"]) bad++; last[v["cid"]] = v["size"] } END { print bad + 0 }' >"$tmp/got"
expect_eq "$(<"$tmp/got")" 0 "sizes only grow"
