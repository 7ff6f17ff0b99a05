# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Where functions can be traced: actions of tc, each rule of a traced packet, virtual services and real servers, against the
# counters of tc, nf_tables and IPVS.
need nft
need_functions
modprobe -qa veth sch_ingress cls_u32 act_gact act_police nf_tables ip_vs ip_vs_rr
for n in a b; do netns_new "$n" && declare "$n=$NETNS"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
ip -n "$a" addr add 10.78.42.1/24 dev va && ip -n "$a" link set va up
ip -n "$b" addr add 10.78.42.2/24 dev vb && ip -n "$b" link set vb up
traced() { # PORTS AND COUNTS, CLAUSE: what the aggregation has, a line a key, words apart by one space
	local pair
	: >"$tmp/talk"
	for pair in $1; do echo "ip netns exec $a udp_send -a 10.78.42.2 -p ${pair%:*} -n ${pair#*:} >/dev/null" >>"$tmp/talk"; done
	"$dwire" "${tier_opts[@]}" -qn "$2" -c "bash $tmp/talk" 2>"$tmp/err" | sed 's/  */ /g; s/^ //' | grep . | sort
	expect_eq "$(<"$tmp/err")" "" "messages"
}

tc -n "$a" qdisc add dev va clsact && {
	tc -n "$a" filter add dev va egress protocol ip prio 1 u32 match ip dport 7511 0xffff action drop index 11
	tc -n "$a" filter add dev va egress protocol ip prio 2 u32 match ip dport 7512 0xffff action police rate 8bit burst 1 \
		conform-exceed drop/drop index 12
}
expect_eq "$(traced "7511:3 7512:2" 'path:::tc-egress /args[4]->path_dport > 7500/ {
	@[args[4]->path_dport, args[4]->path_verdict, args[4]->path_by, args[4]->path_act, args[4]->path_actindex] = count(); }')" \
	"7511 SHOT u32 gact 11 3
7512 SHOT u32 police 12 2" "actions of tc"
expect_eq "$(tc -n "$a" -s filter show dev va egress | grep -o '(dropped [0-9]*')" "(dropped 3
(dropped 2" "what tc counts"

ip netns exec "$b" nft -f - <<'END'
table ip t {
	chain first { type filter hook prerouting priority -300; udp dport 7520 meta nftrace set 1; }
	chain sub { udp dport 7520 counter; }
	chain in { type filter hook input priority 0; udp dport 7520 counter jump sub; udp dport 7520 counter accept; }
}
END
# (no stage is traced: there is none before)
traced 7520:6 'path:::rule /args[4]->path_time == 0/ { @[args[4]->path_table, args[4]->path_chain, args[4]->path_rule, args[4]->path_verdict] = count(); }' \
	>"$tmp/rules"
handles=$(ip netns exec "$b" nft -a list ruleset | sed -n 's/.*counter packets \([0-9]*\).* handle \([0-9]*\)$/\2 \1/p')
expect_eq "$(awk '$2 != "first" && $3 > 0 { print $3, $NF }' "$tmp/rules" | sort)" "$(sort <<<"$handles")" "rules and their counters"
expect_eq "$(awk '$3 > 0 { print $2, $4 }' "$tmp/rules" | sort)" "first CONTINUE
in ACCEPT
in JUMP
sub CONTINUE" "chains and verdicts"

command -v ipvsadm >/dev/null && ip netns exec "$b" ipvsadm -A -u 10.78.42.2:7530 -s rr || exit $failed
ip netns exec "$b" ipvsadm -a -u 10.78.42.2:7530 -r 10.78.42.9:7531 -m
ip netns exec "$b" ipvsadm -A -u 10.78.42.2:7532 -s rr
traced "7530:4 7532:3" 'path:::ipvs /args[4]->path_protostr == "UDP"/ {
	@[args[4]->path_dport, args[4]->path_verdict, args[4]->path_vaddr, args[4]->path_vport, args[4]->path_raddr,
	    args[4]->path_rport] = count(); }' >"$tmp/services"
expect_eq "$(<"$tmp/services")" "7530 MASQ 10.78.42.2 7530 10.78.42.9 7531 4
7532 NO_SERVER 10.78.42.2 7532 0 3" "services"
expect_eq "$(ip netns exec "$b" ipvsadm -Ln --stats | awk '/7531/ { print $4 }')" 4 "what IPVS counts"
exit $failed
