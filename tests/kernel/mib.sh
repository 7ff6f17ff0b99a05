# mib: the sum of each probe's increments over a run against the kernel's own counter of the namespace, and against what a
# peer made by hand sent, for counters that Linux does not have.
# timeout: 60
netns_new mib

# probe, kernel's name(s): each must move by as much
read_counters() {
	local probe names n sum
	while read -r probe names; do
		sum=0
		for n in $names; do sum=$((sum + $(snmp "$NETNS" "${n%.*}" "${n#*.}"))); done
		echo "$probe=$sum"
	done <"$here/mib.pairs"
}

# run WHAT COMMAND…: traces it, and compares
run() {
	local what=$1 probe
	shift
	read_counters >"$tmp/before"
	trace_in "$NETNS" "mib::: /args[1]->cs_netns == $NETNS_ID/ { @[probename] = sum(args[0]); @n[probename] = sum(arg0 - args[0]); }
		END { printa(\"%s=%@d\\n\", @); printa(\"differ %s=%@d\\n\", @n); }" "$@"
	sleep 0.05
	read_counters >"$tmp/after"
	while read -r probe _; do
		[ "$what $probe" = "synack tcpTimRetrans" ] && continue # of a handshake that is no socket yet
		[ "$what $probe" = "many ipInDelivers" ] && continue    # a datagram to a group is delivered to several
		expect_eq "$(moved "$probe")" "$(($(sed -n "s/^$probe=//p" "$tmp/after") - $(sed -n "s/^$probe=//p" "$tmp/before")))" \
			"$what: $probe"
	done <"$here/mib.pairs"
	expect_eq "$(sed -n 's/^differ .*=//p' <<<"$OUT" | sort -u)" 0 "$what: arg0 is args[0]"
}

moved() { # PROBE: the sum of its increments
	local n
	n=$(sed -n "s/^$1=//p" <<<"$OUT")
	echo "${n:-0}"
}

is() { # PROBE KEY: as much as the trigger says
	expect_eq "$(moved "$1")" "$(value_of "$2")" "$what: $1, as the other side has it"
}

what=data
run $what tun_tcp -4 -m data
is tcpOutDataSegs out_data_segs
is tcpOutDataBytes out_bytes
is tcpInDataInorderSegs inorder_segs
is tcpInDataInorderBytes inorder_bytes
is tcpInDataDupSegs dup_segs
is tcpInDataDupBytes dup_bytes
is tcpInDataUnorderSegs unorder_segs
is tcpInDataUnorderBytes unorder_bytes
is tcpInDataPartDupSegs part_segs
is tcpInDataPartDupBytes part_bytes
is tcpInDataPastWinSegs past_segs
is tcpInDataPastWinBytes past_bytes

what=rto
run $what tun_tcp -6 -m rto
is tcpRetransBytes out_again_bytes
expect_eq $(($(moved tcpOutDataBytes) + $(moved tcpRetransBytes))) "$(value_of out_bytes)" "$what: bytes sent"

{
	echo '#!/bin/bash -e'
	printf '%s\n' "tun_tcp -4 -m tlp" "tun_tcp -4 -m fast" "tun_tcp -6 -m listen" "tun_tcp -6 -m abort" "tun_tcp -4 -m zero" \
		"tun_tcp -4 -m syn" "udp_kinds -4" "udp_kinds -6" "tcp_refused -n 3" "tcp_reset -6 -m unread" "tcp_reset -m late"
} >"$tmp/many"
chmod +x "$tmp/many"
run many "$tmp/many"
what=ip
run $what tun_ip
is ipInCksumErrs bad_checksum
is ipInUnknownProtos unknown
is ipForwDatagrams forwarded
is icmpOutTimeExcds too_old
is icmpOutEchoReps echoes
run "ip -6" tun_ip -6
is ipv6OutForwDatagrams forwarded
run synack tun_tcp -6 -m synack
what=echo
run $what tcp_echo -n 3 -c 4 -k 300
expect_eq "$(moved tcpOutDataBytes)" $(($(value_of client_bytes_out) + $(value_of server_bytes_out))) "echo: bytes sent"
expect_eq "$(moved tcpInDataInorderBytes)" "$(moved tcpOutDataBytes)" "echo: bytes received"

ip -n "$NETNS" link set lo mtu 1500
ip netns exec "$NETNS" sysctl -qw net.ipv4.ipfrag_time=1
what=frags
run $what ip_frags
expect_eq "$(moved ipReasmReqds)" $(($(value_of fragments) + $(value_of broken))) "frags: ipReasmReqds"
is ipFragOKs datagrams
is ipFragCreates fragments
is ipReasmOKs datagrams
is ipReasmFails broken
is ipOutNoRoutes no_route
is tcpTimKeepaliveProbe keepalives
expect_eq "$(moved tcpCurrEstab)" 0 "frags: as many connections end as begin"
