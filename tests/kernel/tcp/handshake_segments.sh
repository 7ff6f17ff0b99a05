# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Segments that do not belong into a handshake: one beyond the window, which is answered by an ACK, and one that
# acknowledges what was not sent, which the listener answers by a reset after it has passed its filter a second time. The
# other side is a program behind a TUN device, which sees all that this machine sends; TCP has sent as much.
need python3
[ -e /dev/net/tun ] || skip "no /dev/net/tun"
netns_new shake
cat >"$tmp/shake.py" <<'E2'
import fcntl, os, select, socket, struct, subprocess, sys
from packets import checksum
v6 = sys.argv[2] == "6"
family, mine, theirs = (socket.AF_INET6, "fd00:77::2", "fd00:77::1") if v6 else (socket.AF_INET, "10.77.0.2", "10.77.0.1")
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH22x", b"shake%d", 0x1001))
dev = [n for n in subprocess.check_output(["ip", "-br", "link"], text=True).split() if n.startswith("shake")][0]
subprocess.check_call(["ip", "addr", "add", theirs + ("/64" if v6 else "/24"), "dev", dev] + (["nodad"] if v6 else []))
subprocess.check_call(["ip", "link", "set", dev, "up"])
listener = socket.socket(family, socket.SOCK_STREAM)
listener.bind((theirs, 7000))
listener.listen()
def send(seq, ack, flags):
    s, d = socket.inet_pton(family, mine), socket.inet_pton(family, theirs)
    tcp = struct.pack("!HHIIBBHHH", 4000, 7000, seq, ack, 0x50, flags, 1000, 0, 0)
    pseudo = s + d + (struct.pack("!IHBB", len(tcp), 0, 0, 6) if v6 else struct.pack("!BBH", 0, 6, len(tcp)))
    tcp = tcp[:16] + struct.pack("!H", checksum(pseudo + tcp)) + tcp[18:]
    if v6:
        ip = struct.pack("!IHBB", 6 << 28, len(tcp), 6, 64) + s + d
    else:
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp), 1, 0, 64, 6, 0, s, d)
        ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
    os.write(tun, ip + tcp)
seen = []
def segments(seconds, most=9): # how many there are in all
    while most and select.select([tun], [], [], seconds)[0]:
        p = os.read(tun, 2000)
        if (p[6] if v6 else p[9]) == 6:
            t = p[40:] if v6 else p[20:]
            seen.append(t[13])
            last[:] = struct.unpack("!II", t[4:12])
            most -= 1
    return len(seen)
def answered(): # soon, or the kernel sends its SYN again
    for i in range(50):
        before = len(seen)
        if before < segments(0.1, 1): return
last = []
send(1000, 0, 2)
answered()
send(1001 + (1 << 20), last[0] + 1, 16)
answered()
isn = last[0]
send(1001, isn + 77, 16)
answered()
send(1001, isn, 4)
segments(0.1)
print("flags=" + ",".join(map(str, seen)), file=open(sys.argv[1], "a"))
E2
for v in 4 6; do
	before=$(snmp "$NETNS" Tcp InSegs)
	trace_in "$NETNS" "tcp:::send /args[1]->cs_netns == $NETNS_ID/ { printf(\"send %d\n\", args[4]->tcp_flags); }
ip:::send /args[3]->if_ipstack == $NETNS_ID && (args[2]->ip_daddr == \"10.77.0.2\" || args[2]->ip_daddr == \"fd00:77::2\")/ { printf(\"ip\n\"); }
tcp:::receive /args[1]->cs_netns == $NETNS_ID/ { printf(\"receive %d\n\", args[4]->tcp_flags); }
mib:::tcpInSegs, mib:::ipIfStatsHCInDelivers /args[1]->cs_netns == $NETNS_ID/ { @[probename] = sum(args[0]); }
END { printa(\"%s %@d\n\", @); }" \
		python3 "$tmp/shake.py" "$tmp/trigger" $v
	expect_eq "$(value_of flags)" 18,16,4 "IPv$v: what the other side has got"
	expect_eq "$(grep ^send <<<"$OUT")" "send 18
send 16
send 4" "IPv$v: what TCP has sent"
	expect_eq "$(grep -c '^ip$' <<<"$OUT")" 3 "IPv$v: packets of IP"
	expect_eq "$(grep ^receive <<<"$OUT")" "receive 2
receive 16
receive 16
receive 4" "IPv$v: what TCP has received"
	expect_eq "$(sed -n 's/^tcpInSegs //p' <<<"$OUT")" $(($(snmp "$NETNS" Tcp InSegs) - before)) "IPv$v: the counter of segments"
	expect_eq "$(sed -n 's/^ipIfStatsHCInDelivers //p' <<<"$OUT")" 4 "IPv$v: packets delivered"
done
