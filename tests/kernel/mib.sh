# mib: the sum of each probe's increments over a run against the kernel's own counter of the namespace, and against what a
# peer made by hand sent, for counters that Linux does not have.
# timeout: 60
need python3
netns_new mib

declare -A sums=()
# mib.pairs: probe, kernel's name(s): each must move by as much
read_counters() { # PROBE=SUM, of all pairs
	ip netns exec "$NETNS" cat /proc/net/snmp /proc/net/netstat /proc/net/snmp6 | awk '
		FILENAME == ARGV[1] {
			if ($1 ~ /:$/ && $1 == group) for (i = 2; i <= NF; i++) v[substr($1, 1, length($1) - 1) "." name[i]] = $i
			else if ($1 ~ /:$/) { group = $1; split($0, name) }
			else if (match($1, /^[A-Z][a-z]+6/)) v[substr($1, 1, RLENGTH) "." substr($1, RLENGTH + 1)] = $2
			next
		}
		{ sum = 0; for (i = 2; i <= NF; i++) { if (!($i in v)) print "no " $i; sum += v[$i] } print $1 "=" sum }' - "$here/mib.pairs"
}

# run WHAT COMMAND…: traces it, and compares
run() {
	local what=$1 probe before after
	shift
	sums=()
	read_counters >"$tmp/before"
	trace_in "$NETNS" "mib::: /args[1]->cs_netns == $NETNS_ID/ { @[probename] = sum(args[0]); @n[probename] = sum(arg0 - args[0]); }
		END { printa(\"%s=%@d\\n\", @); printa(\"differ %s=%@d\\n\", @n); }" "$@"
	sleep 0.05
	read_counters >"$tmp/after"
	while IFS== read -r probe after; do sums[$probe]=$after; done < <(grep -v ' ' <<<"$OUT")
	paste -d ' ' <(awk '{ print $1 }' "$here/mib.pairs") <(cut -d= -f2 "$tmp/before") <(cut -d= -f2 "$tmp/after") >"$tmp/both"
	while read -r probe before after; do
		[ "$what $probe" = "synack tcpTimRetrans" ] && continue # of a handshake that is no socket yet
		[ "$what $probe" = "many ipInDelivers" ] && continue    # a datagram to a group is delivered to several
		# Linux counts an answer that tells the time as an echo's
		[[ "$what $probe" =~ ^"messages icmpOut"(EchoReps|TimestampReps)$ ]] && continue
		expect_eq "${sums[$probe]:-0}" "$((after - before))" "$what: $probe"
	done <"$tmp/both"
	expect_eq "$(sed -n 's/^differ .*=//p' <<<"$OUT" | sort -u)" 0 "$what: arg0 is args[0]"
}

moved() { # PROBE: the sum of its increments
	echo "${sums[$1]:-0}"
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

# messages that a raw socket makes, one of each type and more; the kernel answers the question for the time
cat >"$tmp/messages" <<-'END'
	import socket, struct, time
	s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
	inner = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 1, 0, 64, 17, 0, b"\x7f\0\0\1", b"\x7f\0\0\1") + struct.pack("!HHHH", 9, 9, 8, 0)
	for n, kind in enumerate((4, 5, 11, 12, 13)):
	    m = struct.pack("!BBHI", kind, 0, 0, 0) + (bytes(12) if kind == 13 else inner)
	    c = sum(struct.unpack("!%dH" % (len(m) // 2), m))
	    c = (c & 0xffff) + (c >> 16)
	    m = m[:2] + struct.pack("!H", ~(c + (c >> 16)) & 0xffff) + m[4:]
	    for i in range(n + 1): s.sendto(m, ("127.0.0.1", 0))
	time.sleep(0.05)
	print("times=5")
END
what=messages
run $what python3 "$tmp/messages"
is icmpInTimestamps times
is icmpOutTimestampReps times
expect_eq "$(moved icmpInRedirects) $(moved icmpInTimeExcds) $(moved icmpOutParmProbs)" "2 3 4" "$what: as many as were sent"
