# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Every member of every argument of every probe that docs/providers names: none is unknown, refused by the verifier,
# or a fault when the probe fires. csinfo_t has all its members in every provider.
need python3
wire_new members
tc -n "$NETNS" qdisc add dev va root tbf rate 100mbit burst 20000 limit 100000 || skip "no tbf"
ip -n "$NETNS" addr add 10.78.3.1/24 dev va
traffic() {
	udp_echo -6 -n 2 && udp_send -n 1 && dns_talk -n 2 && tun_ping -4 -n 1 && getent hosts localhost && sock_calls -4
	udp_send -a 10.78.3.7 # who is not there
}
declare -f traffic >"$tmp/traffic"
echo traffic >>"$tmp/traffic"

without="failed resolved" # neigh: there are no packets
"$dwire" -en "skb:::clone { }" >/dev/null 2>&1 || without+=" clone"
for probe in neigh-wait gro xdp tc-ingress tc-egress route backlog socket-queue filter rule ipvs tcp-out udp-out; do # of functions
	"$dwire" -en "path:::$probe { }" >/dev/null 2>&1 || without+=" $probe"
done
for provider in sock net qdisc skb path softnet icmp neigh dns resolver ip udp; do
	# shellcheck disable=SC2086
	python3 "$here/docs/members.py" "$dwire" "$here/../.." "$NETNS_ID" "$provider" $without >>"$tmp/d" 2>"$tmp/err" || fail "$provider: $(<"$tmp/err")"
	expect_eq "$(<"$tmp/err")" "" "$provider: what dlib and docs say"
done
"$dwire" -q -s "$tmp/d" -c "ip netns exec $NETNS $BASH $tmp/traffic" >"$tmp/out" 2>"$tmp/err" || fail "dwire: $(head -n 5 "$tmp/err")"
# a packet's end in an interrupt of a packet's end is missed, and counted
expect_eq "$(grep -v '(recursion)$' "$tmp/err" | head -n 5)" "" "faults"
for probe in sock:create sock:send net:queue net:transmit-done qdisc:enqueue qdisc:dequeue skb:alloc skb:free path:output path:socket-in softnet:entry softnet:poll icmp:send neigh:request \
	dns:query dns:response resolver:lookup-start resolver:lookup-done ip:send udp:receive; do
	grep -q "^${probe/:/ } [a-z]" "$tmp/out" || fail "$probe: nothing"
done
