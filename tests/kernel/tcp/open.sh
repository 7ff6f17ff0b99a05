# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# connect-request, connect-established and accept-established: once for each connection, each with its segment.
netns_new open

check() { # LOCAL-ADDRESS-OF-THE-SERVER CLIENT OPTIONS…
	local la=$1 ra=$2 port n client server
	shift 2
	trace_in "$NETNS" "tcp:::connect-request, tcp:::connect-established, tcp:::accept-established
		/args[1]->cs_netns == $NETNS_ID/ {
		printf(\"%s cid=%d pid=%d name=%s sp=%d dp=%d fl=%d seq=%d ack=%d off=%d len=%d st=%d act=%d local=%d la=%s lp=%d ra=%s rp=%d sa=%s da=%s iss=%d\\n\",
		    probename, args[1]->cs_cid, args[1]->cs_pid, args[1]->cs_execname, args[4]->tcp_sport, args[4]->tcp_dport,
		    args[4]->tcp_flags, args[4]->tcp_seq, args[4]->tcp_ack, args[4]->tcp_offset,
		    args[2]->ip_plength - args[4]->tcp_offset, args[3]->tcps_state, args[3]->tcps_active, args[3]->tcps_local,
		    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, args[2]->ip_saddr,
		    args[2]->ip_daddr, args[3]->tcps_iss) }" \
		tcp_echo -q "$@"
	port=$(value_of port) n=$(value_of client_connections) client=$(value_of client_pid) server=$(value_of server_pid)
	local mine="v[\"pid\"] == $client && v[\"name\"] == \"dw_client\" && v[\"act\"] == 1 && v[\"rp\"] == $port"
	expect_count 1 $((3 * n)) "$*: events"
	expect_count "p == \"connect-request\" && $mine && v[\"fl\"] == 2 && v[\"ack\"] == 0 && v[\"len\"] == 0 &&
		v[\"dp\"] == $port && v[\"sp\"] == v[\"lp\"] && v[\"st\"] == 2 && v[\"off\"] == 40 &&
		v[\"seq\"] == v[\"iss\"] && v[\"local\"] == 1" "$n" "$*: requests"
	expect_count "p == \"connect-established\" && $mine && v[\"fl\"] == 18 && v[\"len\"] == 0 && v[\"sp\"] == $port &&
		v[\"dp\"] == v[\"lp\"] && v[\"st\"] == 1 && v[\"off\"] == 40 && v[\"local\"] == 1" "$n" "$*: established"
	expect_count "p == \"accept-established\" && v[\"pid\"] == $server && v[\"name\"] == \"dw_server\" &&
		v[\"act\"] == 0 && v[\"fl\"] == 16 && v[\"len\"] == 0 && v[\"lp\"] == $port && v[\"dp\"] == $port &&
		v[\"rp\"] == v[\"sp\"] && v[\"st\"] == 1 && v[\"off\"] == 32 && v[\"local\"] == 1 &&
		v[\"la\"] == \"$la\" && v[\"ra\"] == \"$ra\"" "$n" "$*: accepted"
	# the three segments of a handshake acknowledge each other, on the same ports, and each side keeps its id, which no
	# other has: unless it is an address, for lack of cookies, and comes again
	over_lines '
		p == "connect-request" { seq[v["sp"]] = v["seq"]; cid[v["sp"]] = v["cid"] }
		p == "connect-established" { syn[v["dp"]] = v["seq"]
			if (v["ack"] == (seq[v["dp"]] + 1) % 4294967296 && v["cid"] == cid[v["dp"]]) good++ }
		p == "accept-established" { last[v["sp"]] = 1
			if (v["seq"] == (seq[v["sp"]] + 1) % 4294967296 && v["ack"] == (syn[v["sp"]] + 1) % 4294967296 &&
			    v["iss"] == syn[v["sp"]] && (!(v["cid"] in ids) || v["cid"] > 2 ^ 63)) good++
			ids[v["cid"]] = 1 }
		END { for (i in last) ports++; print good + 0, ports + 0 }' >"$tmp/good"
	expect_eq "$(<"$tmp/good")" "$((2 * n)) $n" "$*: handshakes that fit"
	expect_eq "$(values lp 'p == "connect-request"' | head -n 1)" "$(value_of client_port_first)" "$*: the first port"
	expect_eq "$(values lp 'p == "connect-request"' | tail -n 1)" "$(value_of client_port_last)" "$*: the last port"
}

check 127.0.0.1 127.0.0.1 -4 -n 3
check ::1 ::1 -6 -n 3
check 127.0.0.1 127.0.0.1 -m -n 2
