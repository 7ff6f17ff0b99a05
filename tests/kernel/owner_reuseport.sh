# Workers with a listener each at one port (SO_REUSEPORT): every segment of a connection, from the SYN on, belongs to the
# worker that then accepts it, and every datagram to the one that reads it. On loopback and a wire, both families.

check() { # WHAT FAMILY
	local key worker client port udp what="$1 $2"
	trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d name=%s sp=%d dp=%d fl=%d st=%d\\n\", probename, args[1]->cs_pid, args[1]->cs_execname,
			    args[4]->tcp_sport, args[4]->tcp_dport, args[4]->tcp_flags, args[3]->tcps_state); }
		tcp:::accept-established /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d sp=%d\\n\", probename, args[1]->cs_pid, args[4]->tcp_sport); }
		udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"udp-%s pid=%d sp=%d dp=%d\\n\", probename, args[1]->cs_pid, args[4]->udp_sport, args[4]->udp_dport); }" \
		reuseport "$2" -n 5 -c 20
	client=$(value_of client) port=$(value_of port) udp=$(value_of datagram_port)
	expect_eq "$(grep -c '^tcp_' "$tmp/trigger") $(grep -c '^udp_' "$tmp/trigger")" "20 20" "$what: connections and datagrams"
	expect_ge "$(grep '^tcp_' "$tmp/trigger" | sed 's/.*=//' | sort -u | wc -l)" 2 "$what: workers that got some"
	while IFS== read -r key worker; do
		expect_eq "$(lines "p !~ /udp/ && (v[\"sp\"] == $port && v[\"dp\"] == ${key#tcp_} && p == \"send\" ||
			v[\"dp\"] == $port && v[\"sp\"] == ${key#tcp_} && p == \"receive\")" | sed 's/.*pid=\([^ ]*\).*fl=\([0-9]*\).*/\1/' |
			sort | uniq -c | awk '{ print ($1 >= 8), $2 }')" "1 $worker" "$what: all segments of the worker's side of ${key#tcp_}"
		expect_count "v[\"pid\"] == $worker && v[\"sp\"] == ${key#tcp_} && p == \"receive\" && v[\"fl\"] == 2" 1 "$what: the SYN"
		expect_count "p == \"accept-established\" && v[\"sp\"] == ${key#tcp_} && v[\"pid\"] == $worker" 1 "$what: accept-established"
	done < <(grep '^tcp_' "$tmp/trigger")
	while IFS== read -r key worker; do
		expect_count "p == \"udp-receive\" && v[\"pid\"] == $worker && v[\"sp\"] == ${key#udp_} && v[\"dp\"] == $udp" 1 "$what: datagram in"
		expect_count "p == \"udp-send\" && v[\"pid\"] == $worker && v[\"dp\"] == ${key#udp_}" 1 "$what: datagram out"
	done < <(grep '^udp_' "$tmp/trigger")
	expect_count "p == \"send\" && v[\"dp\"] == $port && v[\"pid\"] != $client && v[\"st\"] != 6" 0 "$what: the client's segments"
	expect_count "p == \"udp-send\" && v[\"dp\"] == $udp && v[\"pid\"] == $client" 20 "$what: the client's datagrams"
}

netns_new reuse
check lo -4
check lo -6
wire_new reusewire
check wire -4
check wire -6
