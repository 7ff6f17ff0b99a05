# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A port where nobody listens: both sides of the refusal, and no process on the refusing side.
netns_new refused

check() { # FAMILY ADDRESS
	local port pid n
	trace_in "$NETNS" "$(segments "$NETNS_ID")
		tcp:::connect-request, tcp:::connect-refused, tcp:::accept-refused, tcp:::connect-established,
		tcp:::accept-established
		/args[1]->cs_netns == $NETNS_ID/ {
		printf(\"%s pid=%d cid=%d sa=%s da=%s sp=%d dp=%d fl=%d len=%d seq=%d ack=%d st=%d la=%s ra=%s lp=%d rp=%d\\n\",
		    probename, args[1]->cs_pid, args[1]->cs_cid, args[2]->ip_saddr, args[2]->ip_daddr, args[4]->tcp_sport,
		    args[4]->tcp_dport, args[4]->tcp_flags, args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_seq,
		    args[4]->tcp_ack, args[3]->tcps_state, args[3]->tcps_laddr, args[3]->tcps_raddr, args[3]->tcps_lport,
		    args[3]->tcps_rport) }" \
		tcp_refused "$1" -n 3
	port=$(value_of port) pid=$(value_of pid) n=$(value_of refused)
	local ends="v[\"sa\"] == \"$2\" && v[\"da\"] == \"$2\" && v[\"len\"] == 0"
	local out="v[\"dp\"] == $port && v[\"sp\"] != $port && v[\"fl\"] == 2 && $ends"
	local back="v[\"sp\"] == $port && v[\"dp\"] != $port && v[\"fl\"] == 20 && $ends"
	expect_count "p == \"send\" && v[\"pid\"] == $pid && v[\"st\"] == 2 && $out" "$(value_of segs_syn)" "$1: SYNs sent"
	expect_count "p == \"receive\" && v[\"pid\"] == -1 && v[\"st\"] == 7 && $out" "$(value_of segs_syn)" "$1: SYNs received"
	expect_count "p == \"send\" && v[\"pid\"] == -1 && v[\"cid\"] == 0 && $back" "$(value_of segs_rst)" "$1: resets sent"
	expect_count "p == \"receive\" && v[\"pid\"] == $pid && v[\"st\"] == 2 && $back" "$(value_of segs_rst)" \
		"$1: resets received"
	expect_count "p == \"connect-request\" && v[\"pid\"] == $pid && $out" "$n" "$1: requests"
	expect_count "p == \"connect-refused\" && v[\"pid\"] == $pid && $back && v[\"lp\"] == v[\"dp\"] && v[\"rp\"] == $port" \
		"$n" "$1: connect-refused"
	expect_count "p == \"accept-refused\" && v[\"pid\"] == -1 && $back && v[\"lp\"] == $port && v[\"rp\"] == v[\"dp\"] &&
		v[\"la\"] == \"$2\" && v[\"ra\"] == \"$2\" && v[\"seq\"] == 0" "$n" "$1: accept-refused"
	expect_count 1 $((7 * n)) "$1: no others"
	# the header that accept-refused tells is the one that connect-refused gets
	expect_eq "$(lines 'p == "accept-refused"' | sed 's/.*\( sa=.* ack=[0-9]*\) .*/\1/')" \
		"$(lines 'p == "connect-refused"' | sed 's/.*\( sa=.* ack=[0-9]*\) .*/\1/')" "$1: the resets' headers"
	expect_eq "$(values dp 'p == "accept-refused"' | head -n 1)" "$(value_of first_port)" "$1: the first port"
	expect_eq "$(values dp 'p == "accept-refused"' | tail -n 1)" "$(value_of last_port)" "$1: the last port"
}

check -4 127.0.0.1
check -6 ::1
