# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A device whose name was longer before: the kernel keeps the end of that behind the new name. It is no part of the name in
# comparisons, keys and options.
netns_new a
ip -n "$NETNS" link add averylongname0 type veth peer name other || skip "no veth"
ip -n "$NETNS" link set averylongname0 name sh0
for dev in sh0 other; do
	ip -n "$NETNS" link set "$dev" up
done
ip -n "$NETNS" addr add 10.78.41.1/24 dev sh0
ip -n "$NETNS" neigh add 10.78.41.9 lladdr 02:00:00:00:00:09 dev sh0
sends="ip netns exec $NETNS udp_send -a 10.78.41.9 -n 7"
"$dwire" -qn "net:::queue /args[3]->if_ipstack == $NETNS_ID && args[0]->pkt_protocol == 0x800/ { @n[args[3]->if_name, args[3]->if_name == \"sh0\",
	args[3]->if_name != \"sh0\", strlen(args[3]->if_name)] = count(); @c[strjoin(args[3]->if_name, \"!\")] = count(); }
	END { printa(\"%s %d %d %d %@d\n\", @n); printa(\"%s %@d\n\", @c); }" -c "$sends" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(grep '^sh0' "$tmp/out")" "sh0 1 0 3 7
sh0! 7" "names"
"$dwire" netsize -i sh0 --json --everyone --command "$sends" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/out")" '"place":"send_bytes".*"count":7}' "netsize -i"
exit $failed
