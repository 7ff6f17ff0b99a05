# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Datagrams of every kind (udp_kinds): several in one buffer, in parts, to groups, to closed ports, to full or
# refusing sockets, wrong checksums, UDP-Lite. Against what was sent and read, and the kernel's counters.

check() { # FAMILY GROUP
	netns_new "kinds$1"
	local group=Udp pid addr=127.0.0.1
	[ "$1" = -4 ] || { group=Udp6 && addr=::1; }
	trace_in "$NETNS" "udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s dp=%d n=%d len=%d plen=%d pid=%d\\n\", probename, args[4]->udp_dport, args[4]->udp_datagrams,
			    args[4]->udp_length, args[2]->ip_plength, args[1]->cs_pid); }
		udp:::no-port, udp:::receive-drop /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s dp=%d reason=%s pid=%d len=%d lp=%d la=%s\\n\", probename, args[4]->udp_dport, args[5]->drop_reason,
			    args[1]->cs_pid, args[4]->udp_length, args[3]->udps_lport, args[3]->udps_laddr); }
		udplite:::send, udplite:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"lite_%s dp=%d sp=%d cov=%d plen=%d pid=%d lp=%d rp=%d la=%s ra=%s sa=%s sock=%d sum=%d\\n\", probename,
			    args[4]->udplite_dport, args[4]->udplite_sport, args[4]->udplite_coverage, args[2]->ip_plength,
			    args[1]->cs_pid, args[3]->udplites_lport, args[3]->udplites_rport, args[3]->udplites_laddr,
			    args[3]->udplites_raddr, args[2]->ip_saddr, args[3]->udplites_addr == args[1]->cs_addr,
			    args[4]->udplite_checksum != 0 && args[4]->udplite_checksum == ntohs(args[4]->udplite_hdr->check)); }
		ip:::drop /args[3]->if_ipstack == $NETNS_ID && args[6]->drop_reason == \"UDP_CSUM\"/ {
			printf(\"ip-drop code=%d in=%d ver=%d\\n\", args[6]->drop_code, args[6]->drop_in, args[2]->ip_ver); }" \
		udp_kinds "$1"
	pid=$(value_of pid)
	whose=$pid # of a datagram that is dropped, which the kernel tells since Linux 6.11
	since 6.11 || whose=-1
	to() { # KIND: lines for its port
		printf 'v["dp"] == %s' "$(value_of "$1_port")"
	}
	expect_total n "p == \"send\" && $(to gso)" "$(value_of gso_sent)" "$1 gso: datagrams sent"
	expect_count "p == \"send\" && $(to gso)" "$(value_of gso_calls)" "$1 gso: in one buffer"
	expect_count "p == \"receive\" && $(to gso) && v[\"n\"] == 1" "$(value_of gso_read)" "$1 gso: datagrams received"
	expect_total n "p == \"receive\" && $(to gro)" "$(value_of gro_sent)" "$1 gro: datagrams received"
	expect_count "p == \"receive\" && $(to gro)" "$(value_of gro_read)" "$1 gro: in one buffer"
	for kind in cork mcast bcast; do
		[ "$1 $kind" = "-6 bcast" ] && continue
		expect_count "p == \"send\" && $(to $kind)" "$(value_of ${kind}_sent)" "$1 $kind: sent"
		expect_count "p == \"receive\" && $(to $kind)" "$(value_of ${kind}_read)" "$1 $kind: received"
	done
	expect_eq "$(value_of mcast_read)" 2 "$1: two sockets of a group"
	expect_eq "$(values len "p == \"send\" && $(to cork)")" 1508 "$1 cork: three parts"
	expect_count "p == \"no-port\" && $(to closed) && v[\"reason\"] == \"NO_SOCKET\" && v[\"pid\"] == -1 && v[\"len\"] == 13 && v[\"lp\"] == v[\"dp\"]" \
		"$(value_of closed_sent)" "$1: datagrams for a closed port"
	expect_count 'p == "no-port"' "$(snmp "$NETNS" $group NoPorts)" "$1: as the kernel counts them"
	expect_count "p == \"receive-drop\" && $(to full) && v[\"reason\"] == \"SOCKET_RCVBUFF\" && v[\"pid\"] == $whose" \
		"$(value_of full_drops)" "$1: a full socket"
	expect_count 'v["reason"] == "SOCKET_RCVBUFF"' "$(snmp "$NETNS" $group RcvbufErrors)" "$1: as the kernel counts them"
	expect_count "p == \"receive-drop\" && $(to filter) && v[\"reason\"] == \"SOCKET_FILTER\" && v[\"pid\"] == $whose" \
		$(($(value_of filter_sent) - $(value_of filter_read))) "$1: a filter that refuses"
	expect_count "p == \"receive-drop\" && $(to csum) && v[\"reason\"] == \"UDP_CSUM\"" \
		$(($(value_of csum_sent) - $(value_of csum_read))) "$1: wrong checksums"
	expect_count 'v["reason"] == "UDP_CSUM"' "$(snmp "$NETNS" $group InCsumErrors)" "$1: as the kernel counts them"
	expect_count 'p == "ip-drop" && v["in"] == 1' "$(snmp "$NETNS" $group InCsumErrors)" "$1: the same for ip:::drop"
	expect_count 'p == "receive-drop"' "$(snmp "$NETNS" $group InErrors)" "$1: all errors"
	[ "$(value_of lite_works)" = 1 ] || return
	expect_count "p == \"lite_send\" && $(to lite) && v[\"cov\"] == 20 && v[\"plen\"] == 48 && v[\"pid\"] == $pid && v[\"rp\"] == v[\"dp\"] &&
		v[\"lp\"] == v[\"sp\"] && v[\"la\"] == \"$addr\" && v[\"ra\"] == \"$addr\"" "$(value_of lite_sent)" "$1: UDP-Lite sent"
	expect_count "p == \"lite_receive\" && $(to lite) && v[\"cov\"] == 20 && v[\"plen\"] == 48 && v[\"lp\"] == v[\"dp\"] &&
		v[\"rp\"] == 0 && v[\"la\"] == \"$addr\" && v[\"sa\"] == \"$addr\"" "$(value_of lite_read)" "$1: UDP-Lite received"
	expect_count 'p ~ /^lite/ && !(v["sock"] && v["sum"])' 0 "$1: the socket and the checksum of UDP-Lite"
}

check -4
check -6
