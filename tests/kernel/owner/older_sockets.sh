# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Sockets that are older than the trace have owners: TCP and UDP, both sides.
netns_new old

check() { # FAMILY
	local client server k n
	start_waiting ip netns exec "$NETNS" old_socket "$1" -c 4 -k 250
	trace_waiting "
	tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
		printf(\"tcp-%s pid=%d name=%s uid=%d len=%d sp=%d dp=%d seq=%d\\n\", probename, args[1]->cs_pid, args[1]->cs_execname,
		    args[1]->cs_uid, args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_sport, args[4]->tcp_dport,
		    args[4]->tcp_seq) }
	udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
		printf(\"udp-%s pid=%d name=%s uid=%d len=%d sp=%d dp=%d\\n\", probename, args[1]->cs_pid, args[1]->cs_execname,
		    args[1]->cs_uid, args[4]->udp_length - 8, args[4]->udp_sport, args[4]->udp_dport) }"
	! slow_machine || OUT=$(awk '!/^tcp/ || !seen[$0]++' <<<"$OUT") # bytes that TCP sends again
	local client="v[\"pid\"] == $(value_of client_pid) && v[\"name\"] == \"$(value_of client_name)\" && v[\"uid\"] == 0"
	local server="v[\"pid\"] == $(value_of server_pid) && v[\"name\"] == \"$(value_of server_name)\" && v[\"uid\"] == 0"
	local port udp
	port=$(value_of port) udp=$(value_of udp_port)
	for way in send receive; do
		expect_total len "p == \"tcp-$way\" && $client" "$(value_of tcp_bytes)" "$1: the client's bytes, tcp $way"
		expect_total len "p == \"tcp-$way\" && $server" "$(value_of tcp_bytes)" "$1: the server's bytes, tcp $way"
		expect_total len "p == \"udp-$way\" && $client" "$(value_of udp_bytes)" "$1: the client's bytes, udp $way"
		expect_total len "p == \"udp-$way\" && $server" "$(value_of udp_bytes)" "$1: the server's bytes, udp $way"
		expect_count "p == \"udp-$way\" && $client" "$(value_of udp_datagrams)" "$1: the client's datagrams, $way"
		expect_count "p == \"udp-$way\" && $server" "$(value_of udp_datagrams)" "$1: the server's datagrams, $way"
	done
	expect_count "p == \"tcp-send\" && $client && v[\"sp\"] != $(value_of client_port)" 0 "$1: the client's port"
	expect_count "p == \"tcp-send\" && $server && v[\"sp\"] != $port" 0 "$1: the server's port"
	expect_count "p == \"udp-send\" && $client && (v[\"sp\"] != $(value_of udp_client_port) || v[\"dp\"] != $udp)" 0 \
		"$1: the client's UDP ports"
	expect_count "!($client) && !($server)" 0 "$1: strangers"
}

check -4
check -6
