# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# ip: forward and drop, and each packet once: through a router, a macvlan, a VXLAN tunnel; options, extension headers, raw
# packets; both families. Against the kernel's counters and what was sent.
need ip
netns_new a && a=$NETNS na=$NETNS_ID
netns_new r && r=$NETNS nr=$NETNS_ID
netns_new b && b=$NETNS nb=$NETNS_ID

ip -n "$a" link add a0 type veth peer name r0 netns "$r" || skip "no veth"
ip -n "$b" link add b0 type veth peer name r1 netns "$r"
for end in "$a a0 1 1" "$r r0 1 2" "$r r1 2 2" "$b b0 2 1"; do
	read -r ns dev net host <<<"$end"
	ip -n "$ns" addr add "10.78.$net.$host/24" dev "$dev"
	ip -n "$ns" addr add "fd00:d:$net::$host/64" dev "$dev" nodad
	ip -n "$ns" link set "$dev" up
done
ip netns exec "$r" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
ip -n "$a" route add default via 10.78.1.2
ip -n "$b" route add default via 10.78.2.2
ip -n "$a" -6 route add default via fd00:d:1::2
ip -n "$b" -6 route add default via fd00:d:2::2

# Only packets with UDP, or of the raw test, count: what IPv6 says to its neighbours is not ours.
line='printf("%s ns=%d if=%s sa=%s da=%s plen=%d proto=%s reason=%s\n", probename, args[3]->if_ipstack, args[3]->if_name,
	args[2]->ip_saddr, args[2]->ip_daddr, args[2]->ip_plength,
	args[2]->ip_ver == 4 ? args[4]->ipv4_protostr : args[5]->ipv6_nextstr'
clause="ip:::send, ip:::receive, ip:::forward
/args[3]->if_ipstack == $na || args[3]->if_ipstack == $nr || args[3]->if_ipstack == $nb/ { $line, \"\"); }
ip:::drop /args[3]->if_ipstack == $na || args[3]->if_ipstack == $nr || args[3]->if_ipstack == $nb/ {
	$line, args[6]->drop_reason); }"

check() { # WHAT FROM TO COUNTER…: three datagrams through the router
	local what=$1 from=$2 to=$3 before
	shift 3
	before=$(snmp "$r" "$@")
	trace_in "$a" "$clause" trig_send "$to" 9 3
	local udp='v["proto"] == "UDP"'
	expect_count "p == \"send\" && v[\"ns\"] == $na && $udp && v[\"if\"] == \"a0\"" 3 "$what: sent"
	expect_count "p == \"receive\" && v[\"ns\"] == $nr && $udp && v[\"if\"] == \"r0\"" 3 "$what: received by the router"
	expect_count "p == \"forward\" && v[\"ns\"] == $nr && $udp && v[\"if\"] == \"r1\" && v[\"sa\"] == \"$from\" && v[\"da\"] == \"$to\"" 3 \
		"$what: forwarded"
	expect_count "p == \"forward\"" $(($(snmp "$r" "$@") - before)) "$what: as the router's kernel counts"
	expect_count "p == \"receive\" && v[\"ns\"] == $nb && $udp" 3 "$what: received"
	expect_count "p == \"drop\" && v[\"ns\"] == $nb && v[\"reason\"] == \"NO_SOCKET\" && $udp" 3 "$what: thrown away, for nobody wants them"
	expect_count "$udp && p != \"drop\"" 15 "$what: each once in each namespace, forwarded ones sent, too"
}

# trig_send ADDRESS PORT N: datagrams by the shell
trig_send() {
	local i
	for ((i = 0; i < $3; i++)); do echo hello >"/dev/udp/$1/$2"; done
}
{
	echo '#!/bin/bash'
	declare -f trig_send
	echo 'trig_send "$@"'
} >"$tmp/trig_send"
chmod +x "$tmp/trig_send"
PATH=$tmp:$PATH

# The neighbours get to know each other.
until_there() { # ADDRESS GROUP: a datagram has come through
	local i
	for ((i = 0; i < 50 && $(snmp "$b" "$2" NoPorts) == 0; i++)); do
		trigger ip netns exec "$a" trig_send "$1" 9 1
		sleep 0.1
	done
}
until_there 10.78.2.1 Udp
until_there fd00:d:2::1 Udp6
sleep 0.2

check "IPv4" 10.78.1.1 10.78.2.1 Ip ForwDatagrams
check "IPv6" fd00:d:1::1 fd00:d:2::1 Ip6 OutForwDatagrams

# Nowhere to go.
trace_in "$a" "$clause" trig_send 10.79.0.1 9 2
expect_count "p == \"drop\" && v[\"ns\"] == $nr && v[\"reason\"] == \"IP_INNOROUTES\" && v[\"da\"] == \"10.79.0.1\"" 2 "no route: why"
expect_count 'p == "forward" && v["proto"] == "UDP"' 0 "no route: nothing is forwarded"

# A macvlan in a namespace of its own: its packets cross the lower device too.
netns_new m && m=$NETNS nm=$NETNS_ID
ip -n "$a" link add link a0 name mv0 type macvlan mode bridge && ip -n "$a" link set mv0 netns "$m" || skip "no macvlan"
ip -n "$m" addr add 10.78.1.9/24 dev mv0
ip -n "$m" link set mv0 up
clause="ip:::send, ip:::receive, ip:::forward
/args[3]->if_ipstack == $na || args[3]->if_ipstack == $nr || args[3]->if_ipstack == $nm/ { $line, \"\"); }"
trace_in "$m" "$clause" trig_send 10.78.1.2 9 3
udp='v["proto"] == "UDP" && v["sa"] == "10.78.1.9"'
expect_count "p == \"send\" && v[\"ns\"] == $nm && $udp && v[\"if\"] == \"mv0\"" 3 "macvlan: sent"
expect_count "p == \"receive\" && v[\"ns\"] == $nr && $udp && v[\"if\"] == \"r0\"" 3 "macvlan: received"
expect_count "$udp" 6 "macvlan: once each"

# A VXLAN tunnel from a to r: the inner packet once, the outer one once.
ip -n "$a" link add vx0 type vxlan id 7 dstport 4790 remote 10.78.1.2 dev a0 || skip "no VXLAN"
ip -n "$r" link add vx0 type vxlan id 7 dstport 4790 remote 10.78.1.1 dev r0
ip -n "$a" addr add 10.80.0.1/24 dev vx0 && ip -n "$r" addr add 10.80.0.2/24 dev vx0
ip -n "$a" link set vx0 up && ip -n "$r" link set vx0 up
trigger ip netns exec "$a" trig_send 10.80.0.2 9 1
sleep 0.2
trace_in "$a" "$clause" trig_send 10.80.0.2 9 3
inner="v[\"da\"] == \"10.80.0.2\" && v[\"proto\"] == \"UDP\"" # 14 bytes; the tunnel adds Ethernet, VXLAN, UDP, and IP
outer="v[\"da\"] == \"10.78.1.2\" && v[\"proto\"] == \"UDP\" && v[\"plen\"] == $((14 + 20 + 14 + 8 + 8))"
expect_count "p == \"send\" && v[\"ns\"] == $na && $inner && v[\"if\"] == \"vx0\"" 3 "VXLAN: inner sent"
expect_count "p == \"receive\" && v[\"ns\"] == $nr && $inner && v[\"if\"] == \"vx0\"" 3 "VXLAN: inner received"
expect_count "p == \"send\" && v[\"ns\"] == $na && $outer && v[\"if\"] == \"a0\"" 3 "VXLAN: outer sent"
expect_count "p == \"receive\" && v[\"ns\"] == $nr && $outer && v[\"if\"] == \"r0\"" 3 "VXLAN: outer received"
expect_count "($inner || $outer) && p == \"forward\"" 0 "VXLAN: nothing is forwarded"
expect_count "$inner || $outer" 12 "VXLAN: once each"
