# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Losses, drops, closed windows, full listeners, congestion: each probe against what a scripted peer (tun_tcp) did
# and saw on the wire, and against the kernel's counters.
# timeout: 120
netns_new events

clause="tcp:::retransmit /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s kind=%s segs=%d bytes=%d pid=%d rp=%d ends=%d,%s:%d,%s len=%d\\n\", probename, args[5]->rt_kind,
	    args[5]->rt_segs, args[5]->rt_bytes, args[1]->cs_pid, args[4]->tcp_dport, args[2]->ip_ver, args[2]->ip_saddr,
	    args[4]->tcp_sport, args[2]->ip_daddr, args[2]->ip_plength - args[4]->tcp_offset); }
tcp:::resend /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s kind=%s segs=%d bytes=%d pid=%d rp=%d ends=%d,%s:%d,%s\n\", probename, args[5]->re_kind,
	    args[5]->re_segs, args[5]->re_bytes, args[1]->cs_pid, args[5]->re_rport, args[5]->re_ver, args[5]->re_laddr,
	    args[5]->re_lport, args[5]->re_raddr); }
tcp:::drop /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s reason=%s in=%d pid=%d st=%d len=%d fl=%d rp=%d ack=%u\\n\", probename, args[5]->drop_reason, args[5]->drop_in,
	    args[1]->cs_pid, args[3]->tcps_state, args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_flags,
	    args[3]->tcps_rport, args[4]->tcp_ack); }
tcp:::debug-drop /args[0]->tcps_laddr == \"10.214.0.1\" || args[0]->tcps_laddr == \"fd00:d:2::1\"/ {
	printf(\"debug-drop len=%d seq=%d ack=%u\\n\", args[2]->ip_plength - args[1]->tcp_offset, args[1]->tcp_seq,
	    args[1]->tcp_ack); }
tcp:::congestion-state, tcp:::cwnd-reduced, tcp:::rto /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s old=%s new=%s pid=%d at=%d\\n\", probename, args[5]->ca_oldname, args[5]->ca_name, args[1]->cs_pid,
	    args[3]->tcps_ca_state == args[5]->ca_oldstate); }
tcp:::zero-window-sent, tcp:::zero-window-received, tcp:::listen-drop, tcp:::listen-overflow
/args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s pid=%d fl=%d rp=%d\\n\", probename, args[1]->cs_pid, args[4]->tcp_flags, args[3]->tcps_rport); }
tcp:::reset-received, tcp:::reset-sent /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s pid=%d reason=%s\\n\", probename, args[1]->cs_pid, args[5]->reset_reason); }
tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s again=%d\\n\", probename, args[3]->tcps_retransmit); }"

read_counters() { # NAME=VALUE
	ip netns exec "$NETNS" cat /proc/net/snmp /proc/net/netstat | awk '
		$1 == group { for (i = 2; i <= NF; i++) if (name[i] ~ /^(RetransSegs|OutRsts|ListenOverflows|ListenDrops|TCPTimeouts|TCPLossProbes)$/)
			print name[i] "=" $i; group = ""; next }
		{ group = $1; split($0, name) }'
}
moved() { # NAME: by how much the kernel's counter moved
	echo $(($(sed -n "s/^$1=//p" "$tmp/after") - $(sed -n "s/^$1=//p" "$tmp/before")))
}

# The last ACK of a handshake that meets a full queue: before Linux 6.13 no hook sees it, but a function does. Hooks are
# what is taken by itself since 6.2.
acks_seen() {
	since 6.13 || ! since 6.2 || [ "${DWIRE_TEST_TIER:-hooks}" != hooks ]
}

run() { # FAMILY MODE: what is the same in all modes
	read_counters >"$tmp/before"
	trace_in "$NETNS" "$clause" tun_tcp "$1" -m "$2"
	read_counters >"$tmp/after"
	pid=$(value_of pid) what="$1 $2"
	local unseen=0
	acks_seen || [ "$2" != listen ] || unseen=$(($(value_of overflows) - $(value_of overflow_syns)))
	expect_total segs 'p == "retransmit"' "$(moved RetransSegs)" "$what: segments sent again, as the kernel counts"
	expect_count 'p == "retransmit"' "$(value_of out_again)" "$what: as they are on the wire"
	expect_total bytes 'p == "retransmit"' "$(value_of out_again_bytes)" "$what: their bytes"
	expect_count 'p == "retransmit" && v["bytes"] != v["len"]' 0 "$what: header and buffer"
	expect_eq "$(lines 'p == "resend"' | sed 's/^resend //')" "$(lines 'p == "retransmit"' | sed 's/^retransmit //; s/ len=.*//')" \
		"$what: what the sockets sent again"
	expect_count 'p == "reset-sent"' "$(moved OutRsts)" "$what: resets sent"
	expect_count 'p == "zero-window-sent"' "$(value_of out_zero)" "$what: closed windows that were told"
	expect_count 'p == "listen-overflow"' "$(($(moved ListenOverflows) - unseen))" "$what: overflows"
	expect_count 'p == "listen-drop"' "$(($(moved ListenDrops) - unseen))" "$what: drops of the listener"
	expect_count 'p == "receive" && v["again"]' 0 "$what: what is received was not sent again"
}

kinds() { # KIND N
	expect_count "p == \"retransmit\" && v[\"kind\"] == \"$1\" && v[\"pid\"] == ${3-$pid}" "$2" "$what: $1"
	expect_count 'p == "retransmit"' "$2" "$what: no other kind"
}

ca() { # the congestion states that were passed
	expect_eq "$(lines 'p == "congestion-state"' | sed 's/.*old=\(.*\) new=\(.*\) pid=.*/\1>\2/' | tr '\n' ' ')" "$1" \
		"$what: congestion states"
	expect_count 'p == "cwnd-reduced"' "$2" "$what: reductions"
	expect_count "v[\"old\"] != \"\" && (v[\"pid\"] != $pid || !v[\"at\"])" 0 "$what: whose congestion"
}

drops() { # of the modes without other drops: "REASON LENGTH" lines; before Linux 6.11 they have no namespace
	since 6.11 || return 0
	expect_eq "$(lines 'p == "drop" && v["in"]' | sed 's/.*reason=\([^ ]*\) .* len=\([0-9]*\) .*/\1 \2/')" "$1" "$what: drops"
	# those have no namespace: by what they acknowledge, a number that the kernel chose
	local ours
	ours=" $(values ack 'p == "drop"' | tr '\n' ' ')"
	expect_eq "$(values len "p == \"debug-drop\" && index(\"$ours\", \" \" v[\"ack\"] \" \")")" \
		"$(values len 'p == "drop"')" "$what: debug-drop"
}

overflow=TCP_LISTEN_OVERFLOW
since 6.13 || overflow=NOT_SPECIFIED
for family in -4 -6; do
	run $family data
	kinds none 0
	ca "" 0
	drops $'TCP_OLD_DATA 100\nTCP_OLD_DATA 200\nTCP_CSUM 50\nTCP_INVALID_SEQUENCE 10'
	! since 6.11 || expect_count "p == \"drop\" && v[\"reason\"] == \"TCP_OLD_DATA\" && v[\"pid\"] == $pid && v[\"st\"] == 1" 2 "$what: whose drops"
	expect_count "p == \"zero-window-received\" && v[\"pid\"] == $pid" "$(value_of zero_in)" "$what: closed windows received"

	run $family tlp
	kinds tlp "$(moved TCPLossProbes)"
	expect_count 'p == "send" && v["again"]' "$(value_of total_retrans)" "$what: tcps_retransmit"
	expect_count 'p == "rto"' 0 "$what: no timeout"

	run $family rto
	kinds rto "$(value_of total_retrans)"
	expect_count "p == \"rto\" && v[\"pid\"] == $pid" "$(moved TCPTimeouts)" "$what: timeouts"
	ca "open>loss " 1

	run $family fast
	kinds fast "$(value_of total_retrans)"
	expect_count 'p == "rto"' 0 "$what: no timeout"
	ca "open>recovery recovery>open " 1

	run $family zero
	expect_ge "$(count "p == \"zero-window-sent\" && v[\"pid\"] == $pid")" 2 "$what: the window is announced when it closes, and when asked"

	run $family listen
	! acks_seen || expect_count 'p == "listen-overflow"' "$(value_of overflows)" "$what: what the peer was denied"
	expect_count "p == \"listen-overflow\" && v[\"pid\"] == $pid && v[\"fl\"] == 2 && v[\"rp\"] >= 4110" \
		"$(value_of overflow_syns)" "$what: SYNs"
	! acks_seen ||
		expect_count "p == \"listen-overflow\" && v[\"pid\"] == $pid && v[\"fl\"] == 16 && v[\"rp\"] == 4100" 1 "$what: an ACK"
	drops "$overflow 0"

	run $family abort
	expect_count "p == \"reset-received\" && v[\"pid\"] == $pid" "$(value_of resets_taken)" "$what: resets taken"
	! since 6.11 || expect_count "p == \"drop\" && v[\"reason\"] == \"TCP_RESET\" && v[\"rp\"] == 4000" 1 "$what: the reset that is taken"
done

for family in -4 -6; do
	run $family synack
	kinds syn-ack 1
done
run -6 syn
kinds syn "$(moved RetransSegs)"
expect_count "p == \"rto\" && v[\"pid\"] == $pid" "$(moved TCPTimeouts)" "$what: timeouts"
expect_count 'p == "reset-received" && v["reason"] == "ECONNREFUSED"' 1 "$what: the end"

# A reset in each state: of whom, and with what error for the process
for family in -4 -6; do
	trace_in "$NETNS" "tcp:::reset-received /args[1]->cs_netns == $NETNS_ID/ {
		printf(\"%s pid=%d st=%d code=%d\\n\", probename, args[1]->cs_pid, args[3]->tcps_state, args[5]->reset_code); }
	tcp:::receive /args[1]->cs_netns == $NETNS_ID && (args[4]->tcp_flags & TH_RST)/ {
		printf(\"%s pid=%d st=%d\\n\", probename, args[1]->cs_pid, args[3]->tcps_state); }
	tcp:::state-change /args[1]->cs_netns == $NETNS_ID && args[3]->tcps_state == TCP_STATE_CLOSED && args[5]->tcps_state != TCP_STATE_LISTEN/ {
		printf(\"%s pid=%d st=%d\\n\", probename, args[1]->cs_pid, args[5]->tcps_state); }" tun_tcp $family -m states
	pid=$(value_of pid)
	for p in reset-received receive state-change; do
		expect_eq "$(values st "p == \"$p\" && v[\"pid\"] == $pid" | tr '\n' ',')" "$(value_of states)," "$family: $p: resets by state"
	done
	expect_eq "$(values code 'p == "reset-received"' | tr '\n' ',')" 104,32,104,104,104,104,111, "$family: errors"
done
