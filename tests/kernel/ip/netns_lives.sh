# SPDX-License-Identifier: GPL-2.0-or-later
# A trace of ip:::receive attaches to netfilter in each namespace, also in one that is made later, where each packet is
# counted once before and after. A namespace that is removed goes away while the trace runs.
since 6.4 || skip "needs BPF programs at netfilter (Linux 6.4)"
cat >"$tmp/trigger.sh" <<'END'
ns=dwt$$-later
links() { # of the tracer, our parent
	cat /proc/$PPID/fdinfo/* 2>/dev/null | grep -c '^link_type:.*netfilter'
}
before=$(links)
ip netns add "$ns"
echo "id=$(stat -L -c %i "/run/netns/$ns")"
ip -n "$ns" link set lo up
ip link add "dw$$" type veth peer name b netns "$ns"
packets() { # N datagrams, each answered by an ICMP error
	local i
	for ((i = 0; i < 5; i++)); do ip netns exec "$ns" bash -c 'echo hello >/dev/udp/127.0.0.1/9' 2>/dev/null; done
}
packets
for ((i = 0; i < 40 && $(links) == before; i++)); do sleep 0.1; done
echo "links=$(($(links) - before))"
packets
echo "received=$(ip netns exec "$ns" awk '/^Ip: [0-9]/ { print $4 }' /proc/net/snmp)"
echo "icmp=$(ip netns exec "$ns" awk '/^Icmp: [0-9]/ { print $2 }' /proc/net/snmp)"
ip netns del "$ns"
for ((i = 0; i < 40; i++)); do
	sleep 0.1
	ip link show "dw$$" >/dev/null 2>&1 || break
done
echo "waited=$i"
ip link del "dw$$" 2>/dev/null && echo "kept=1"
END
trace_with 'ip:::receive { @i[args[3]->if_ipstack] = count(); } icmp:::receive { @c[args[3]->if_ipstack] = count(); }
	END { printa("ip %d %@d\n", @i); printa("icmp %d %@d\n", @c); }' bash "$tmp/trigger.sh"
expect_eq "$(sed -n "s/^ip $(value_of id) //p" <<<"$OUT")" "$(value_of received)" "packets"
expect_eq "$(sed -n "s/^icmp $(value_of id) //p" <<<"$OUT")" "$(value_of icmp)" "messages"
expect_ge "$(value_of received)" 20 "packets that the kernel counts"
links=4
[ "${DWIRE_TEST_TIER:-hooks}" = hooks ] || links=0 # functions are the same in all namespaces
expect_eq "$(value_of links)" $links "links in the new namespace: two programs, two families"
expect_le "$(value_of waited)" 25 "tenths of a second until the removed namespace is gone"
expect_eq "$(grep -c kept "$tmp/trigger")" 0 "the namespace is gone"
