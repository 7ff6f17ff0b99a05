# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Rules of iptables' own kernel code (iptables-legacy): the table, chain and number of the rule that drops, against the
# rules' own counters, which iptables shows. Where functions can be traced.
need iptables-legacy ip6tables-legacy
need_traced path:::drop
modprobe -qa ip_tables ip6_tables iptable_filter ip6table_filter xt_udp xt_tcpudp ipt_REJECT ip6t_REJECT
"$dwire" -lvvn path:::filter | grep -q 'Site: fexit ipt_do_table$' || skip "no functions of iptables can be traced"
netns_new a
ns=$NETNS
tables() { # 4 or 6, WORDS…
	local v=${1#4}
	ip netns exec "$ns" "ip${v}tables-legacy" -w 20 "${@:2}"
}
tables 4 -N sub || skip "no iptables-legacy"
for v in 4 6; do
	[ $v = 4 ] || tables 6 -N sub || skip "no ip6tables-legacy"
	tables $v -A sub -p udp --dport 7669 -j ACCEPT
	tables $v -A sub -p udp --dport 7663 -j DROP
	tables $v -A INPUT -p udp --dport 7668 -j ACCEPT
	tables $v -A INPUT -p udp --dport 7661 -j DROP
	tables $v -A INPUT -p udp --dport 7662 -j REJECT
	tables $v -A INPUT -j sub
	tables $v -A OUTPUT -p udp --dport 7664 -j RETURN
	tables $v -A OUTPUT -j ACCEPT
	tables $v -P OUTPUT DROP
done
for to in 127.0.0.1 ::1; do
	for port in 7661 7662 7663 7664 7668; do echo "ip netns exec $ns udp_send -a $to -p $port -n $((port - 7658)) >/dev/null"; done
done >"$tmp/talk"
"$dwire" "${tier_opts[@]}" -qn 'path:::drop /args[4]->path_dport > 7660 && args[4]->path_dport < 7670 && args[5]->drop_reason == "NETFILTER_DROP"/ {
		@[args[4]->path_family, args[4]->path_table, args[4]->path_chain, args[4]->path_rule] = count(); }
	END { printa("%s %s %s %d %@d\n", @); }' -c "bash $tmp/talk" 2>"$tmp/err" | grep . | sort >"$tmp/out"
expect_eq "$(<"$tmp/err")" "" "messages"
# "Chain OUTPUT (policy DROP 6 packets, 888 bytes)", and lines of rules: number, packets, bytes, target
for v in 4 6; do
	tables $v -nvxL --line-numbers | awk -v family="ip${v#4}" '
		$1 == "Chain" { chain = $2; if ($4 == "DROP" && $5) print family, "filter", chain, 0, $5 }
		$1 ~ /^[0-9]+$/ && ($4 == "DROP" || $4 == "REJECT") { print family, "filter", chain, $1, $2 }'
done | sort >"$tmp/want"
expect_eq "$(<"$tmp/out")" "$(<"$tmp/want")" "rules, and what they count"
expect_eq "$(awk '{ n += $5 } END { print n }' "$tmp/want")" $((2 * (3 + 4 + 5 + 6))) "datagrams that were dropped"
exit $failed
