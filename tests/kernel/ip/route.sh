# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Packets through a router and through a bridge: once for each namespace that routes, never for a bridge's ports; the
# interface of each; an ICMP error on its way back; fragments, each one a packet that IP receives.
netns_new a && a=$NETNS na=$NETNS_ID
netns_new r && r=$NETNS nr=$NETNS_ID
netns_new b && b=$NETNS nb=$NETNS_ID

ip -n "$a" link add a0 type veth peer name r0 netns "$r" || skip "no veth"
ip -n "$b" link add b0 type veth peer name r1 netns "$r"
for end in "$a a0 10.77.1.1" "$r r0 10.77.1.2" "$r r1 10.77.2.2" "$b b0 10.77.2.1"; do
	read -r ns dev addr <<<"$end"
	ip netns exec "$ns" sh -c "echo 1 >/proc/sys/net/ipv6/conf/$dev/disable_ipv6"
	ip -n "$ns" addr add "$addr/24" dev "$dev"
	ip -n "$ns" link set "$dev" up
done
ip netns exec "$r" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
ip -n "$a" route add default via 10.77.1.2
ip -n "$b" route add default via 10.77.2.2

line='printf("%s ns=%d if=%s local=%d proto=%s sa=%s da=%s ttl=%d plen=%d off=%d mf=%d\n", probename, args[3]->if_ipstack,
	args[3]->if_name, args[3]->if_local, args[4]->ipv4_protostr, args[2]->ip_saddr, args[2]->ip_daddr, args[4]->ipv4_ttl,
	args[2]->ip_plength, args[4]->ipv4_offset, (args[4]->ipv4_flags & IPV4_MF) != 0) }'
clause="ip:::send, ip:::receive /args[3]->if_ipstack == $na || args[3]->if_ipstack == $nr || args[3]->if_ipstack == $nb/ { $line"
there="sa=10.77.1.1 da=10.77.2.1" back="sa=10.77.2.1 da=10.77.1.1"

# One datagram to a port where nobody listens: a UDP packet there, an ICMP error (8 + 20 + 14 bytes) back.
trace_in "$a" "$clause" "$BASH" -c 'echo hello >/dev/udp/10.77.2.1/9'
expect_eq "$OUT" "send ns=$na if=a0 local=0 proto=UDP $there ttl=64 plen=14 off=0 mf=0
receive ns=$nr if=r0 local=0 proto=UDP $there ttl=64 plen=14 off=0 mf=0
send ns=$nr if=r1 local=0 proto=UDP $there ttl=63 plen=14 off=0 mf=0
receive ns=$nb if=b0 local=0 proto=UDP $there ttl=63 plen=14 off=0 mf=0
send ns=$nb if=b0 local=0 proto=ICMP $back ttl=64 plen=42 off=0 mf=0
receive ns=$nr if=r1 local=0 proto=ICMP $back ttl=64 plen=42 off=0 mf=0
send ns=$nr if=r0 local=0 proto=ICMP $back ttl=63 plen=42 off=0 mf=0
receive ns=$na if=a0 local=0 proto=ICMP $back ttl=63 plen=42 off=0 mf=0" "through a router"

# 4000 bytes: 1480, 1480 and 1048 bytes of IP payload.
trace_in "$a" "$clause" "$BASH" -c 'head -c 4000 /dev/zero >/dev/udp/10.77.2.1/9'
want="proto=UDP $there ttl=63 plen=1480 off=0 mf=1
proto=UDP $there ttl=63 plen=1480 off=1480 mf=1
proto=UDP $there ttl=63 plen=1048 off=2960 mf=0"
expect_eq "$(lines "p == \"receive\" && v[\"ns\"] == $nb && v[\"proto\"] == \"UDP\"" | sed 's/.*local=0 //')" "$want" \
	"fragments received at the end"
expect_eq "$(lines "p == \"send\" && v[\"ns\"] == $nr && v[\"proto\"] == \"UDP\"" | sed 's/.*local=0 //')" "$want" \
	"fragments that the router sends"
expect_eq "$(lines "p == \"receive\" && v[\"ns\"] == $nr && v[\"proto\"] == \"UDP\"" | sed 's/.*local=0 //')" \
	"${want//ttl=63/ttl=64}" "fragments that the router receives"
expect_total plen "p == \"send\" && v[\"ns\"] == $na && v[\"proto\"] == \"UDP\"" 4008 "bytes that the sender's IP sends"

# A bridge instead of the router: it is not IP.
ip -n "$r" addr flush dev r0
ip -n "$r" addr flush dev r1
ip -n "$r" link add br0 type bridge || skip "no bridge"
for dev in r0 r1; do ip -n "$r" link set "$dev" master br0; done
ip netns exec "$r" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/br0/disable_ipv6'
ip -n "$r" link set br0 up
ip -n "$a" route replace 10.77.2.0/24 dev a0
ip -n "$b" route replace 10.77.1.0/24 dev b0
trace_in "$a" "$clause" "$BASH" -c 'echo hello >/dev/udp/10.77.2.1/9'
expect_eq "$OUT" "send ns=$na if=a0 local=0 proto=UDP $there ttl=64 plen=14 off=0 mf=0
receive ns=$nb if=b0 local=0 proto=UDP $there ttl=64 plen=14 off=0 mf=0
send ns=$nb if=b0 local=0 proto=ICMP $back ttl=64 plen=42 off=0 mf=0
receive ns=$na if=a0 local=0 proto=ICMP $back ttl=64 plen=42 off=0 mf=0" "through a bridge"
