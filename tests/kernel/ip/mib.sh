# SPDX-License-Identifier: GPL-2.0-or-later
# mib: the sum of each probe's increments over a run against the kernel's own counter of the namespace, and against what a
# peer made by hand sent, for counters that Linux does not have. Many runs side by side, each in its own namespace.
need python3

. "$here/ip/mib.lib"
mib_except() { # NAME PROBE
	case "$1 $2" in
	"synack tcpTimRetrans") ;;  # of a handshake that is no socket yet
	many\ *InDelivers | frags6\ *InDelivers) ;; # a datagram to a group is delivered to several
	# Linux counts an answer that tells the time as an echo's
	"messages icmpOutEchoReps" | "messages icmpOutTimestampReps") ;;
	*) return 1 ;;
	esac
}

# messages that a raw socket makes, one of each type and more; the kernel answers the question for the time
cat >"$tmp/messages" <<-'END'
	import socket, struct, time
	from packets import checksum
	s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
	inner = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 1, 0, 64, 17, 0, b"\x7f\0\0\1", b"\x7f\0\0\1") + struct.pack("!HHHH", 9, 9, 8, 0)
	for n, kind in enumerate((4, 5, 11, 12, 13)):
	    m = struct.pack("!BBHI", kind, 0, 0, 0) + (bytes(12) if kind == 13 else inner)
	    m = m[:2] + struct.pack("!H", checksum(m)) + m[4:]
	    for i in range(n + 1): s.sendto(m, ("127.0.0.1", 0))
	time.sleep(0.05)
	print("times=5")
END
cat >"$tmp/messages6" <<-'END'
	import socket, struct, time
	s = socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58)
	inner = struct.pack("!IHBB16s16s", 0x60000000, 8, 17, 64, socket.inet_pton(socket.AF_INET6, "::1"), socket.inet_pton(socket.AF_INET6, "::1"))
	for n, kind in enumerate((1, 2, 3, 4, 128, 129, 133, 134, 135, 136, 137)):
	    for i in range(n + 1): s.sendto(struct.pack("!BBHI", kind, 0, 0, 1280) + inner + struct.pack("!HHHH", 9, 9, 8, 0), ("::1", 0))
	time.sleep(0.05)
	print("unreachable=1", "echoes=5", "neighbours=9", sep="\n")
END

slow=
runs data tun_tcp -4 -m data
runs rto tun_tcp -6 -m rto
for t in "tun_tcp -4 -m tlp" "tun_tcp -4 -m fast" "tun_tcp -6 -m listen" "tun_tcp -6 -m abort" "tun_tcp -4 -m zero" \
	"tun_tcp -4 -m syn" "udp_kinds -4" "udp_kinds -6" "tcp_refused -n 3" "tcp_reset -6 -m unread" "tcp_reset -m late"; do
	# shellcheck disable=SC2086
	runs many $t
done
runs ip tun_ip
runs ip6 tun_ip -6
runs synack tun_tcp -6 -m synack
runs echo tcp_echo -n 3 -c 4 -k 300
runs messages python3 "$tmp/messages"
runs messages6 python3 "$tmp/messages6"
runs frags6 udp_kinds -6
ip -n "$ns" link set lo mtu 1500
runs frags ip_frags
ip -n "$ns" link set lo mtu 1500
ip netns exec "$ns" sysctl -qw net.ipv4.ipfrag_time=1
# what waits in a queue is not sent again, though the timer has fired: since Linux 6.17 its tracepoint tells that too
runs waits tcp_echo -k 6000
runs waits sleep 0.7
ip -n "$ns" link set lo mtu 1500
tc -n "$ns" qdisc add dev lo root tbf rate 60kbit burst 3000 limit 60000 2>/dev/null && slow=1
runs_trace 'tcp:::resend { @again[args[1]->cs_netns] = count(); } END { printa("resent %d %@d\n", @again); }'

of data
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
of rto
is tcpRetransBytes out_again_bytes
expect_eq $(($(moved tcpOutDataBytes) + $(moved tcpRetransBytes))) "$(value_of out_bytes)" "$what: bytes sent"
of many
of ip
is ipInCksumErrs bad_checksum
is ipInUnknownProtos unknown
is ipForwDatagrams forwarded
is icmpOutTimeExcds too_old
is icmpOutEchoReps echoes
of ip6
is ipv6OutForwDatagrams forwarded
of synack
of echo
expect_eq "$(moved tcpOutDataBytes)" $(($(value_of client_bytes_out) + $(value_of server_bytes_out))) "$what: bytes sent"
expect_eq "$(moved tcpInDataInorderBytes)" "$(moved tcpOutDataBytes)" "$what: bytes received"
of frags
expect_eq "$(moved ipReasmReqds)" $(($(value_of fragments) + $(value_of broken))) "$what: ipReasmReqds"
is ipFragOKs datagrams
is ipFragCreates fragments
is ipReasmOKs datagrams
is ipReasmFails broken
is ipOutNoRoutes no_route
is tcpTimKeepaliveProbe keepalives
expect_eq "$(moved tcpCurrEstab)" 0 "$what: as many connections end as begin"
of frags6
of waits
[ -z "$slow" ] || expect_ge "$(moved tcpRetransSegs)" 1 "$what: segments sent again"
expect_eq "$(sed -n "s/^resent ${spaces[waits]} //p" "$tmp/out")" "$(sed -n '/[1-9]/p' <<<"$(moved tcpRetransSegs)")" \
	"$what: tcp:::resend"
of messages
is icmpInTimestamps times
is icmpOutTimestampReps times
expect_eq "$(moved icmpInRedirects) $(moved icmpInTimeExcds) $(moved icmpOutParmProbs)" "2 3 4" "$what: as many as were sent"
of messages6
is ipv6IfIcmpInDestUnreachs unreachable
is ipv6IfIcmpInEchos echoes
is ipv6IfIcmpInNeighborSolicits neighbours
is ipv6IfIcmpOutNeighborSolicits neighbours
