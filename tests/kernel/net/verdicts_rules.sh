# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# The rules of a bridge and of devices (nf_tables' families bridge and netdev), and those of iptables-nft, against the
# datagrams that were sent and the rules' own counters, by their handles. With hooks alone dwire does not know the rules of
# bridges and devices, and knows those of iptables-nft only where one rule can have dropped the packet.
need nft
need_traced path:::drop,path:::driver-in
functions_traced && functions=1 || functions=0
modprobe -qa veth bridge nf_tables nft_meta_bridge nft_compat xt_udp ipt_REJECT nft_reject_ipv4
for n in a b c; do netns_new "$n" && declare "$n=$NETNS"; done
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
ip -n "$b" link add br0 type bridge || skip "no bridge"
ip -n "$a" addr add 10.78.49.1/24 dev va && ip -n "$a" link set va up
ip -n "$b" link set vb master br0 && ip -n "$b" link set vb up
ip -n "$b" addr add 10.78.49.2/24 dev br0 && ip -n "$b" link set br0 up
cat >"$tmp/rules" <<'END'
table bridge f {
	chain come { type filter hook prerouting priority 0; udp dport 7631 counter drop; }
	chain in { type filter hook input priority 0; udp dport 7632 counter drop; }
	chain out { type filter hook output priority 0; udp dport 7633 counter drop; }
}
table netdev g {
	chain come { type filter hook ingress device vb priority 0; udp dport 7634 counter drop; }
END
# devices have rules for what leaves since Linux 5.16
since 5.16 && echo 'chain leave { type filter hook egress device vb priority 0; udp dport 7635 counter drop; }' >>"$tmp/rules"
echo '}' >>"$tmp/rules"
ip netns exec "$b" nft -f "$tmp/rules" || skip "no rules of bridges or devices"
iptables() { ip netns exec "$c" iptables-nft "$@"; }
! command -v iptables-nft >/dev/null || ! iptables -N sub || {
	iptables -A sub -p udp --dport 7643 -j DROP
	iptables -A INPUT -p udp --dport 7641 -j DROP
	iptables -A INPUT -p udp --dport 7642 -j REJECT
	iptables -A INPUT -j sub
}
for i in {1..100}; do # until the bridge passes packets
	ip netns exec "$a" udp_send -a 10.78.49.2 -p 9 >/dev/null
	! ip -n "$a" neigh show 10.78.49.2 | grep -q lladdr || break
	sleep 0.1
done
for port in 7631 7632 7634; do echo "ip netns exec $a udp_send -a 10.78.49.2 -p $port -n 3 >/dev/null"; done >"$tmp/talk"
for port in 7633 7635; do echo "ip netns exec $b udp_send -a 10.78.49.1 -p $port -n 3 >/dev/null"; done >>"$tmp/talk"
for port in 7641 7642 7643; do echo "ip netns exec $c udp_send -a 127.0.0.1 -p $port -n 3 >/dev/null"; done >>"$tmp/talk"
"$dwire" "${tier_opts[@]}" -qn 'path:::drop /args[4]->path_dport > 7630 && args[4]->path_dport < 7650 && args[5]->drop_reason == "NETFILTER_DROP"/ {
		@[args[4]->path_dport, args[4]->path_hook, args[4]->path_family, args[4]->path_table, args[4]->path_chain, args[4]->path_rule] = count(); }
	path:::output, path:::driver-in, path:::device-in, path:::prerouting { }
	END { printa("%d %s %s|%s|%s|%d %@d\n", @); }' -c "bash $tmp/talk" 2>"$tmp/err" | grep . | sort >"$tmp/out"
expect_eq "$(<"$tmp/err")" "" "messages"
for ns in "$b" "$c"; do ip netns exec "$ns" nft -a list ruleset 2>"$tmp/warning"; done |
	sed -n 's/^table \(.*\) \(.*\) {.*/t \1|\2/p; s/.*chain \([^ ]*\) {.*/c \1/p; s/.*udp dport \([0-9]*\) counter packets \([0-9]*\) .*handle /r \1 \2 /p' |
	awk '$1 == "t" { t = $2 } $1 == "c" { c = $2 } $1 == "r" { print $2, t "|" c "|" $4, $3 }' | sort >"$tmp/want"
if [ $functions -eq 1 ]; then
	expect_eq "$(sed 's/^\([0-9]*\) [^ ]* /\1 /' "$tmp/out")" "$(<"$tmp/want")" "rules, and what they count"
	expect_eq "$(sed 's/ [^ ]*|.*//' "$tmp/out" | tr '\n' ' ' | sed 's/764.*//')" "7631 prerouting 7632 input 7633 output 7634 ingress $(since 5.16 && echo '7635 egress ')" "hooks"
else
	expect_eq "$(grep -v ' ip|' "$tmp/out" | sed 's/ .* / /')" "$(grep -v ' ip|' "$tmp/want" | sed 's/ .* / /')" "drops of bridges and devices"
	! grep -E 'bridge|netdev|^763.*[a-z]' "$tmp/out" || fail "more is said than can be known"
	expect_eq "$(grep ' ip|' "$tmp/out" | sed 's/.*r input //' | sort -u)" "$(grep -q ' ip|' "$tmp/want" && echo 'ip|filter||-1 3')" "one of three rules"
fi
grep -q ' ip|' "$tmp/want" || exit $failed
expect_eq "$(iptables -nvxL | sed -n 's/^ *\([0-9]*\) .* dpt:\([0-9]*\).*/\2 \1/p' | sort)" \
	"$(sed -n 's/^\(764.\) .* \([0-9]*\)$/\1 \2/p' "$tmp/out")" "what iptables counts"
exit $failed
