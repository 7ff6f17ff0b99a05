# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Where functions can be traced: each verdict of XDP programs that drivers run (native), by the program's name, against the
# frames that were sent: on a tap, whose frames have no buffer yet, and on veth. A program that comes while the trace runs,
# a program that calls another one, two VLAN tags, a program without types, and one that the stack runs.
need clang
need python3
need_functions
need bpftool
need jq
modprobe -qa veth tun
for n in a b; do netns_new "$n" && declare "$n=$NETNS"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
ip -n "$a" addr add 10.78.45.1/24 dev va && ip -n "$a" link set va up
ip -n "$b" addr add 10.78.45.2/24 dev vb && ip -n "$b" link set vb up
wait_up "$a" va
ip -n "$a" neigh replace 10.78.45.2 lladdr "$(ip netns exec "$b" cat /sys/class/net/vb/address)" dev va
ip -n "$b" tuntap add mode tap name tp && ip -n "$b" link set tp up || skip "no tap"
cat >"$tmp/p.c" <<'END'
struct xdp_md { unsigned data, end, meta, ingress; };
static long (*tail_call)(void *c, void *map, unsigned i) = (void *)12;
static long (*redirect)(unsigned ifindex, unsigned long flags) = (void *)23;
struct {
	int (*type)[3], (*key_size)[4], (*value_size)[4], (*max_entries)[1];
} jump __attribute__((section(".maps"), used));
/* The port of a datagram behind so many tags, less 7600; 0: none. */
static unsigned short port(struct xdp_md *c)
{
	unsigned char *d = (unsigned char *)(long)c->data, *e = (unsigned char *)(long)c->end;

	if (d + 50 > e)
		return 0;
	if (d[12] == 0x88 && d[13] == 0xa8)
		d += 8;
	if (d + 42 > e || d[12] != 8 || d[13] || d[23] != 17)
		return 0;
	return (d[36] << 8 | d[37]) - 7600;
}
#define PROG(name) __attribute__((section("xdp"), used)) int name(struct xdp_md *c)
PROG(dw_last) { return port(c) == 6 ? 1 : 2; }
PROG(dw_native)
{
	switch (port(c)) {
	case 1: return 1;
	case 2: return 2;
	case 3: return 3;
	case 4: return redirect(c->ingress, 0);
	case 5: return 0;
	case 6: tail_call(c, &jump, 0); return 2;
	default: return 2;
	}
}
PROG(dw_stack) { return port(c) == 8 ? 1 : 2; }
char _license[] __attribute__((section("license"), used)) = "GPL";
END
clang -O2 -g -target bpf -c "$tmp/p.c" -o "$tmp/p.o" 2>"$tmp/err" || skip "no BPF by clang: $(<"$tmp/err")"
# A file system that ends with this process, so that nothing need be undone.
mkdir "$tmp/fs" && mount -t bpf bpf "$tmp/fs" || skip "no bpffs"
exec 9<"$tmp/fs" && umount -l "$tmp/fs" && fs=/proc/$$/fd/9 && mkdir "$fs/p" "$fs/m"
bpftool prog loadall "$tmp/p.o" "$fs/p" pinmaps "$fs/m" 2>"$tmp/err" || skip "not loaded: $(<"$tmp/err")"
bpftool map update pinned "$fs/m/jump" key 0 0 0 0 value pinned "$fs/p/dw_last"
use() { ip -n "$b" link set "$1" "$2" pinned "$fs/p/$3"; }
use vb xdpdrv dw_native && use tp xdpdrv dw_native || skip "no native XDP"
# Without types, as many programs are.
cat >"$tmp/n.c" <<'END'
struct xdp_md { unsigned data, end; };
__attribute__((section("xdp"), used)) int dw_untyped(struct xdp_md *c) { return 2; }
char _license[] __attribute__((section("license"), used)) = "GPL";
END
clang -O2 -target bpf -c "$tmp/n.c" -o "$tmp/n.o" && bpftool prog load "$tmp/n.o" "$fs/untyped" type xdp 2>"$tmp/err" ||
	skip "not loaded: $(<"$tmp/err")"
sed 's/_untyped/_late/; s/return 2/return 1/' "$tmp/n.c" >"$tmp/late.c" && clang -O2 -g -target bpf -c "$tmp/late.c" -o "$tmp/late.o"
# Frames that a driver gets: tap's, with two tags if asked for.
cat >"$tmp/tap.py" <<'END'
import fcntl, os, struct, sys
fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(fd, 0x400454ca, struct.pack("16sH22s", b"tp", 0x1002, b""))
for port, n, tags in (tuple(map(int, w.split(":"))) for w in sys.argv[1:]):
    udp = struct.pack("!HHHH", 9, port, 28, 0) + bytes(20)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 48, 0, 0, 9, 17, 0, bytes([10, 78, 46, 1]), bytes([10, 78, 46, 2]))
    tag = struct.pack("!HHH", 0x88a8, 5, 0x8100) + struct.pack("!H", 6) if tags else b""
    for i in range(n):
        os.write(fd, b"\2" * 12 + tag + b"\x08\0" + ip + udp)
END
cat >"$tmp/talk" <<END
send() { ip netns exec $a udp_send -a 10.78.45.2 -p "\$1" -n "\$2"; }
send 7601 2; send 7602 3; send 7603 4; send 7604 5; send 7605 6; send 7606 7
ip netns exec $b python3 $tmp/tap.py 7601:8:0 7602:9:0 7606:2:0 7601:3:1
ip -n $b link set vb xdpdrv off
$(declare -f use)
b=$b fs=$fs
bpftool prog load $tmp/late.o $fs/p/dw_late type xdp && use vb xdpdrv dw_late
sleep 3
send 7607 4
ip -n $b link set vb xdpdrv off
use vb xdpgeneric dw_stack
send 7608 5
END
"$dwire" "${tier_opts[@]}" -qn 'path:::xdp /args[4]->path_dport > 7600 && args[4]->path_dport < 7620/ {
		@[args[4]->path_dport, args[3]->if_name, args[4]->path_verdict, args[4]->path_by, args[4]->path_prog,
		    args[4]->path_progid != 0, args[2]->ip_saddr] = count(); }
	END { printa("xdp %d %s %s %s %s %d %s %@d\n", @); }' -c "bash $tmp/talk >/dev/null" >"$tmp/out" 2>"$tmp/err" ||
	fail "$(<"$tmp/err")"
grep '^xdp' "$tmp/out" | sort >"$tmp/got"
cat >"$tmp/want" <<'END'
xdp 7601 tp DROP dw_native dw_native 1 10.78.46.1 11
xdp 7601 vb DROP dw_native dw_native 1 10.78.45.1 2
xdp 7602 tp PASS dw_native dw_native 1 10.78.46.1 9
xdp 7602 vb PASS dw_native dw_native 1 10.78.45.1 3
xdp 7603 vb TX dw_native dw_native 1 10.78.45.1 4
xdp 7604 vb REDIRECT dw_native dw_native 1 10.78.45.1 5
xdp 7605 vb ABORTED dw_native dw_native 1 10.78.45.1 6
xdp 7606 tp DROP dw_native dw_native 1 10.78.46.1 2
xdp 7606 vb DROP dw_native dw_native 1 10.78.45.1 7
xdp 7607 vb DROP dw_late dw_late 1 10.78.45.1 4
xdp 7608 vb DROP dw_stack dw_stack 1 10.78.45.1 5
END
expect_eq "$(<"$tmp/got")" "$(<"$tmp/want")" "verdicts"
# pktpath shows a frame that is not passed as a packet of its own; one that is passed begins at driver-in.
frames() { # OPTION…
	"$dwire" pktpath -i tp -4 "$@" --everyone --command "ip netns exec $b python3 $tmp/tap.py 7601:3:0 7602:4:0 7605:2:0 7606:2:1" \
		>"$tmp/out" 2>"$tmp/said" || fail "pktpath: $(<"$tmp/said")"
}
frames --json
grep '^{' "$tmp/out" | jq -r 'select(.stage == "xdp" or .stage == "driver-in") |
	"\(.stage) \(.saddr) \(.dport) \(.device) \(.verdict) \(.prog) \(.us) \(.zone == "'"$b"'")"' | sort | uniq -c | sed 's/^ *//' >"$tmp/got"
expect_eq "$(<"$tmp/got")" "4 driver-in 10.78.46.1 7602 tp null null 0 true
3 xdp 10.78.46.1 7601 tp DROP dw_native 0 true
2 xdp 10.78.46.1 7605 tp ABORTED dw_native 0 true
2 xdp 10.78.46.1 7606 tp DROP dw_native 0 true" "pktpath's rows"
expect_eq "$(grep '^{' "$tmp/out" | jq -r 'select(.stage == "xdp" or .stage == "driver-in") | .id' | sort -u | wc -l)" 11 "packets"
frames -n 2
expect_eq "$(grep -c '^ *[12] xdp: DROP by dw_native *0.000 tp  *10.78.46.1:9  *10.78.46.2:7601' "$tmp/out")" 2 "pktpath -n 2: $(<"$tmp/out")"
expect_eq "$(grep -c '^ *[3-9] ' "$tmp/out")" 0 "pktpath -n 2, others"
grep -q 'dw_untyped (id [0-9]*).*types' "$tmp/err" || fail "messages: $(<"$tmp/err")"
exit $failed
