# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Linux's members of tcpsinfo_t against ss for the same sockets, on connections that are idle while ss looks.
need ss
netns_new infolinux

key() { # KEY LINE: of ss: "key:value"
	sed -n "s/.*[[:space:]]$1:\([^[:space:]]*\).*/\1/p" <<<"$2"
}

us() { # milliseconds of ss as microseconds
	awk -v ms="${1:-0}" 'BEGIN { printf "%.0f", ms * 1000 }'
}

check() { # FAMILY
	local port line side want got members rtt pace mem
	start_waiting ip netns exec "$NETNS" old_socket "$1" -c 1
	port=$(sed -n 's/^port=//p' "$tmp/waiting")
	ip netns exec "$NETNS" ss -tinHm state established >"$tmp/ss"
	members='printf("%s lp=%d rp=%d rtt=%d/%d min=%d cc=%s sent=%d acked=%d received=%d delivered=%d pace=%u rate=%u rb=%d sb=%d
		ca=%d lost=%d again=%d rq=%d ecn=%d backlog=%d aq=%d len=%d\n", probename,
		args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_srtt, args[3]->tcps_rttvar, args[3]->tcps_min_rtt,
		args[3]->tcps_cc, args[3]->tcps_bytes_sent, args[3]->tcps_bytes_acked, args[3]->tcps_bytes_received,
		args[3]->tcps_delivered, args[3]->tcps_pacing_rate, args[3]->tcps_delivery_rate, args[3]->tcps_rcvbuf,
		args[3]->tcps_sndbuf, args[3]->tcps_ca_state, args[3]->tcps_lost, args[3]->tcps_retrans, args[3]->tcps_rcvq,
		args[3]->tcps_ecn, args[3]->tcps_backlog, args[3]->tcps_acceptq, args[2]->ip_plength - args[4]->tcp_offset)'
	members=${members//$'\n\t\t'/ }
	trace_waiting "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[3]->tcps_state == 1/ { $members; }"
	for side in client server; do
		line=$(awk -v port="$port" -v side=$side '
			/^[^\t ]/ { l = $3; r = $4; sub(/.*:/, "", l); sub(/.*:/, "", r); next }
			(side == "client" ? r : l) == port { print " " $0 }' "$tmp/ss")
		rtt=$(key rtt "$line")
		pace=$(sed -n 's/.*pacing_rate \([0-9]*\)bps.*/\1/p' <<<"$line")
		mem=$(sed -n 's/.*skmem:(\([^)]*\)).*/\1/p' <<<"$line")
		want="rtt=$(us "${rtt%/*}")/$(us "${rtt#*/}") min=$(us "$(key minrtt "$line")") cc=$(awk '{ print $2 }' <<<"$line")"
		want+=" pace=$((pace / 8)) rb=$(sed 's/.*,rb\([0-9]*\),.*/\1/' <<<"$mem") sb=$(sed 's/.*,tb\([0-9]*\),.*/\1/' <<<"$mem")"
		want+=" delivered=$(key delivered "$line") acked=$(key bytes_acked "$line")"
		# what has not changed by the first segment that the client sends, or the server receives
		got=$(over_lines "v[\"$([ $side = client ] && echo rp || echo lp)\"] == $port && !n++ {
			print \"rtt=\" v[\"rtt\"] \" min=\" v[\"min\"] \" cc=\" v[\"cc\"] \" pace=\" v[\"pace\"] \" rb=\" v[\"rb\"] \" sb=\" v[\"sb\"] \
				\" delivered=\" v[\"delivered\"] \" acked=\" (v[\"acked\"] ? v[\"acked\"] : \"\") }")
		expect_eq "$got" "$want" "$1: the $side as ss has it"
	done
	expect_eq "$(values sent "p == \"send\" && v[\"rp\"] == $port && v[\"len\"]" | tail -n 1)" "$(value_of tcp_bytes)" \
		"$1: bytes sent, with those of the segment that leaves"
	expect_eq "$(values received "p == \"send\" && v[\"lp\"] == $port" | tail -n 1)" "$(value_of tcp_bytes)" \
		"$1: bytes received"
	expect_count 'v["ca"] || v["lost"] || v["again"] || v["ecn"] || v["aq"]' 0 "$1: no losses, no ECN"
	# in a slow machine a segment may come while the process uses the socket
	slow_machine || expect_count 'v["backlog"]' 0 "$1: no backlog"
}

check -4

# Losses: what the peer saw again, and what the kernel says of it.
trace_in "$NETNS" "tcp:::reset-received /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"reset lost=%d again=%d bytes=%d sent=%d cc=%s out=%d\\n\", args[3]->tcps_lost, args[3]->tcps_retrans,
	    args[3]->tcps_bytes_retrans, args[3]->tcps_bytes_sent, args[3]->tcps_cc, args[3]->tcps_packets_out); }" tun_tcp -m rto
expect_eq "$(values again 1)" "$(value_of total_retrans)" "segments sent again"
expect_eq "$(values bytes 1)" "$(value_of out_again_bytes)" "bytes sent again"
expect_eq "$(values sent 1)" "$(value_of out_bytes)" "bytes sent"
expect_ge "$(values lost 1)" 1 "segments lost"
expect_eq "$(values cc 1)" "$(ip netns exec "$NETNS" cat /proc/sys/net/ipv4/tcp_congestion_control)" "congestion control"

# A listener: its queues.
trace_in "$NETNS" "tcp:::listen-overflow /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_flags == TH_SYN/ {
	printf(\"overflow q=%d max=%d syns=%d st=%d\\n\", args[3]->tcps_acceptq, args[3]->tcps_acceptq_max, args[3]->tcps_synq,
	    args[3]->tcps_state); }" tun_tcp -m listen
expect_count 'v["q"] == 2 && v["max"] == 1 && v["syns"] == 1 && v["st"] == 10' "$(value_of overflow_syns)" \
	"two wait where one may, and one handshake is under way"

# ECN, asked for by a setting.
ip netns exec "$NETNS" sh -c 'echo 1 >/proc/sys/net/ipv4/tcp_ecn'
trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[3]->tcps_state == 1 && args[4]->tcp_flags & TH_PUSH/ {
	printf(\"%s ecn=%d\\n\", probename, args[3]->tcps_ecn); }" tcp_echo -q
expect_ge "$(count 1)" 4 "segments"
expect_count 'v["ecn"] != 1' 0 "both sides use ECN"
