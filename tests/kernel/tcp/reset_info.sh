# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# reset-sent and reset-received fire once for each reset, by the kernel's counters; the header of reset-sent is the
# one that arrives; reasons; owners.
netns_new rstinfo

header='printf("%s pid=%d sa=%s da=%s sp=%d dp=%d fl=%d seq=%u ack=%u off=%d win=%d plen=%d lp=%d rp=%d la=%s ra=%s %s\n",
	probename, args[1]->cs_pid, args[2]->ip_saddr, args[2]->ip_daddr, args[4]->tcp_sport, args[4]->tcp_dport,
	args[4]->tcp_flags, args[4]->tcp_seq, args[4]->tcp_ack, args[4]->tcp_offset, args[4]->tcp_window, args[2]->ip_plength,
	args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr'

check() { # WHAT COUNT REASON CODE ACTIVE ERROR TRIGGER…
	local what=$1 n=$2 reason=$3 code=$4 active=$5 error=$6 outs
	shift 6
	since 6.10 || reason= # the kernel tells none
	outs=$(snmp "$NETNS" Tcp OutRsts)
	trace_in "$NETNS" "tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_flags & TH_RST/ { $header, \"\"); }
		tcp:::reset-sent /args[1]->cs_netns == $NETNS_ID/ {
			$header, args[5]->reset_active ? \"active=1\" : \"active=0\");
			printf(\"why reason=%s code=%d\\n\", args[5]->reset_reason, args[5]->reset_code); }
		tcp:::reset-received /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d error=%s code=%d lp=%d\\n\", probename, args[1]->cs_pid, args[5]->reset_reason,
			    args[5]->reset_code, args[3]->tcps_lport); }" "$@"
	expect_count 'p == "reset-sent"' "$n" "$what: resets sent"
	expect_eq $(($(snmp "$NETNS" Tcp OutRsts) - outs)) "$n" "$what: as the kernel counts them"
	expect_count "p == \"why\" && v[\"reason\"] == \"$reason\"" "$n" "$what: the reason is $reason"
	expect_count "p == \"reset-sent\" && v[\"active\"] == $active" "$n" "$what: active"
	expect_count "p == \"reset-received\" && v[\"error\"] == \"$error\" && v[\"code\"] == $code && v[\"pid\"] == $(value_of pid)" \
		"$n" "$what: the error is $error"
	expect_count 'p == "reset-received"' "$n" "$what: resets received"
	# what is sent is what arrives: addresses, ports, flags, numbers, lengths; functions see it before its window is chosen
	local headers='s/.*\( sa=.*plen=[0-9]*\).*/\1/'
	[[ ${DWIRE_TEST_TIER-hooks} = hooks ]] || headers+='; s/ win=[0-9]*//'
	expect_eq "$(lines 'p == "reset-sent"' | sed "$headers" | sort)" "$(lines 'p == "receive"' | sed "$headers" | sort)" \
		"$what: the headers"
	expect_count 'p == "reset-sent" && (v["lp"] != v["sp"] || v["rp"] != v["dp"] || v["la"] != v["sa"] || v["ra"] != v["da"])' \
		0 "$what: the sides of the connection"
	[ "$active" = 0 ] || expect_count "p == \"reset-sent\" && v[\"pid\"] == $(value_of pid)" "$n" "$what: whose"
}

for family in -4 -6; do
	check "$family linger" 2 TCP_STATE 104 1 ECONNRESET tcp_reset "$family" -m linger -n 2
	check "$family unread" 2 TCP_ABORT_ON_CLOSE 104 1 ECONNRESET tcp_reset "$family" -m unread -n 2
	check "$family late" 1 TCP_TIMEWAIT_SOCKET 32 0 EPIPE tcp_reset "$family" -m late -n 1
	check "$family refused" 3 NO_SOCKET 111 0 ECONNREFUSED tcp_refused "$family" -n 3
done

# Resets without a connection are received, once each, and answered by none.
cat >"$tmp/stray" <<-'END'
	import socket, struct
	from packets import checksum
	for family, at in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
	    s = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_TCP)
	    s.connect((at, 0))
	    n = socket.inet_pton(family, at) * 2 + struct.pack("!HH", 6, 20)
	    h = struct.pack("!HHIIBBH", 7, 9, 1, 2, 80, 20, 0)
	    for i in range(3):
	        s.send(h + struct.pack("!HH", checksum(n + h), 0))
END
trace_in "$NETNS" "tcp:::receive, tcp:::reset-sent, tcp:::reset-received, tcp:::accept-refused /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s ver=%d fl=%d sp=%d dp=%d\\n\", probename, args[2]->ip_ver, args[4]->tcp_flags, args[4]->tcp_sport, args[4]->tcp_dport) }" \
	python3 "$tmp/stray"
for family in 4 6; do
	expect_count "p == \"receive\" && v[\"ver\"] == $family && v[\"fl\"] == 20 && v[\"sp\"] == 7 && v[\"dp\"] == 9" 3 "stray resets of IPv$family"
done
expect_count 1 6 "stray resets: nothing else"
