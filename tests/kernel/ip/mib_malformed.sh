# SPDX-License-Identifier: GPL-2.0-or-later
# mib under malformed packets: seven or more of each kind come by a wire, those of a protocol into one namespace, and every
# counter moves as the kernel's does. Of no two kinds of a protocol there are as many, so that no two errors cancel out.
need python3
. "$here/ip/mib.lib"
mib_except() { # NAME PROBE
	case "$1 $2" in
	# icmp_rcv() begins before ICMP looks at the checksum
	"icmp4 icmpInEchos" | "icmp6 ipv6IfIcmpInEchos") [ "${DWIRE_TEST_TIER:-hooks}" != hooks ] ;;
	"ip4 ipInHdrErrors") ! since 6.15 ;; # of a wrong option there was no reason
	*) return 1 ;;
	esac
}
# Only the packets of this test: nothing that IPv6 says by itself.
wire_quiet() { # NAME
	wire_new "$1"
	ip netns exec "$NETNS" sysctl -qw net.ipv6.conf.va.disable_ipv6=1 net.ipv6.conf.vb.router_solicitations=0
}
mib_new=wire_quiet

cat >"$tmp/send.py" <<'END'
import os, socket, struct, subprocess, sys, time
from packets import checksum
kinds = sys.argv[1:]
link = subprocess.check_output(["ip", "-br", "link", "show", "vb"], text=True).split()
frame = bytes.fromhex(link[2].replace(":", "")) + b"\2\0\0\0\0\1"
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
out.bind(("va", 0))
S4, D4 = bytes([10, 99, 0, 9]), bytes([10, 99, 0, 1])
S6, D6 = socket.inet_pton(10, "fd00:d:99::9"), socket.inet_pton(10, "fd00:d:99::1")
HERE = {4: "10.99.0.1", 6: "fd00:d:99::1"}
def pseudo(v, proto, length):
    return S4 + D4 + struct.pack("!BBH", 0, proto, length) if v == 4 else S6 + D6 + struct.pack("!II", length, proto)
def put(data, at, n):
    return data[:at] + struct.pack("!H", n) + data[at + 2:]
def ip4(proto, rest, ident=1, frag=0, ihl=5, length=None, check=None, ttl=64, ver=4, dst=D4):
    h = struct.pack("!BBHHHBBH4s4s", ver << 4 | ihl, 0, 20 + len(rest) if length is None else length, ident, frag, ttl, proto, 0, S4, dst)
    h = put(h, 10, checksum(h) if check is None else check)
    out.send(frame + b"\x08\x00" + h + rest)
def ip6(proto, rest, length=None, ver=6, dst=D6, hops=64):
    out.send(frame + b"\x86\xdd" + struct.pack("!IHBB", ver << 28, len(rest) if length is None else length, proto, hops) + S6 + dst + rest)
def ip(v, proto, rest, **more):
    (ip4 if v == 4 else ip6)(proto, rest, **more)
def icmp(v, kind, body=bytes(4) + b"abcdefgh", check=None, code=0):
    m = bytes([kind, code, 0, 0]) + body
    return put(m, 2, checksum((pseudo(6, 58, len(m)) if v == 6 else b"") + m) if check is None else check)
def udp(v, port, data=b"hello", length=None, check=None):
    m = struct.pack("!HHHH", 5000, port, 8 + len(data) if length is None else length, 0) + data
    return put(m, 6, checksum(pseudo(v, 17, len(m)) + m) if check is None else check)
def tcp(v, port, flags, doff=5, check=None, data=b"", size=None):
    m = struct.pack("!HHIIBBHHH", 5000, port, 1000, 0, doff << 4, flags, 1000, 0, 0) + data
    m = put(m, 16, checksum(pseudo(v, 6, len(m)) + m) if check is None else check)
    return m if size is None else m[:size]
def igmp(m):
    return put(m, 2, checksum(m))
socks = []
for v, family in (4, socket.AF_INET), (6, socket.AF_INET6):
    for port, type in (7000, socket.SOCK_STREAM), (7001, socket.SOCK_DGRAM):
        s = socket.socket(family, type)
        if v == 6: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        s.bind((HERE[v], port))
        if port == 7000: s.listen()
        socks.append(s)
v = 6 if kinds[0].endswith("6") else 4
ICMP, ECHO = (1, 8) if v == 4 else (58, 128)
frag6 = lambda off, more, ident, nxt=17: struct.pack("!BBHI", nxt, 0, off | more, ident)
def one(k, n):
    if k == "icmp_sum": ip(v, ICMP, icmp(v, ECHO, check=0x1234))
    elif k == "icmp_short": ip(v, ICMP, icmp(v, ECHO)[:3])
    elif k == "icmp_short_echo": ip(v, ICMP, icmp(v, ECHO, body=b""))
    elif k == "icmp_unknown": ip(v, ICMP, icmp(v, 60 if v == 4 else 210))
    elif k == "icmp_error_short": ip(v, ICMP, icmp(v, 3 if v == 4 else 1, code=1, body=bytes(12)))
    elif k == "udp_long": ip(v, 17, udp(v, 7001, length=600))
    elif k == "udp_short": ip(v, 17, udp(v, 7001, length=5))
    elif k == "udp_cut": ip(v, 17, udp(v, 7001)[:6])
    elif k == "udp_less": ip(v, 17, udp(v, 7001, data=b"hello", length=10))
    elif k == "udp_sum": ip(v, 17, udp(v, 7001, check=0x1234))
    elif k == "udp_sum_nobody": ip(v, 17, udp(v, 7009, check=0x1234))
    elif k == "udp_sum_nobody_big": ip(v, 17, udp(v, 7009, data=bytes(300), check=0x1234))
    elif k == "udp_sum_big": ip(v, 17, udp(v, 7001, data=bytes(300), check=0x1234))
    elif k == "udp_nobody": ip(v, 17, udp(v, 7009))
    elif k == "icmp_unjoined": ip6(58, icmp(6, 135, body=bytes(20)), dst=socket.inet_pton(10, "ff02::1:ff12:3456"), hops=255)
    elif k == "udp_no_sum": ip(v, 17, udp(v, 7001, check=0))
    elif k == "udp_no_sum_nobody": ip(v, 17, udp(v, 7009, check=0))
    elif k == "tcp_doff": ip(v, 6, tcp(v, 7000, 2, doff=4))
    elif k == "tcp_doff_nobody": ip(v, 6, tcp(v, 7009, 2, doff=3))
    elif k == "tcp_beyond": ip(v, 6, tcp(v, 7000, 2, doff=15))
    elif k == "tcp_cut": ip(v, 6, tcp(v, 7000, 2, size=12))
    elif k == "tcp_sum": ip(v, 6, tcp(v, 7000, 2, check=0x1234))
    elif k == "tcp_sum_nobody": ip(v, 6, tcp(v, 7009, 2, check=0x1234))
    elif k == "igmp_sum": ip4(2, b"\x11\0\x12\x34\xe0\0\0\1", dst=bytes([224, 0, 0, 1]))
    elif k == "igmp_unknown": ip4(2, igmp(b"\x77\0\0\0\xe0\0\0\1"), dst=bytes([224, 0, 0, 1]))
    elif k == "igmp_short": ip4(2, b"\x11\0\0", dst=bytes([224, 0, 0, 1]))
    elif k == "ip_sum": ip4(17, udp(4, 7001), check=0x1234)
    elif k == "ip_version": ip(v, 17, udp(v, 7001), ver=5 if v == 4 else 7)
    elif k == "ip_ihl": ip4(17, udp(4, 7001), ihl=4)
    elif k == "ip_long": ip(v, 17, udp(v, 7001), length=900)
    elif k == "ip_less": ip4(17, udp(4, 7001), length=12)
    elif k == "ip_proto": ip(v, 253, b"whatever")
    elif k == "ip_option": out.send(frame + b"\x08\x00" + (lambda h: put(h, 10, checksum(h)))(struct.pack("!BBHHHBBH4s4s", 0x46, 0, 37, 1, 0, 64, 17, 0, S4, D4) + b"\x44\x02\0\0") + udp(4, 7001))
    elif k == "ip_hop": ip6(0, b"\x11\xff" + bytes(6) + udp(6, 7001))
    elif k == "overlap":
        d = udp(v, 7001, data=bytes(40))
        if v == 4:
            ip4(17, d[:24], ident=n, frag=0x2000)
            ip4(17, d[16:], ident=n, frag=2)
        else:
            ip6(44, frag6(0, 1, n) + d[:24])
            ip6(44, frag6(16, 0, n) + d[16:])
    elif k == "fragment_odd":
        if v == 4: ip4(17, udp(4, 7001)[:11], ident=n, frag=0x2000)
        else: ip6(44, frag6(0, 1, n) + udp(6, 7001)[:11])
    elif k == "fragment_beyond":
        if v == 4: ip4(17, bytes(40), ident=n, frag=0x1fff)
        else: ip6(44, frag6(0xfff8, 0, n) + bytes(40))
    elif k == "fragment_alone":
        ip6(44, frag6(0, 0, n) + udp(6, 7001))
    else: sys.exit("no " + k)
for i, k in enumerate(kinds):
    for n in range(7 + i): one(k[:-1], 100 * i + n + 1)
time.sleep(0.3)
END

declare -A kinds=(
	[icmp4]="icmp_sum4 icmp_short4 icmp_short_echo4 icmp_unknown4 icmp_error_short4"
	[icmp6]="icmp_sum6 icmp_short6 icmp_short_echo6 icmp_unknown6 icmp_error_short6 icmp_unjoined6"
	[udp4]="udp_long4 udp_short4 udp_cut4 udp_less4 udp_sum4 udp_sum_nobody4 udp_sum_nobody_big4 udp_no_sum4 udp_nobody4"
	[udp6]="udp_long6 udp_short6 udp_cut6 udp_less6 udp_sum6 udp_sum_nobody6 udp_sum_nobody_big6 udp_no_sum6
		udp_no_sum_nobody6 udp_nobody6"
	[tcp4]="tcp_doff4 tcp_doff_nobody4 tcp_beyond4 tcp_cut4 tcp_sum4 tcp_sum_nobody4"
	[tcp6]="tcp_doff6 tcp_doff_nobody6 tcp_beyond6 tcp_cut6 tcp_sum6 tcp_sum_nobody6"
	[igmp4]="igmp_sum4 igmp_unknown4 igmp_short4"
	[ip4]="ip_sum4 ip_version4 ip_ihl4 ip_long4 ip_less4 ip_proto4 ip_option4"
	[ip6]="ip_version6 ip_long6 ip_proto6 ip_hop6"
	[fragments4]="overlap4 fragment_odd4 fragment_beyond4"
	[fragments6]="overlap6 fragment_odd6 fragment_beyond6 fragment_alone6"
)
for group in "${!kinds[@]}"; do
	# shellcheck disable=SC2086
	runs "$group" python3 "$tmp/send.py" ${kinds[$group]}
done
sleep 2 # what the devices say when they come up is said
runs_trace ''
for group in "${!kinds[@]}"; do
	of "$group"
	expect_ge $((sums[ipInReceives] + sums[ipv6InReceives])) 21 "$group: packets that came"
done
