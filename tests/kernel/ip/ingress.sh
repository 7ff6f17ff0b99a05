# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# What XDP, tc and nft take from a device before IP sees it was not received by IP, nor by ICMP; what they redirect to
# another device is received there, once. The kernel's counters of each namespace are the measure.
need python3
need nft
since 6.6 || skip "needs tcx links (Linux 6.6)"
wire_new ingress
ns=$NETNS nsid=$NETNS_ID
netns_new inside
inside=$NETNS insideid=$NETNS_ID
ip -n "$ns" link add pa type veth peer name pb netns "$inside"
ip -n "$ns" link set pa up
ip -n "$inside" link set pb up
ip -n "$inside" addr add 10.99.0.1/32 dev pb
ip -n "$inside" addr add fd00:d:99::1/128 dev pb nodad
ip -n "$ns" link add da type veth peer name db
ip -n "$ns" link set da address "$(ip -n "$ns" -br link show vb | awk '{ print $3 }')" up
ip netns exec "$ns" sysctl -qw net.ipv6.conf.db.disable_ipv6=1
ip -n "$ns" link set db up
ip netns exec "$ns" sysctl -qw net.ipv4.conf.da.rp_filter=0 net.ipv4.conf.da.accept_local=1
ip netns exec "$inside" sysctl -qw net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.pb.rp_filter=0
for dev in va vb da; do ip netns exec "$ns" sysctl -qw net.ipv6.conf.$dev.router_solicitations=0; done
ip netns exec "$ns" sysctl -qw net.ipv6.conf.pa.disable_ipv6=1
ip netns exec "$inside" sysctl -qw net.ipv6.conf.pb.router_solicitations=0

# Keeps a program on vb while the packets are sent: 5 datagrams and 5 echo requests of each family.
cat >"$tmp/ingress.py" <<'END'
import ctypes, os, socket, struct, sys, time
from packets import checksum
how = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
NR = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
def bpf(command, attr):
    data = ctypes.create_string_buffer(attr.ljust(128, b"\0"), 128)
    r = libc.syscall(NR, command, data, 128)
    if r < 0:
        print("skip=" + os.strerror(ctypes.get_errno()))
        sys.exit(0)
    return r
def insn(code, dst=0, src=0, off=0, imm=0):
    return struct.pack("<BBhi", code, src << 4 | dst, off, imm)
def load(kind, code, expected):
    insns = ctypes.create_string_buffer(code)
    license = ctypes.create_string_buffer(b"GPL")
    attr = struct.pack("<IIQQIIQII16sII", kind, len(code) // 8, ctypes.addressof(insns), ctypes.addressof(license), 0, 0, 0, 0, 0,
        b"ingress", 0, expected)
    return bpf(5, attr)
def attach(prog, dev, kind, flags=0):
    return bpf(28, struct.pack("<IIII", prog, socket.if_nametoindex(dev), kind, flags))
def verdict(n):
    return insn(0xb7, 0, imm=n) + insn(0x95)
def redirect(dev, flags, helper):
    code = insn(0xb7, 1, imm=socket.if_nametoindex(dev)) + insn(0xb7, 2, imm=flags)
    return code + insn(0x85, imm=helper) + insn(0x95)
TCX, XDP = 46, 37
links = []
if how == "xdp": links.append(attach(load(6, verdict(1), XDP), "vb", XDP, 2))
if how == "xdp_pass": links.append(attach(load(6, verdict(2), XDP), "vb", XDP, 2))
if how == "tc": links.append(attach(load(3, verdict(2), TCX), "vb", TCX))
if how == "tc_pass": links.append(attach(load(3, verdict(0), TCX), "vb", TCX))
if how == "ingress": links.append(attach(load(3, redirect("da", 1, 23), TCX), "vb", TCX))
if how == "egress": links.append(attach(load(3, redirect("da", 0, 23), TCX), "vb", TCX))
if how == "peer": links.append(attach(load(3, redirect("pa", 0, 155), TCX), "vb", TCX))
u4, u6 = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
i4, i6 = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1), socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58)
receivers = []
for family, address in (socket.AF_INET, "10.99.0.1"), (socket.AF_INET6, "fd00:d:99::1"):
    receivers.append(socket.socket(family, socket.SOCK_DGRAM))
    receivers[-1].bind((address, 999))
echo = struct.pack("!BBHI", 8, 0, 0, 7)
for n in range(5):
    u4.sendto(b"hello", ("10.99.0.1", 999))
    u6.sendto(b"hello", ("fd00:d:99::1", 999))
    i4.sendto(echo[:2] + struct.pack("!H", checksum(echo)) + echo[4:], ("10.99.0.1", 0))
    i6.sendto(struct.pack("!BBHI", 128, 0, 0, 7), ("fd00:d:99::1", 0))
time.sleep(0.3)
END

clause="ip:::receive, icmp:::receive /args[3]->if_ipstack == $nsid || args[3]->if_ipstack == $insideid/ {
	@[probename == \"receive\" ? probeprov : \"\", args[3]->if_ipstack == $nsid ? \"outer\" : \"inner\"] = count(); }
mib:::ipIfStatsHCInReceives, mib:::ipIfStatsHCInOctets /args[1]->cs_netns == $nsid || args[1]->cs_netns == $insideid/ {
	@m[probename, args[1]->cs_netns == $nsid ? \"outer\" : \"inner\"] = sum(args[0]); }
ip:::receive /args[3]->if_ipstack == $nsid || args[3]->if_ipstack == $insideid/ { @d[args[3]->if_name] = count(); }
END { printa(\"%s %s %@d\\n\", @); printa(\"%s %s %@d\\n\", @m); printa(\"device %s %@d\\n\", @d); }"

counters() { # NETNS: packets, bytes, messages
	echo $(($(snmp "$1" Ip InReceives) + $(snmp "$1" Ip6 InReceives))) $(($(snmp "$1" IpExt InOctets) + $(snmp "$1" Ip6 InOctets))) \
		$(($(snmp "$1" Icmp InMsgs) + $(snmp "$1" Icmp6 InMsgs)))
}
got() { # WHAT WHERE
	local n
	n=$(sed -n "s/^$1 $2 //p" <<<"$OUT")
	echo "${n:-0}"
}
sleep 3 # what the devices say when they come up is said
passes() { # HOW OUTER INNER DEVICE: what IP receives, and the device of the most
	local what=$1 outer=$2 inner=$3 where before after
	counters "$ns" >"$tmp/outer" && counters "$inside" >"$tmp/inner"
	trace_in "$ns" "$clause" python3 "$tmp/ingress.py" "$1"
	grep -q ^skip "$tmp/trigger" && fail "$what: $(value_of skip)"
	for where in outer inner; do
		read -ra before <"$tmp/$where"
		read -ra after < <(counters "$([ $where = outer ] && echo "$ns" || echo "$inside")")
		expect_eq "$(got ip $where)" $((after[0] - before[0])) "$what: packets, $where"
		expect_eq "$(got ipIfStatsHCInReceives $where)" $((after[0] - before[0])) "$what: counted packets, $where"
		[ "$what" = peer ] || # its bytes are counted at the device that gave it away
			expect_eq "$(got ipIfStatsHCInOctets $where)" $((after[1] - before[1])) "$what: bytes, $where"
		expect_eq "$(got icmp $where)" $((after[2] - before[2])) "$what: messages of ICMP, $where"
		expect_eq $((after[0] - before[0])) "${!where}" "$what: what the kernel counts, $where"
	done
	[ -z "${4-}" ] || expect_match "$OUT" "device $4 [1-9]" "$what: device"
}
# 20 packets and 10 answers
passes none 30 0 vb
passes xdp_pass 30 0 vb
passes tc_pass 30 0 vb
passes xdp 0 0
passes tc 0 0
passes egress 0 0
passes ingress 30 0 da
passes peer 0 30 pb
ip netns exec "$ns" nft 'table netdev t { chain c { type filter hook ingress device vb priority 0; policy drop; }; }' || skip "no nft"
passes nft 0 0
