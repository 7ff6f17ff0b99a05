# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# The table, chain and rule that drop packets, against the handles that nft shows and the datagrams that were sent. Where
# functions can be traced each rule is known, and each chain that lets a packet go on. Elsewhere it is known if only one
# can have dropped the packet, and what is not sure is not said.
need nft
modprobe -qa nf_tables nft_reject_inet nft_reject_ipv4 nft_reject_ipv6
functions_traced && functions=1 || functions=0
netns_new a
ns=$NETNS
netns_new b
router=$NETNS
ip -n "$ns" link set lo up
ip -n "$ns" link add va type veth peer name vb netns "$router" || skip "no veth"
ip -n "$ns" addr add 10.78.30.1/24 dev va && ip -n "$ns" link set va up
ip -n "$router" addr add 10.78.30.2/24 dev vb && ip -n "$router" link set vb up
ip -n "$router" link add vd type veth peer name ve && ip -n "$router" link set ve up && ip -n "$router" addr add 10.78.31.2/24 dev vd && ip -n "$router" link set vd up
ip netns exec "$router" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
ip -n "$router" neigh add 10.78.31.9 lladdr 02:00:00:00:00:09 dev vd
ip -n "$ns" route add 10.78.31.0/24 via 10.78.30.2

# All rules and datagrams are in one trace: these functions write its command.
tables=0
rules() { # NAMESPACE: rules on standard input, which replace those before
	tables=$((tables + 1))
	cat >"$tmp/rules.$tables"
	echo "ip netns exec $1 nft flush ruleset && ip netns exec $1 nft -f $tmp/rules.$tables && ip netns exec $1 nft -a list ruleset >$tmp/handles.$tables" >>"$tmp/talk"
}

# Datagrams to a port: what is said of their drops where functions can be traced, and where they cannot:
# FAMILY|TABLE|CHAIN|RULE. RULE: the beginning of its line; 0: the policy.
cases=()
drops() { # NAME ADDRESS PORT FUNCTIONS HOOKS
	echo "ip netns exec $ns udp_send -a $2 -p $3 -n 3 >/dev/null" >>"$tmp/talk"
	cases+=("$1#$3#$([ $functions -eq 1 ] && echo "$4" || echo "$5")#$tables")
}

rules "$ns" <<'END'
table inet f {
	chain in { type filter hook input priority 0; udp dport 7001 counter; udp dport 7003 counter drop; }
	chain first { type filter hook input priority -10; meta l4proto udp accept; }
}
END
drops "one rule" 127.0.0.1 7003 "inet|f|in|udp dport 7003" "inet|f|in|udp dport 7003"
drops "one rule, IPv6" ::1 7003 "inet|f|in|udp dport 7003" "inet|f|in|udp dport 7003"

rules "$ns" <<'END'
table ip f {
	chain sub { udp dport 7004 drop; }
	chain in { type filter hook input priority 0; jump sub; udp dport 7009 drop; }
}
END
drops "a chain of a chain" 127.0.0.1 7004 "ip|f|sub|udp dport 7004" "ip|f||-1"
drops "behind a chain" 127.0.0.1 7009 "ip|f|in|udp dport 7009" "ip|f||-1"

rules "$ns" <<'END'
table ip f { chain in { type filter hook input priority 0; policy drop; udp dport != 7005 accept; }; }
END
drops "a policy" 127.0.0.1 7005 "ip|f|in|0" "ip|f|in|0"

rules "$ns" <<'END'
table ip f { chain in { type filter hook input priority 0; udp dport 7006 drop; udp dport 7007 drop; }; }
END
drops "one of two rules" 127.0.0.1 7007 "ip|f|in|udp dport 7007" "ip|f|in|-1"

rules "$ns" <<'END'
table ip f { chain in { type filter hook input priority 0; udp dport vmap { 7008: drop, 7009: accept }; }; }
END
drops "a map of verdicts" 127.0.0.1 7008 "ip|f|in|udp dport vmap" "ip|f||-1"

rules "$ns" <<'END'
table ip f { chain in { type filter hook input priority 0; udp dport 7010 reject; }; }
table ip g { chain out { type filter hook output priority 0; udp dport 7011 drop; }; }
END
drops "a refusal" 127.0.0.1 7010 "ip|f|in|udp dport 7010" "ip|f|in|udp dport 7010"
drops "a rule for output" 127.0.0.1 7011 "ip|g|out|udp dport 7011" "ip|g|out|udp dport 7011"

rules "$ns" <<'END'
table ip f { chain in { type filter hook input priority 0; udp dport 7012 drop; }; }
table ip g { chain in { type filter hook input priority 10; udp dport 7013 drop; }; }
END
drops "one of two tables" 127.0.0.1 7013 "ip|g|in|udp dport 7013" "|||-1"

echo "ip netns exec $ns nft flush ruleset" >>"$tmp/talk"
rules "$router" <<'END'
table ip f {
	chain in { type filter hook input priority 0; udp dport 7017 drop; }
	chain ahead { type filter hook forward priority 0; udp dport 7014 drop; }
	chain leave { type filter hook postrouting priority 0; udp dport 7015 drop; }
	chain come { type filter hook prerouting priority 0; udp dport 7016 drop; }
}
END
drops "a rule for packets that leave" 10.78.31.9 7015 "ip|f|leave|udp dport 7015" "ip|f|leave|udp dport 7015"
drops "a rule for packets that come" 10.78.31.9 7016 "ip|f|come|udp dport 7016" "ip|f|come|udp dport 7016"
drops "a rule for forwarding" 10.78.31.9 7014 "ip|f|ahead|udp dport 7014" "ip|f|ahead|udp dport 7014"
drops "a rule for input" 10.78.30.2 7017 "ip|f|in|udp dport 7017" "ip|f|in|udp dport 7017"

# Chains that let a packet go on, in their order: the last rules.
echo "ip netns exec $router nft flush ruleset" >>"$tmp/talk"
rules "$ns" <<'END'
table ip f {
	chain sub { udp dport 7020 accept; }
	chain in { type filter hook input priority 0; jump sub; }
	chain out { type filter hook output priority 0; }
}
END
echo "ip netns exec $ns udp_send -a 127.0.0.1 -p 7020 -n 1 >/dev/null" >>"$tmp/talk"

"$dwire" "${tier_opts[@]}" -qn 'path:::drop /args[4]->path_dport > 7000 && args[4]->path_dport < 7020 && args[5]->drop_reason == "NETFILTER_DROP"/ {
		@[args[4]->path_dport, args[2]->ip_ver, args[5]->drop_family, args[5]->drop_table, args[5]->drop_chain, args[5]->drop_rule,
		    args[4]->path_family == args[5]->drop_family && args[4]->path_table == args[5]->drop_table &&
		    args[4]->path_chain == args[5]->drop_chain && args[4]->path_rule == args[5]->drop_rule] = count(); }
	path::: /args[4]->path_dport == 7020/ { printf("%s %s|%s|%s|%d %s\n", args[4]->path_stagestr,
		args[4]->path_family, args[4]->path_table, args[4]->path_chain, args[4]->path_rule, args[4]->path_verdict); }
	END { printa("drop %d %d %s|%s|%s|%d %d %@d\n", @); }' \
	-c "bash $tmp/talk" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(<"$tmp/err")" "" "messages"
for c in "${cases[@]}"; do
	IFS='#' read -r name port want n <<<"$c"
	rule=${want##*|}
	[[ $rule == [-0-9]* ]] || rule=$(grep -F "chain $(cut -d'|' -f3 <<<"$want") {" -A9 "$tmp/handles.$n" | sed -n "s/^[[:space:]]*$rule.* # handle //p" | head -n 1)
	[[ $name == *IPv6* ]] && v=6 || v=4
	expect_eq "$(grep "^drop $port $v " "$tmp/out")" "drop $port $v ${want%|*}|$rule 1 3" "$name"
done
[ $functions -eq 1 ] || exit $failed
expect_eq "$(grep -E '^(output|filter|postrouting|prerouting|input) ' "$tmp/out" | sed 's/^\(output\|postrouting\|prerouting\|input\) .*/\1/')" "output
filter ip|f|out|0 ACCEPT
postrouting
prerouting
filter ip|f|sub|$(sed -n 's/.*7020.* # handle //p' "$tmp/handles.$tables") ACCEPT
input" "chains that let a packet go on"
exit $failed
