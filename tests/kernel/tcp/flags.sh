# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Flags, one by one: those of a plain connection in their order, ECN's, the urgent pointer.
need python3
netns_new flags

flags() { # PROBE PORT-CONDITION
	values fl "p == \"$1\" && $2" | tr '\n' ' '
}

# SYN 2, SYN|ACK 18, ACK 16, FIN|ACK 17; nothing is in flight at the close
trace_in "$NETNS" "$(segments "$NETNS_ID")" tcp_states -s client
for probe in send receive; do
	expect_eq "$(flags $probe "v[\"dp\"] == $(value_of port)")" "2 16 17 16 " "the client's flags, $probe"
	expect_eq "$(flags $probe "v[\"sp\"] == $(value_of port)")" "18 16 17 " "the server's flags, $probe"
done

# ECN (RFC 3168 6.1.1): SYN with ECE|CWR, SYN|ACK with ECE
ip netns exec "$NETNS" sysctl -q -w net.ipv4.tcp_ecn=1 || skip "no tcp_ecn in a namespace"
trace_in "$NETNS" "
	tcp:::send /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_flags & TH_SYN/ {
		printf(\"syn fl=%d ece=%d cwr=%d\\n\", args[4]->tcp_flags, args[4]->tcp_flags & TH_ECE, args[4]->tcp_flags & TH_CWR) }
	tcp:::receive /args[1]->cs_netns == $NETNS_ID && (args[4]->tcp_flags & (TH_FIN|TH_SYN|TH_RST|TH_PUSH|TH_URG)) == TH_PUSH/ {
		printf(\"data fl=%d\\n\", args[4]->tcp_flags) }" tcp_echo -q -n 1 -c 3
expect_eq "$(lines 'p == "syn"')" "syn fl=194 ece=64 cwr=128
syn fl=82 ece=64 cwr=0" "ECN's handshake"
expect_count 'p == "data" && v["fl"] == 24' 6 "data"

# one urgent byte after three others: the pointer is the number of the byte after it, from the segment's start
cat >"$tmp/urgent" <<-'END'
	import socket
	listener = socket.create_server(("127.0.0.1", 0))
	client = socket.create_connection(listener.getsockname())
	server, _ = listener.accept()
	client.send(b"abc!", socket.MSG_OOB)
	server.recv(3)
	client.close()
	server.close()
END
trace_in "$NETNS" "
	tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_flags & TH_URG/ {
		printf(\"%s fl=%d urg=%d len=%d hdr=%d\\n\", probename, args[4]->tcp_flags, args[4]->tcp_urgent,
		    args[2]->ip_plength - args[4]->tcp_offset, ntohs(args[4]->tcp_hdr->urg_ptr)) }
	tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && !(args[4]->tcp_flags & TH_URG) && args[4]->tcp_urgent != 0/ {
		printf(\"wrong\\n\") }" python3 "$tmp/urgent"
expect_eq "$OUT" "send fl=56 urg=4 len=4 hdr=4
receive fl=56 urg=4 len=4 hdr=4" "the urgent segment"
