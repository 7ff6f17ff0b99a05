# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# VLANs in VLANs (QinQ): the tag of the outermost is beside the packet's data, one or two others are in the data. Datagrams
# and TCP's segments, over IPv4 and IPv6, have one identity and the same ports at each stage of each device, both ways.
need python3
need_traced path:::output,path:::queue,path:::transmit,path:::driver-in,path:::device-in,path:::socket-in
modprobe -qa veth 8021q sch_ingress cls_matchall act_gact
for n in a b; do netns_new "$n" && declare "$n=$NETNS" && declare "${n}_id=$NETNS_ID"; done
ip -n "$a" link add e0 type veth peer name e0 netns "$b" || skip "no veth"
for end in "$a 1" "$b 2"; do
	read -r ns n <<<"$end"
	ip -n "$ns" link set e0 up
	for dev in "1 802.1ad" "2 802.1Q" "3 802.1Q"; do
		read -r i proto <<<"$dev"
		ip -n "$ns" link add link "e$((i - 1))" name "e$i" type vlan proto "$proto" id "$((i + 4))" || skip "no VLAN devices"
		ip -n "$ns" addr add "10.78.$((48 + i)).$n/24" dev "e$i"
		ip -n "$ns" addr add "fd78:$((48 + i))::$n/64" dev "e$i" nodad
		ip -n "$ns" link set "e$i" up
	done
done
wait_up "$a" e3
wait_up "$b" e3
cat >"$tmp/talk" <<END
for i in 50 51; do
	python3 $PYTHONPATH/talk.py $a fd78:\$i::2 10.78.\$i.2 $b
done
END
"$dwire" "${tier_opts[@]}" -x bufsize=8m -qn "path:::output, path:::queue, path:::transmit, path:::driver-in, path:::device-in,
	path:::prerouting, path:::socket-in
	/ (args[4]->path_sport == 7100 || args[4]->path_dport == 7100) &&
	  (args[0]->pkt_netns == $a_id || args[0]->pkt_netns == $b_id) / {
		printf(\"stage %d %s.%s %s %s %d %d %d\n\", args[4]->path_id, args[4]->path_stagestr, args[3]->if_name,
		    args[4]->path_protostr, args[2]->ip_saddr, args[4]->path_sport, args[4]->path_dport, args[2]->ip_ver); }" \
	-c "bash $tmp/talk" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
python3 - "$tmp/out" >"$tmp/found" <<'END' || fail "$(<"$tmp/found")"
import collections, sys
ways, flows = {}, {}
for line in open(sys.argv[1]):
    w = line.split()
    if w and w[0] == "stage":
        ways.setdefault(w[1], []).append(w[2])
        flows.setdefault(w[1], set()).add(tuple(w[3:]))
def way(top):
    down = [f"{s}.e{i}" for i in range(top, -1, -1) for s in ("queue", "transmit")]
    return [f"output.e{top}"] + down + ["driver-in.e0", "device-in.e0", f"prerouting.e{top}", f"socket-in.e{top}"]
datagrams, segments = collections.Counter(), collections.Counter()
good = True
for n, stages in ways.items():
    proto, addr, sport, _, ver = next(iter(flows[n]))
    top = 2 if addr.startswith(("10.78.50.", "fd78:50:")) else 3
    key = top, ver, "back" if sport == "7100" else "there"
    (datagrams if proto == "UDP" else segments)[key] += 1
    if len(flows[n]) != 1 or stages != way(top):
        good = False
        print(n, flows[n], stages)
for want in ((t, v, d) for t in (2, 3) for v in "46" for d in ("there", "back")):
    if datagrams[want] != 5 or segments[want] < 3:
        good = False
        print(want, datagrams[want], "datagrams, want 5;", segments[want], "segments, want some")
sys.exit(not good)
END
# Where functions can be traced: tc's filters at the device below, both ways.
if functions_traced && tc -n "$b" qdisc add dev e0 clsact 2>/dev/null; then
	for dir in ingress egress; do tc -n "$b" filter add dev e0 $dir matchall action ok || skip "no matchall"; done
	"$dwire" "${tier_opts[@]}" -x bufsize=8m -qn 'path:::tc-ingress, path:::tc-egress /args[4]->path_protostr == "UDP"/ {
		@[args[4]->path_stagestr, args[4]->path_sport == 7100, args[4]->path_dport == 7100, args[4]->path_verdict] = count(); }
		END { printa("tc %s %d %d %s %@d\n", @); }' -c "bash $tmp/talk" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
	expect_eq "$(grep ^tc "$tmp/out" | sort | tr '\n' ';')" "tc tc-egress 1 0 OK 20;tc tc-ingress 0 1 OK 20;" "tc"
fi
exit $failed
