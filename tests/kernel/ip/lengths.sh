# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Packets whose headers tell a length that cannot be: shorter than the header itself. No length is less than 0, and none
# wraps to four thousand millions. Any host on the link can send such packets.
need python3
wire_new lengths
cat >"$tmp/send.py" <<'E2'
import socket, struct, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((sys.argv[1], 0))
mac = bytes.fromhex(sys.argv[2].replace(":", ""))
def send(proto, packet):
    s.send(mac + b"\2\0\0\0\0\1" + struct.pack("!H", proto) + packet + bytes(60 - 14 - len(packet)))
def ip4(length, last, proto=17, ihl=5):
    return struct.pack("!BBHHHBBH4s4s", 0x40 | ihl, 0, length, 7, 0, 64, proto, 0, bytes([192, 0, 2, last]), bytes([192, 0, 2, 9]))
send(0x0800, ip4(10, 1))
send(0x0800, ip4(0, 2, ihl=15))
send(0x0800, ip4(20, 3))
send(0x0800, ip4(24, 4))
send(0x0800, ip4(8, 5, proto=1) + struct.pack("!BBHI", 8, 0, 0, 0))
send(0x86dd, struct.pack("!IHBB", 6 << 28, 0, 17, 64) + socket.inet_pton(10, "2001:db8::1") + socket.inet_pton(10, "2001:db8::9"))
E2
mac=$(ip -n "$NETNS" -br link show vb | awk '{ print $3 }')

# 46 bytes that the frame carries are all that a length of 0 may mean; the header of the second says 60.
trace_in "$NETNS" "ip:::receive, ip:::drop /args[3]->if_ipstack == $NETNS_ID && strstr(args[2]->ip_saddr, \"192.0.2.\") != NULL/ {
	printf(\"%s %s %d\n\", probename, args[2]->ip_saddr, args[2]->ip_plength); }
ip:::receive /args[3]->if_ipstack == $NETNS_ID && args[2]->ip_saddr == \"2001:db8::1\"/ {
	printf(\"%s %s %d\n\", probename, args[2]->ip_saddr, args[2]->ip_plength); }
net:::receive, net:::queue /args[3]->if_ipstack == $NETNS_ID && strstr(args[2]->ip_saddr, \"192.0.2.\") != NULL/ {
	printf(\"net-%s %s %d\n\", probename, args[2]->ip_saddr, args[2]->ip_plength); }
icmp:::receive /args[3]->if_ipstack == $NETNS_ID && args[2]->ip_saddr == \"192.0.2.5\"/ {
	printf(\"icmp %s %d %d\n\", args[2]->ip_saddr, args[2]->ip_plength, args[4]->icmp_length); }" \
	python3 "$tmp/send.py" va "$mac"
expect_eq "$(grep "^receive 192" <<<"$OUT")" "receive 192.0.2.1 0
receive 192.0.2.2 0
receive 192.0.2.3 0
receive 192.0.2.4 4
receive 192.0.2.5 0" "packets that IP receives"
# IP has cut off what lies beyond the length, before a program of netfilter sees the packet.
expect_eq "$(grep "^receive 2001" <<<"$OUT")" "receive 2001:db8::1 0" "a packet of IPv6 without a length"
expect_eq "$(grep "^drop" <<<"$OUT" | sort -u | grep '\.[125] ')" "drop 192.0.2.1 0
drop 192.0.2.2 0
drop 192.0.2.5 0" "packets that are thrown away"
expect_eq "$(grep "^net-receive 192.0.2.[1235] " <<<"$OUT" | awk '{ print $3 }' | sort -u)" 0 "packets that a device delivers"
expect_eq "$(grep "^icmp" <<<"$OUT")" "" "a message of ICMP in such a packet, which IP throws away"
