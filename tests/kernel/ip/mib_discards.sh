# SPDX-License-Identifier: GPL-2.0-or-later
# mib: packets that IP discards and headers that are wrong, against the kernel's counters of the namespace. Counters that
# Linux lacks are refused with a reason.
need python3 nft
wire_new discards
cannot_send 7777
ip netns exec "$NETNS" sysctl -qw net.ipv6.conf.va.disable_ipv6=1 net.ipv6.conf.vb.disable_ipv6=1
cat >"$tmp/send" <<-'END'
	#!/usr/bin/env python3
	import socket, struct
	from packets import checksum
	for family, to in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
	    s = socket.socket(family, socket.SOCK_DGRAM)
	    for size, port in [(10, 7777)] * 5 + [(10, 7778)] * 3 + [(70000, 7778)] * 2:
	        try:
	            s.sendto(bytes(size), (to, port))
	        except OSError:
	            pass
	def mac(dev):
	    return bytes.fromhex(open(f"/sys/class/net/{dev}/address").read().replace(":", ""))
	raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
	raw.bind(("va", 0))
	ends = bytes([10, 99, 0, 9, 10, 99, 0, 1])
	def v4(ihl=0x45, proto=17, wrong=0):
	    head = struct.pack("!BBHHHBBH", ihl, 0, 28, 1, 0, 64, proto, 0) + ends
	    return head[:10] + struct.pack("!H", checksum(head) ^ wrong) + head[12:] + bytes(8)
	v6 = struct.pack("!IHBB", 6 << 28, 8, 17, 64) + bytes(15) + b"\1" + bytes(15) + b"\1" + bytes(8)
	for kind, body, n in (0x800, v4(ihl=0x44), 2), (0x800, v4(wrong=1), 3), (0x800, v4(proto=200), 4), (0x86dd, v6, 6):
	    for _ in range(n):
	        raw.send(mac("vb") + mac("va") + struct.pack("!H", kind) + body)
END
chmod +x "$tmp/send"
probes=(ipIfStatsInDiscards ipIfStatsOutDiscards ipIfStatsInHdrErrors ipIfStatsInCksumErrs ipIfStatsInUnknownProtos)
kernel=("Ip InDiscards Ip6 InDiscards" "Ip OutDiscards Ip6 OutDiscards" "Ip InHdrErrors" "IpExt InCsumErrors" "Ip InUnknownProtos Ip6 InUnknownProtos")
counted() { # GROUP NAME…
	local n=0
	while [ $# -gt 0 ]; do
		n=$((n + $(snmp "$NETNS" "$1" "$2")))
		shift 2
	done
	echo $n
}
for i in "${!kernel[@]}"; do before[i]=$(counted ${kernel[i]}); done
all=$(printf ', mib:::%s' "${probes[@]}")
trace_in "$NETNS" "${all#, } /args[1]->cs_netns == $NETNS_ID/ { @[probename] = sum(args[0]); }
	END { printa(\"%s %@d\\n\", @); }" "$tmp/send"
sum() { awk -v p="$1" '$1 == p { s = $2 } END { print s + 0 }' <<<"$OUT"; }
for i in "${!kernel[@]}"; do
	moved=$(($(counted ${kernel[i]}) - before[i]))
	expect_ge "$moved" 1 "the kernel's ${kernel[i]}"
	expect_eq "$(sum "${probes[i]}")" "$moved" "${probes[i]} and ${kernel[i]}"
done

while read -r name why; do
	"$dwire" -n "$name { @ = count(); }" >/dev/null 2>"$tmp/err" && fail "$name is traced"
	expect_match "$(<"$tmp/err")" "$why" "$name"
done <<-'END'
	mib:::tcpRttUpdate does.not.count.measurements
	mib:::sctpInSegs provider.sctp
	vminfo:::pgrec does.not.count.pages
	vminfo:::execpgout fspgout
END
