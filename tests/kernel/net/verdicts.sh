# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# A drop names the BPF program that did it, against the datagrams that were sent: a filter of tc, tcx, XDP in the stack, XDP of veth.
# With hooks alone, too.
need clang
need python3
modprobe -qa veth sch_ingress cls_bpf
for n in a b; do netns_new "$n" && declare "$n=$NETNS"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
for end in "$a va 1" "$b vb 2"; do
	read -r ns dev ip <<<"$end"
	ip netns exec "$ns" sh -c "echo 1 >/proc/sys/net/ipv6/conf/$dev/disable_ipv6"
	ip -n "$ns" addr add "10.78.40.$ip/24" dev "$dev"
	ip -n "$ns" link set "$dev" up
done
for end in "$a va 2 $b vb" "$b vb 1 $a va"; do # no ARP while everything is dropped
	read -r ns dev ip peer other <<<"$end"
	ip -n "$ns" neigh replace "10.78.40.$ip" lladdr "$(ip netns exec "$peer" cat "/sys/class/net/$other/address")" dev "$dev"
done
cat >"$tmp/p.c" <<'END'
struct skb { unsigned skip[19], data, end; };
struct xdp { unsigned data, end; };
#define PORT(c, port) ({ char *d = (char *)(long)(c)->data, *e = (char *)(long)(c)->end; \
	d + 42 <= e && d[12] == 8 && d[13] == 0 && d[23] == 17 && *(unsigned short *)(d + 36) == __builtin_bswap16(port); })
__attribute__((section("cls"), used)) int dw_cls(struct skb *c) { return PORT(c, 7501) ? 2 : -1; }
__attribute__((section("xdp"), used)) int dw_xdp(struct xdp *c) { return PORT(c, 7503) ? 1 : 2; }
__attribute__((section("drv"), used)) int dw_native(struct xdp *c) { return PORT(c, 7504) ? 1 : 2; }
char _license[] __attribute__((section("license"), used)) = "GPL";
END
clang -O2 -g -target bpf -c "$tmp/p.c" -o "$tmp/p.o" 2>"$tmp/err" || skip "no BPF by clang: $(<"$tmp/err")"
tc -n "$b" qdisc add dev vb clsact && tc -n "$b" filter add dev vb ingress bpf direct-action object-file "$tmp/p.o" section cls &&
	ip -n "$b" link set vb xdpgeneric obj "$tmp/p.o" sec xdp || skip "no programs of tc or XDP"
# A program of tcx, which drops everything, until the file $tmp/hold is gone.
cat >"$tmp/tcx.py" <<'END'
import ctypes, os, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def bpf(cmd, attr):
    buf = ctypes.create_string_buffer(attr.ljust(144, b"\0"))
    return libc.syscall(321 if os.uname().machine == "x86_64" else 280, cmd, buf, 144)
code = ctypes.create_string_buffer(struct.pack("BBhi", 0xb7, 0, 0, 2) + struct.pack("BBhi", 0x95, 0, 0, 0))
gpl = ctypes.create_string_buffer(b"GPL")
prog = bpf(5, struct.pack("IIQQIIQII16s", 3, 2, ctypes.addressof(code), ctypes.addressof(gpl), 0, 0, 0, 0, 0, b"dw_tcx"))
link = bpf(28, struct.pack("IIII", prog, socket.if_nametoindex("vb"), 46, 0))
print("tcx" if prog >= 0 and link >= 0 else "none", flush=True)
while os.path.exists(sys.argv[1]): time.sleep(0.05)
END
touch "$tmp/hold"
cat >"$tmp/talk" <<END
ip netns exec $a udp_send -a 10.78.40.2 -p 7501 -n 4
ip netns exec $a udp_send -a 10.78.40.2 -p 7503 -n 5
ip -n $b link set vb xdpgeneric off
ip -n $b link set vb xdpdrv obj $tmp/p.o sec drv && echo native >$tmp/native
ip netns exec $a udp_send -a 10.78.40.2 -p 7504 -n 7
ip -n $b link set vb xdpdrv off
tc -n $b qdisc del dev vb clsact
ip netns exec $b timeout 60 python3 $tmp/tcx.py $tmp/hold >$tmp/tcx &
for i in {1..200}; do [ ! -s $tmp/tcx ] || break; sleep 0.05; done
ip netns exec $a udp_send -a 10.78.40.2 -p 7502 -n 6
rm $tmp/hold
wait
END
"$dwire" "${tier_opts[@]}" -qn 'path:::drop /args[4]->path_dport > 7500 && args[4]->path_dport < 7505/ {
		@[args[4]->path_dport, args[4]->path_by, args[4]->path_prog, args[4]->path_progid != 0] = count(); }
	END { printa("drop %d %s %s %d %@d\n", @); }' -c "bash $tmp/talk >/dev/null" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(<"$tmp/err")" "" "messages"
# Where the filter is a module, the drop shows its kind.
[ -e /sys/module/cls_bpf/refcnt ] && filter="drop 7501 bpf  0 4" || filter="drop 7501 bpf dw_cls 1 4"
expect_eq "$(grep '^drop 7501' "$tmp/out")" "$filter" "a filter of tc"
expect_eq "$(grep '^drop 7503' "$tmp/out")" "drop 7503 dw_xdp dw_xdp 1 5" "XDP in the stack"
[ ! -e "$tmp/native" ] || expect_eq "$(grep '^drop 7504' "$tmp/out")" "drop 7504 dw_native dw_native 1 7" "native XDP of veth"
! grep -q tcx "$tmp/tcx" || expect_eq "$(grep '^drop 7502' "$tmp/out")" "drop 7502 dw_tcx dw_tcx 1 6" "tcx"
exit $failed
