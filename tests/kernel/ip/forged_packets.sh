# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Packets with false contents: ICMP errors with nothing, or only the header, of the packet they are about; DNS
# messages without a question; queries from the servers' port. Nothing is shown that is not in the packet.
need python3
need_traced icmp:::send,icmp:::receive,dns:::query
netns_new lies
cat >"$tmp/icmp.py" <<'E2'
import socket, struct
from packets import checksum
def say(rest, kind=3, code=3):
    data = struct.pack("!BBHI", kind, code, 0, 0) + rest
    data = data[:2] + struct.pack("!H", checksum(data)) + data[4:]
    socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).sendto(data, ("127.0.0.1", 0))
inner = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 1, 0, 64, 17, 0, bytes([10, 1, 2, 3]), bytes([10, 4, 5, 6]))
say(b"")
say(inner[:12])
say(inner)
say(inner + struct.pack("!HHHH", 1111, 2222, 8, 0))
E2
trace_in "$NETNS" "icmp::: /args[3]->if_ipstack == $NETNS_ID/ {
	printf(\"%s %s err=%d %s %s>%s %d>%d\n\", probename, args[4]->icmp_typestr, args[4]->icmp_error, args[4]->icmp_iprotostr,
	    args[4]->icmp_isaddr, args[4]->icmp_idaddr, args[4]->icmp_isport, args[4]->icmp_idport); }" python3 "$tmp/icmp.py"
for probe in send receive; do
	diff -u - <(grep "^$probe" <<<"$OUT") <<END || fail "ICMP errors: $probe"
$probe unreachable err=0  > 0>0
$probe unreachable err=0  > 0>0
$probe unreachable err=1 UDP 10.1.2.3>10.4.5.6 0>0
$probe unreachable err=1 UDP 10.1.2.3>10.4.5.6 1111>2222
END
done

cat >"$tmp/dns.py" <<'E2'
import socket, struct
def bound(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((address, 53))
    return s
client, server = bound("127.0.0.1"), bound("127.0.0.2")
name = b"\3www\7example\0" + struct.pack("!HH", 28, 1)
for header, rest in ((1, 0x0100, 1, 0), name), ((2, 0x0100, 0, 1), name):  # one question; none, but an answer
    client.sendto(struct.pack("!HHHHHH", *header, 0, 0) + rest, ("127.0.0.2", 53))
    server.recv(512)
    server.sendto(struct.pack("!HHHHHH", header[0], 0x8180, *header[2:], 0, 0) + rest, ("127.0.0.1", 53))
    client.recv(512)
E2
trace_in "$NETNS" "dns::: /args[1]->cs_netns == $NETNS_ID && args[4]->dns_recv/ {
	printf(\"%s %d %s %s>%s '%s' %s %d %d\n\", probename, args[4]->dns_id, args[4]->dns_rcodestr, args[4]->dns_client, args[4]->dns_server,
	    args[4]->dns_name, args[4]->dns_typestr, args[4]->dns_class, args[4]->dns_time != 0); }" python3 "$tmp/dns.py"
diff -u - <(grep . <<<"$OUT") <<END || fail "DNS"
query 1 NOERROR 127.0.0.1>127.0.0.2 'www.example' AAAA 1 0
response 1 NOERROR 127.0.0.1>127.0.0.2 'www.example' AAAA 1 1
query 2 NOERROR 127.0.0.1>127.0.0.2 ''  0 0
response 2 NOERROR 127.0.0.1>127.0.0.2 ''  0 1
END
