# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# The identity of packets (pkt_id) from one namespace through a second, which routes and translates addresses, to a
# third. TCP's packets that the kernel cuts into segments (its device cannot) have one identity from their sender to their
# receiver's socket, with a tap and without one. Of many packets no two have the same, though memory is used again, and
# variables of packets that have ended are gone.
need python3
need nft
need bpftool
need_traced path:::output,path:::prerouting,path:::queue,path:::transmit,path:::driver-in,path:::socket-in,path:::forward,path:::read
router_new 4 5 6
ip netns exec "$b" nft -f - <<'END' || skip "no nft"
table ip nat { chain post { type nat hook postrouting priority 100; oifname vr masquerade; }; }
END
# DEVICE 0|1 0|1: does the device cut TCP's packets (ETHTOOL_STSO), does the kernel (ETHTOOL_SGSO)
cat >"$tmp/features.py" <<'END'
import ctypes, fcntl, socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for command, value in ((0x1f, int(sys.argv[2])), (0x24, int(sys.argv[3]))):
    data = ctypes.create_string_buffer(struct.pack("II", command, value))
    fcntl.ioctl(s, 0x8946, struct.pack("16sP", sys.argv[1].encode(), ctypes.addressof(data)))
END
cat >"$tmp/tcp.py" <<'END'
import socket, subprocess, sys
if sys.argv[1] == "reader":
    t = socket.socket()
    t.bind(("10.78.6.3", 7002))
    t.listen()
    print("ready", flush=True)
    c = t.accept()[0]
    got = 0
    while data := c.recv(65536):
        got += len(data)
    print(got)
else:
    socket.create_connection(("10.78.6.3", 7002)).sendall(bytes(1000000))
END
cat >"$tmp/tcp.sh" <<END
ip netns exec $c timeout 20 python3 $tmp/tcp.py reader >$tmp/read &
until grep -qs ready $tmp/read; do sleep 0.05; done
ip netns exec $a timeout 20 python3 $tmp/tcp.py writer
wait
END
mode= tap=
segments() { # each packet with data, by identity: at its sender's netfilter, its first device, its receiver's socket
	ip netns exec "$a" python3 "$tmp/features.py" va $mode || { echo "FAILED: features of va" && return; }
	[ -z "$tap" ] || { ip netns exec "$a" timeout 30 tcpdump -i va -w "$tmp/pcap" -s 100 >/dev/null 2>&1 & }
	[ -z "$tap" ] || sleep 0.5
	"$dwire" "${dwire_opts[@]}" -x bufsize=16m -n "
path:::output /args[0]->pkt_netns == $a_id && args[4]->path_payload/ {
	printf(\"output %d %d\\n\", args[0]->pkt_id, args[4]->path_payload); pkt->mark = 7; }
path:::queue /args[0]->pkt_netns == $a_id/ { }
path:::transmit /args[3]->if_name == \"va\" && args[0]->pkt_netns == $a_id && args[4]->path_payload/ {
	printf(\"transmit %d %d %d\\n\", args[0]->pkt_id, args[4]->path_payload, args[4]->path_midway); }
path:::driver-in, path:::prerouting, path:::forward, path:::postrouting { }
path:::socket-in /args[0]->pkt_netns == $c_id && args[4]->path_payload/ {
	printf(\"socket %d %d %d %d\\n\", args[0]->pkt_id, args[4]->path_payload, pkt->mark, args[4]->path_midway); }" \
		-c "bash $tmp/tcp.sh" >"$tmp/out" 2>"$tmp/err" || echo "FAILED: $(<"$tmp/err")"
	kill %1 2>/dev/null
	wait
	python3 - "$tmp/out" "$tmp/read" "$mode" <<'END'
import collections, sys
sums = collections.defaultdict(collections.Counter)
count = collections.defaultdict(collections.Counter)
bad = collections.Counter()
for line in open(sys.argv[1]):
    w = line.split()
    if len(w) < 3:
        continue
    sums[w[0]][w[1]] += int(w[2])
    count[w[0]][w[1]] += 1
    bad["midway"] += w[0] != "output" and int(w[-1])
    bad["mark"] += w[0] == "socket" and w[3] != "7"
total = {k: sum(v.values()) for k, v in sums.items()}
packets = {k: sum(v.values()) for k, v in count.items()}
read = int(open(sys.argv[2]).read().split()[-1])
if bad["midway"] or bad["mark"]:
    print("FAILED:", dict(bad), packets)
if read != 1000000 or any(total.get(k) != read for k in ("output", "transmit", "socket")):
    print("FAILED: bytes", total, "read", read)
for k in ("transmit", "socket"):
    wrong = [i for i in set(sums["output"]) | set(sums[k]) if sums[k][i] != sums["output"][i]]
    if wrong:
        print("FAILED: identities at", k, len(wrong), "of", len(sums["output"]), packets)
if any(n != 1 for n in count["output"].values()):
    print("FAILED: shared", packets)
small = sys.argv[3] == "0 1"
if small and not packets["transmit"] > 4 * packets["output"]:
    print("FAILED: not cut", packets)
END
}
for mode in "0 1" "1 1"; do measure segments; done
mode="0 1"
need tcpdump
tap=1
measure segments

# Many packets over memory that is used again: datagrams of 900 lengths, some for a rule, some for no socket.
ip netns exec "$c" nft -f - <<'END'
table ip f { chain in { type filter hook input priority 0; udp dport 7003 drop; }; }
END
cat >"$tmp/many.py" <<'END'
import os, socket, threading
def space(name):
    fd = os.open("/run/netns/" + name, os.O_RDONLY)
    import ctypes
    assert ctypes.CDLL(None).setns(fd, 0) == 0
import sys
space(sys.argv[2])
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.78.6.3", 7001))
u.settimeout(5)
space(sys.argv[1])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("10.78.5.1", 0))
data = bytes(1000)
got = 0
for i in range(int(sys.argv[3])):
    s.sendto(data[: 1 + i % 900], ("10.78.6.3", 7003 if i % 10 == 9 else 7001))
    if i % 10 != 9:
        u.recv(2000)
        got += 1
print("sent=%d got=%d" % (i + 1, got))
END
n=100000
[ -z "${DWIRE_TEST_TIER-}" ] || n=2000
many() {
	local held
	"$dwire" "${dwire_opts[@]}" -x dynvarsize=256k -n "
path:::output /args[0]->pkt_netns == $a_id && args[4]->path_protostr == \"UDP\"/ {
	pkt->identlen = args[2]->ip_plength; pkt->identouts++; @out = count(); @shared = sum(pkt->identouts > 1); }
path:::driver-in /args[0]->pkt_netns == $c_id && args[4]->path_protostr == \"UDP\"/ {
	@other = sum(pkt->identlen != args[2]->ip_plength); }
path:::socket-in /args[0]->pkt_netns == $c_id && args[4]->path_protostr == \"UDP\"/ {
	@in = count(); @other = sum(pkt->identlen != args[2]->ip_plength); @late = sum(args[4]->path_midway); }
path:::forward, path:::read, path:::transmit { }
path:::drop /args[0]->pkt_netns == $c_id && args[4]->path_protostr == \"UDP\"/ {
	@drop = count(); @other = sum(pkt->identlen != args[2]->ip_plength); }
END { printa(\"out=%@d\n\", @out); printa(\"in=%@d\n\", @in); printa(\"drop=%@d\n\", @drop);
	printa(\"shared=%@d\n\", @shared); printa(\"other=%@d\n\", @other); printa(\"late=%@d\n\", @late); }" \
		-c "bash -c 'python3 $tmp/many.py $a $c $n; sleep 0.5; \
			for v in len outs; do bpftool map dump name dw_ident\$v | grep -c ^key; done'" \
		>"$tmp/out" 2>"$tmp/err" || echo "FAILED: $(<"$tmp/err")"
	# an interrupt may free a packet while the kernel frees one: that end is missed, and counted
	[ -z "$(grep -vE ' missed for path:vmlinux::drop \(recursion\)$|^dwire: [0-9] dynamic variable drops?$' "$tmp/err")" ] ||
		echo "FAILED: $(<"$tmp/err")"
	[ "$(grep -E '^(sent|out|in|drop|shared|other|late)=' "$tmp/out" | tr '\n' ' ')" = \
		"sent=$n got=$((n - n / 10)) out=$n in=$((n - n / 10)) drop=$((n / 10)) shared=0 other=0 late=0 " ] ||
		echo "FAILED: many: $(<"$tmp/out")"
	held=$(grep -E '^[0-9]+$' "$tmp/out" | awk '{ n += $1 } END { print n }')
	# two variables; each CPU keeps the packet that ended last
	[ "${held:-9999}" -le $((4 * $(nproc) + 8)) ] || echo "FAILED: ${held:-no} values are left"
}
measure many
