# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Datagrams against the trigger's counts: connected and not, both families; udpsinfo_t, udpinfo_t, owners.
netns_new udp

check() { # ADDRESS ANY OPTIONS…
	local addr=$1 any=$2 port cport client server
	shift 2
	trace_in "$NETNS" "udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
		printf(\"%s pid=%d name=%s cid=%d ver=%d plen=%d len=%d sp=%d dp=%d sum=%d hsum=%d sa=%s da=%s la=%s lp=%d ra=%s rp=%d addr=%d pkt=%d\\n\",
		    probename, args[1]->cs_pid, args[1]->cs_execname, args[1]->cs_cid, args[2]->ip_ver, args[2]->ip_plength,
		    args[4]->udp_length, args[4]->udp_sport, args[4]->udp_dport, args[4]->udp_checksum,
		    ntohs(args[4]->udp_hdr->check), args[2]->ip_saddr, args[2]->ip_daddr, args[3]->udps_laddr,
		    args[3]->udps_lport, args[3]->udps_raddr, args[3]->udps_rport, args[3]->udps_addr == args[1]->cs_addr,
		    args[0]->pkt_addr != 0) }" \
		udp_echo "$@"
	port=$(value_of port) cport=$(value_of client_port)
	client="v[\"pid\"] == $(value_of client_pid) && v[\"name\"] == \"dw_udp_client\" && v[\"lp\"] == $cport"
	server="v[\"pid\"] == $(value_of server_pid) && v[\"name\"] == \"dw_udp_server\" && v[\"lp\"] == $port"
	local out="v[\"sp\"] == $cport && v[\"dp\"] == $port" back="v[\"sp\"] == $port && v[\"dp\"] == $cport"
	expect_count "p == \"send\" && $client && $out" "$(value_of client_datagrams_out)" "$*: the client's datagrams out"
	expect_count "p == \"receive\" && $client && $back" "$(value_of client_datagrams_in)" "$*: the client's in"
	expect_count "p == \"send\" && $server && $back" "$(value_of server_datagrams_out)" "$*: the server's out"
	expect_count "p == \"receive\" && $server && $out" "$(value_of server_datagrams_in)" "$*: the server's in"
	expect_count 1 $((2 * ($(value_of client_datagrams_out) + $(value_of server_datagrams_out)))) "$*: no others"
	over_lines '{ v["plen"] == v["len"] && n++; s[p " " v["pid"]] += v["len"] - 8 }
		END { print n + 0; for (i in s) print i, s[i] }' | sort >"$tmp/got"
	expect_eq "$(<"$tmp/got")" "$(printf '%s\n' "$(count 1)" "send $(value_of client_pid) $(value_of client_bytes_out)" \
		"receive $(value_of client_pid) $(value_of client_bytes_in)" "send $(value_of server_pid) $(value_of server_bytes_out)" \
		"receive $(value_of server_pid) $(value_of server_bytes_in)" | sort)" "$*: lengths"
	expect_count "v[\"sa\"] != \"$addr\" || v[\"da\"] != \"$addr\" || v[\"ver\"] != $([ "$1" = -6 ] && echo 6 || echo 4)" 0 \
		"$*: addresses"
	expect_count 'v["addr"] != 1 || v["pkt"] != 1 || v["sum"] != v["hsum"]' 0 "$*: the socket and the packet"
	expect_eq "$(values cid 1 | sort -u | wc -l)" 2 "$*: one id a socket"
	# what the sockets are connected to
	if [ "$any" = connected ]; then
		expect_count "$client && v[\"ra\"] == \"$addr\" && v[\"rp\"] == $port && v[\"la\"] == \"$addr\"" \
			"$(count "$client")" "$*: the client is connected"
		expect_count "$server && v[\"ra\"] == \"$addr\" && v[\"rp\"] == $cport && v[\"la\"] == \"$addr\" && p == \"send\"" \
			"$(value_of server_datagrams_out)" "$*: the server is connected when it answers"
	else
		expect_count "$client && (v[\"rp\"] != 0 || v[\"ra\"] != \"$any\")" 0 "$*: the client is not connected"
		expect_count "$server && (v[\"rp\"] != 0 || v[\"ra\"] != \"$any\" || v[\"la\"] != \"$addr\")" 0 "$*: nor the server"
	fi
}

check 127.0.0.1 0.0.0.0 -4 -n 5 -k 33
check 127.0.0.1 connected -4 -n 3 -c -k 1
check ::1 :: -6 -n 4 -k 1200
check ::1 connected -6 -n 2 -c

# Nobody listens: one datagram out, none received by UDP.
trace_in "$NETNS" "udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"%s pid=%d dp=%d len=%d\\n\", probename, args[1]->cs_pid, args[4]->udp_dport, args[4]->udp_length) }" \
	"$BASH" -c 'echo pid=$$; echo hello >/dev/udp/127.0.0.1/9'
expect_eq "$OUT" "send pid=$(value_of pid) dp=9 len=14" "a datagram for a closed port"

# ... and the one that comes has no socket: the packet tells whose port it is.
trace_in "$NETNS" "udp:::no-port /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"la=%s lp=%d ra=%s rp=%d\n\", args[3]->udps_laddr, args[3]->udps_lport, args[3]->udps_raddr,
	    args[3]->udps_rport == args[4]->udp_sport) }" "$BASH" -c 'echo hello >/dev/udp/127.0.0.2/9'
expect_eq "$OUT" "la=127.0.0.2 lp=9 ra=127.0.0.1 rp=1" "a closed port's datagram"
