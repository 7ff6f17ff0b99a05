# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Stages of the path provider that only functions of the kernel show: a packet that waits for a neighbour that answers
# late, filters of tc on both sides and an XDP program with their verdicts and names, the routing decision and the
# socket's queue; each in its order, as often as datagrams were sent.
need clang
need python3
need_functions
modprobe -qa veth sch_ingress cls_matchall cls_u32 act_gact
for n in a b; do netns_new "$n" && declare "$n=$NETNS" && declare "${n}_id=$NETNS_ID"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
for end in "$a va 1" "$b vb 2"; do
	read -r ns dev ip <<<"$end"
	ip netns exec "$ns" sh -c "echo 1 >/proc/sys/net/ipv6/conf/$dev/disable_ipv6"
	ip -n "$ns" addr add "10.78.9.$ip/24" dev "$dev"
	ip -n "$ns" link set "$dev" up
done
{
	tc -n "$a" qdisc add dev va clsact && tc -n "$a" filter add dev va egress protocol ip matchall action ok &&
		tc -n "$b" qdisc add dev vb clsact &&
		tc -n "$b" filter add dev vb ingress protocol ip u32 match ip dport 7003 0xffff action drop
} || skip "no filters of tc"
cat >"$tmp/x.c" <<'END'
__attribute__((section("xdp"), used)) int dw_verdict(void *c) { return 2; } /* XDP_PASS */
char _license[] __attribute__((section("license"), used)) = "GPL";
END
clang -O2 -g -target bpf -c "$tmp/x.c" -o "$tmp/x.o" || skip "no BPF by clang"
ip -n "$b" link set vb xdpgeneric obj "$tmp/x.o" sec xdp || skip "no XDP"
# the question for the neighbour is repeated, and answered late
ip netns exec "$a" sh -c 'echo 100 >/proc/sys/net/ipv4/neigh/va/retrans_time_ms; echo 60 >/proc/sys/net/ipv4/neigh/va/mcast_solicit'
ip netns exec "$b" sh -c 'echo 8 >/proc/sys/net/ipv4/conf/vb/arp_ignore'
cat >"$tmp/talk.sh" <<END
ip netns exec $b timeout 60 python3 $tmp/reader.py >$tmp/ready &
until grep -qs ready $tmp/ready; do sleep 0.1; done
ip netns exec $a udp_send -a 10.78.9.2 -p 7001 -n 1
sleep 1
ip netns exec $b sh -c 'echo 0 >/proc/sys/net/ipv4/conf/vb/arp_ignore'
sleep 2
ip netns exec $a udp_send -a 10.78.9.2 -p 7001 -n 5
ip netns exec $a udp_send -a 10.78.9.2 -p 7003 -n 4
sleep 1
END
cat >"$tmp/reader.py" <<'END'
import socket, sys
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("10.78.9.2", 7001))
print("ready", flush=True)
for i in range(6):
    u.recv(100)
END
"$dwire" "${tier_opts[@]}" -qn "path::: /args[4]->path_protostr == \"UDP\" && args[4]->path_dport < 7004 && args[4]->path_dport > 7000/ {
	printf(\"stage %d %d %s %d %s.%s %d\n\", args[4]->path_id, args[4]->path_dport, args[4]->path_stagestr,
	    args[4]->path_time / 1000000, args[4]->path_verdict, args[4]->path_by, args[4]->path_midway); }" \
	-c "bash $tmp/talk.sh" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(<"$tmp/err")" "" "messages"
python3 - "$tmp/out" >"$tmp/found" <<'END' || fail "$(<"$tmp/found")"
import collections, sys
packets = collections.OrderedDict()
for line in open(sys.argv[1]):
    w = line.split()
    if w and w[0] == "stage" and w[3] != "send":
        packets.setdefault(w[1], []).append((int(w[2]), w[3], int(w[4]), w[5], int(w[6])))
ok = True
def check(good, text, p):
    global ok
    if not good:
        ok = False
        print(text, *p, sep="\n")
OUT = "udp-out output postrouting tc-egress queue transmit driver-in".split()
kinds = collections.Counter()
for n, p in enumerate(packets.values()):
    stages = [s[1] for s in p]
    rest = [s for s in stages if s not in ("neigh-wait", "xdp")]
    kinds[p[0][0]] += 1
    check(stages.count("xdp") == 1, "xdp", p)
    check(stages.count("neigh-wait") == (n == 0), "the wait for the neighbour", p)
    want = OUT + (["device-in", "tc-ingress"] if p[0][0] == 7003 else
        "device-in tc-ingress prerouting route input socket-in socket-queue".split())
    check(rest[: len(want)] == want, "order", p)
    said = {s[1]: s[3] for s in p}
    check(said["xdp"] == "PASS.dw_verdict", "the XDP program", p)
    check(said["tc-egress"] == "OK.matchall", "the filter of va", p)
    check(said["tc-ingress"] == ("SHOT.u32" if p[0][0] == 7003 else "UNSPEC.u32"), "the filter of vb", p)
    check(not any(s[4] for s in p), "an origin that is not known", p)
    if p[0][0] == 7003:
        check(rest[-1] == "drop", "the filter's drop", p)
    if n == 0:
        late = stages.index("neigh-wait") + 1
        check(stages[late] == "tc-egress" and p[late][2] >= 500, "the time of the neighbour", p)
check(kinds == {7001: 6, 7003: 4}, "counts", [kinds])
sys.exit(not ok)
END

# pktlat traces all stages, and asks for the stage before rather than for the identity.
"$dwire" pktlat -4 -D 7001 -d 1 >"$tmp/out" 2>"$tmp/err" || fail "pktlat: $(tail -n 3 "$tmp/err")"
