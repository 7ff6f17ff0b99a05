# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# if_speed is the speed that the device reports; 0 for a device without a link, or in another namespace than
# dwire's.
netns_new speed
ip -n "$NETNS" link add sp0 type veth peer name sp1
ip -n "$NETNS" addr add 10.9.8.1/24 dev sp0
ip -n "$NETNS" link set sp0 up
ip -n "$NETNS" link set sp1 up
want=$(ip netns exec "$NETNS" cat /sys/class/net/sp0/speed)
expect_ge "$want" 1 "the speed of a veth pair"
cat >"$tmp/traffic" <<-'END'
	#!/bin/bash
	ip -n "$1" neigh replace 10.9.8.2 lladdr 02:00:00:00:00:01 dev sp0
	ip netns exec "$1" bash -c 'echo x >/dev/udp/10.9.8.2/9; echo x >/dev/udp/127.0.0.1/9'
END
chmod +x "$tmp/traffic"
program="ip:::send /args[3]->if_ipstack == $NETNS_ID && args[4]->ipv4_protostr == \"UDP\"/"'
	{ @[args[3]->if_name, args[3]->if_speed] = count(); }
	END { printa("%s [%s] %@d\n", @); }'
nsenter --net="/run/netns/$NETNS" "$dwire" -q -n "$program" -c "$tmp/traffic $NETNS" >"$tmp/out" 2>"$tmp/err"
expect_match "$(<"$tmp/err")" '^dwire: warning: in network namespace [^ ]*: the whole machine is traced[^$]*$' "whose view"
expect_eq "$(sort "$tmp/out" | sed '/^$/d')" "lo [] 1
sp0 [$want] 1" "inside"
"$dwire" -q -n "$program" -c "$tmp/traffic $NETNS" >"$tmp/out" 2>&1
expect_eq "$(sort "$tmp/out" | sed '/^$/d')" "lo [] 1
sp0 [] 1" "from outside"
