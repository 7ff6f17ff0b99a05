# SPDX-License-Identifier: GPL-2.0-or-later
# What the announcement of the TCP and UDP providers shows: bytes by zone, process and connection, without traffic
# that has no owner; multicast by the text of the address.
dwire_opts=("${tier_opts[@]}")

trace_with '
tcp:::send
/ args[1]->cs_pid != -1 /
{
 	@out[args[1]->cs_zoneid, args[1]->cs_pid, args[2]->ip_saddr,
            args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport] =
            sum(args[2]->ip_plength - args[4]->tcp_offset);
}' tcp_echo -4 -n 1 -c 3 -k 1234
port=$(value_of port) cport=$(value_of client_port_first)
rows() {
	tr -s ' ' <<<"$OUT" | sed 's/^ //' | grep " $port "
}
expect_eq "$(rows | grep "^0 $(value_of client_pid) ")" \
	"0 $(value_of client_pid) 127.0.0.1 $cport 127.0.0.1 $port $(value_of client_bytes_out)" "the client's bytes"
expect_eq "$(rows | grep "^0 $(value_of server_pid) ")" \
	"0 $(value_of server_pid) 127.0.0.1 $port 127.0.0.1 $cport $(value_of server_bytes_out)" "the server's bytes"
expect_eq "$(rows | wc -l)" 2 "and nobody else's"

# a connection to a closed port: SYN of the process, reset of nobody, each sent and received
dwire_opts=(-q "${tier_opts[@]}")
trace_with 'tcp:::send { printf("%d -> %d %d\n", args[1]->cs_pid, args[4]->tcp_dport, args[4]->tcp_flags); }
	tcp:::receive { printf("%d <- %d %d\n", args[1]->cs_pid, args[4]->tcp_dport, args[4]->tcp_flags); }' tcp_refused -4
pid=$(value_of pid) port=$(value_of port) cport=$(value_of first_port)
expect_eq "$(grep -E " ($port|$cport) " <<<"$OUT")" "$pid -> $port 2
-1 <- $port 2
-1 -> $cport 20
$pid <- $cport 20" "the four lines of a refused connection"

netns_new multicast
ip -n "$NETNS" route add 224.0.0.0/4 dev lo
cat >"$tmp/traffic" <<-'END'
	echo pid=$$
	for to in 224.0.0.251 127.0.0.1 239.255.1.2 127.0.0.2; do echo hello >/dev/udp/$to/9; done
END
trace_in "$NETNS" "udp:::send
/ args[1]->cs_netns == $NETNS_ID &&"' args[2]->ip_daddr >= "224." && args[2]->ip_daddr < "240." /
{ printf("%s %d\n", args[2]->ip_daddr, args[1]->cs_pid); }' "$BASH" "$tmp/traffic"
expect_eq "$OUT" "224.0.0.251 $(value_of pid)
239.255.1.2 $(value_of pid)" "multicast datagrams"
