# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The identity of packets through tunnels, over IPv4 and IPv6, as far as this kernel has them: each datagram has one from its
# sender's output to its receiver's socket, with the tunnel's headers and without. It passes the tunnel's device and that
# below it on both sides.
need python3
need_traced path:::output,path:::transmit,path:::driver-in,path:::socket-in
modprobe -qa veth vxlan geneve ip_gre ipip sit ip6_tunnel ip6_gre
for n in a b; do netns_new "$n" && declare "$n=$NETNS" && declare "${n}_id=$NETNS_ID"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
for end in "$a va 1" "$b vb 2"; do
	read -r ns dev n <<<"$end"
	ip -n "$ns" addr add "10.77.1.$n/24" dev "$dev"
	ip -n "$ns" addr add "fd77:1::$n/64" dev "$dev" nodad
	ip -n "$ns" link set "$dev" up
done
kinds=()
tunnel() { # NAME WHAT...: ends with %4 or %6 for the address below; carries 10.88.N.0/24, or IPv6 if it is sit
	local name=$1 n=$((${#kinds[@]} + 1)) end ns near far what
	shift
	for end in "$a 1 2" "$b 2 1"; do
		read -r ns near far <<<"$end"
		what="${*//%L4/10.77.1.$near}" what="${what//%R4/10.77.1.$far}"
		what="${what//%L6/fd77:1::$near}" what="${what//%R6/fd77:1::$far}"
		# shellcheck disable=SC2086
		ip -n "$ns" link add "t$n" type $what 2>/dev/null || { ip -n "$a" link del "t$n" 2>/dev/null; return; }
		if [ "$name" = sit ]; then
			ip -n "$ns" addr add "fd88:$n::$near/64" dev "t$n" nodad
		else
			ip -n "$ns" addr add "10.88.$n.$near/24" dev "t$n"
		fi
		ip -n "$ns" link set "t$n" up
	done
	kinds+=("$name")
}
tunnel vxlan4 vxlan id 7 dstport 4789 local %L4 remote %R4
tunnel vxlan6 vxlan id 8 dstport 4790 local %L6 remote %R6
tunnel geneve4 geneve id 7 remote %R4
tunnel geneve6 geneve id 8 remote %R6
tunnel gre gre local %L4 remote %R4
tunnel gretap gretap local %L4 remote %R4 key 5
tunnel ipip ipip local %L4 remote %R4
tunnel sit sit local %L4 remote %R4
tunnel ip6gre ip6gre local %L6 remote %R6
tunnel ip6tnl ip6tnl mode ipip6 local %L6 remote %R6
[ ${#kinds[@]} -gt 0 ] || skip "this kernel has no tunnels"
for ((i = 1; i <= ${#kinds[@]}; i++)); do
	to=10.88.$i.2
	[ "${kinds[i - 1]}" != sit ] || to=fd88:$i::2
	cat <<END
ip netns exec $b timeout 30 python3 $tmp/get.py $to >$tmp/ready.$i &
for i in {1..100}; do ! grep -qs ready $tmp/ready.$i || break; sleep 0.1; done
ip netns exec $a udp_send -a $to -p 7001 -n 5 -k 200 >/dev/null
wait
END
done >"$tmp/talk.sh"
cat >"$tmp/get.py" <<'END'
import socket, sys
to = sys.argv[1]
u = socket.socket(socket.AF_INET6 if ":" in to else socket.AF_INET, socket.SOCK_DGRAM)
u.settimeout(20)
u.bind((to, 7001))
print("ready", flush=True)
for _ in range(5):
    u.recv(1000)
print("done")
END
"$dwire" "${dwire_opts[@]}" -x bufsize=8m -qn "path:::output, path:::transmit, path:::driver-in, path:::socket-in
	/ (args[0]->pkt_netns == $a_id || args[0]->pkt_netns == $b_id) && args[0]->pkt_id != 0 / {
	printf(\"stage %x %s %s %d %d\n\", args[0]->pkt_id, args[4]->path_stagestr, args[3]->if_name, args[4]->path_dport,
	    args[4]->path_midway); }
	path:::drop / args[0]->pkt_id != 0 && args[4]->path_dport == 7001 / { printf(\"stage %x %s %s %d %d\n\", args[0]->pkt_id,
	    args[5]->drop_reason, args[3]->if_name, args[4]->path_dport, 0); }" -c "$BASH $tmp/talk.sh" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
arrived=()
for ((i = 1; i <= ${#kinds[@]}; i++)); do
	grep -q "done" "$tmp/ready.$i" && arrived+=("$i:${kinds[i - 1]}") || echo "${kinds[i - 1]}: the kernel delivered nothing"
done
expect_ge "${#arrived[@]}" 1 "tunnels that deliver"
python3 - "$tmp/out" "${arrived[@]}" <<'END' >"$tmp/found" || fail "$(<"$tmp/found")"
import collections, sys
packets = collections.defaultdict(list)
for line in open(sys.argv[1]):
    w = line.split()
    if w and w[0] == "stage":
        packets[w[1]].append((w[2], w[3], w[4], w[5]))
good = True
for kind in sys.argv[2:]:
    t = "t" + kind.split(":")[0]
    want = [("output", t), ("transmit", t), ("transmit", "va"), ("driver-in", "vb"), ("driver-in", t), ("socket-in", t)]
    mine = [p for p in packets.values() if any(s[1] == t and s[2] == "7001" for s in p)]
    whole = [p for p in mine if all(w in [s[:2] for s in p] for w in want) and p[0][:2] == want[0]]
    print(kind, len(whole), "of", len(mine))
    if len(mine) != 5 or len(whole) != 5 or any(s[3] != "0" for p in mine for s in p):
        good = False
        print(*mine, sep="\n")
sys.exit(not good)
END
cat "$tmp/found"
exit $failed
