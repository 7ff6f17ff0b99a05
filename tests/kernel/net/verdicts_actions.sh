# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Where functions can be traced: each action that tc can carry out at ingress, by its kind and index, against the datagrams
# that were sent.
need clang
need_functions
modprobe -qa veth dummy sch_ingress cls_u32 act_mirred
"$dwire" -lvvn path:::tc-ingress | grep -q 'Site: fentry tcf_mirred_act$' || skip "no functions of modules can be traced"
for n in a b; do netns_new "$n" && declare "$n=$NETNS"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
ip -n "$a" addr add 10.78.43.1/24 dev va && ip -n "$a" link set va up
ip -n "$b" addr add 10.78.43.2/24 dev vb && ip -n "$b" link set vb up
ip -n "$b" link add dm type dummy && ip -n "$b" link set dm up
tc -n "$b" qdisc add dev vb clsact || skip "no sch_ingress"
wait_up "$a" va
cat >"$tmp/act.c" <<'END'
__attribute__((section("act"), used)) int dw_act(void *c) { return 0; }
char _license[] __attribute__((section("license"), used)) = "GPL";
END
clang -O2 -g -target bpf -c "$tmp/act.c" -o "$tmp/act.o" 2>"$tmp/err" || skip "no BPF by clang: $(<"$tmp/err")"

# Without the ends of functions, only redirections would be seen: the probe is refused.
"$dwire" -x tier=kprobes -qn 'path:::tc-ingress { } dtrace:::BEGIN { exit(0); }' >"$tmp/out" 2>&1 && fail "traced in the tier kprobes"

# Each action has a port of its own, and its index is the port. What a kernel or tc lacks is left out.
port=7540
: >"$tmp/want" && : >"$tmp/talk"
action() { # VERDICT KIND WORDS…
	local verdict=$1 kind=$2
	port=$((port + 1))
	modprobe -q "act_$kind"
	tc -n "$b" filter add dev vb ingress protocol ip prio $((port - 7000)) u32 match ip dport $port 0xffff \
		action "${@:2}" index $port 2>"$tmp/tc" || {
		echo "left out: $kind: $(tail -n 1 "$tmp/tc")"
		return
	}
	echo "$port $verdict u32 $kind $port 2" >>"$tmp/want"
	echo "ip netns exec $a udp_send -a 10.78.43.2 -p $port -n 2 >/dev/null" >>"$tmp/talk"
}
action OK gact ok
action SHOT gact drop
action PIPE mirred egress mirror dev dm
action CONSUMED mirred egress redirect dev dm
action OK pedit munge ip ttl set 9 ok
action OK vlan push id 7 ok
action OK nat ingress 10.78.43.2/32 10.78.43.9
action OK skbedit mark 7 ok
action OK skbmod set smac 02:00:00:00:00:01 ok
action OK csum ip ok
action OK tunnel_key set src_ip 10.78.44.1 dst_ip 10.78.44.2 id 7 ok
action PIPE ct
action OK sample rate 1 group 7 ok
action OK connmark zone 0 ok
action PIPE mpls push label 7
action OK mpls push label 7 ok
action PIPE simple sdata x
action PIPE ctinfo dscp 0xfc000000 0x01000000
action SHOT police rate 8bit burst 1 conform-exceed drop/drop
action SHOT gate clockid CLOCK_TAI sched-entry close 1000000000 -1 -1
action PIPE gate clockid CLOCK_TAI sched-entry open 1000000000 -1 -1
action OK ife encode use mark 7 ok
action OK bpf object-file "$tmp/act.o" section act
# Frames that the other end wraps in IFE: the packet is there again when the action has decoded it.
port=$((port + 1))
if tc -n "$a" qdisc add dev va clsact && tc -n "$a" filter add dev va egress protocol ip u32 match ip dport $port 0xffff \
	action ife encode use mark 7 pass && tc -n "$b" filter add dev vb ingress protocol 0xed3e prio 1000 u32 match u32 0 0 \
	action ife decode pass index $port; then
	echo "$port OK u32 ife $port 2" >>"$tmp/want"
	echo "ip netns exec $a udp_send -a 10.78.43.2 -p $port -n 2 >/dev/null" >>"$tmp/talk"
fi
sed -i 's/ bpf [0-9]*/& dw_act/' "$tmp/want"
"$dwire" "${tier_opts[@]}" -qn 'path:::tc-ingress /args[4]->path_dport > 7540 && args[4]->path_dport < 7570/ {
		@[args[4]->path_dport, args[4]->path_verdict, args[4]->path_by, args[4]->path_act, args[4]->path_actindex,
		    args[4]->path_prog] = count(); }' -c "bash $tmp/talk" 2>"$tmp/err" | sed 's/  */ /g; s/^ //' | grep . | sort >"$tmp/out"
expect_eq "$(<"$tmp/err")" "" "messages"
expect_eq "$(<"$tmp/out")" "$(<"$tmp/want")" "actions of tc"
exit $failed
