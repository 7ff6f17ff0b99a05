# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Packets that are not IP's, at the probes that see all packets: their bytes are not read as IP addresses. A frame of an
# unknown protocol, whose payload would make a good IPv6 header, and a question of ARP.
netns_new a && a=$NETNS na=$NETNS_ID
netns_new b && b=$NETNS nb=$NETNS_ID
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
for end in "$a va 1" "$b vb 2"; do
	read -r ns dev n <<<"$end"
	ip netns exec "$ns" sh -c "echo 1 >/proc/sys/net/ipv6/conf/$dev/disable_ipv6"
	ip -n "$ns" addr add "10.78.4.$n/24" dev "$dev"
	ip -n "$ns" link set "$dev" up
done
tc -n "$a" qdisc add dev va root tbf rate 10mbit burst 16000 limit 90000 || skip "no tbf"
cat >"$tmp/frame.py" <<'END'
import socket
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("va", 0))
out.send(b"\xff" * 6 + b"\x02\0\0\0\0\1" + b"\x88\xb5" + b"\x60\0\0\0\0\x08\x11\x40" + bytes(range(32)) + b"\0" * 60)
ask = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
ask.sendto(b"x", ("10.78.4.2", 9))
END
probes="skb:::drop net:::queue net:::transmit net:::driver-receive net:::receive qdisc:::enqueue qdisc:::dequeue neigh:::request"
clause="${probes// /, } /(args[3]->if_ipstack == $na || args[3]->if_ipstack == $nb) && args[0]->pkt_protocol != 0x800/ {
	printf(\"%s:%s proto=%x ver=%d bytes=%d from=[%s] to=[%s]\\n\", probeprov, probename, args[0]->pkt_protocol, args[2]->ip_ver,
	    args[2]->ip_plength, args[2]->ip_saddr, args[2]->ip_daddr); }"
seen() {
	ip -n "$a" neigh flush dev va
	trace_in "$a" "$clause" python3 "$tmp/frame.py"
	for p in ${probes//:::/:}; do
		[ "$p" != neigh:request ] || continue
		expect_ge "$(count "p == \"$p\" && v[\"proto\"] == \"88b5\"")" 1 "$p: the frame is seen"
	done
	expect_ge "$(count 'p == "neigh:request" && v["proto"] == "806"')" 1 "the question is seen"
	expect_count 'v["ver"] != 0 || v["bytes"] != 0 || v["from"] != "[]" || v["to"] != "[]"' 0 "read as IP: $OUT"
}
measure seen
