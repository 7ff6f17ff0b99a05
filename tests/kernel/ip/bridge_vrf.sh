# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Packets that netfilter sees more often than IP: through a bridge with br_netfilter, where they pass a third namespace's
# hooks, and of a VRF, where they pass the hooks of two devices. Each is sent and received once, belongs to its process,
# and counts as the kernel counts.
need python3 nft
netns_new client && client=$NETNS nc=$NETNS_ID
netns_new server && server=$NETNS ns=$NETNS_ID
netns_new bridge && bridge=$NETNS nb=$NETNS_ID

address() { # NETNS DEVICE NET HOST
	ip -n "$1" addr add "10.79.$3.$4/24" dev "$2"
	ip -n "$1" addr add "fd00:d:7$3::$4/64" dev "$2" nodad
	ip -n "$1" link set "$2" up
}

# Only what the two say to each other: IPv6 also says things to its neighbours.
clause="tcp:::send, tcp:::receive, udp:::send, udp:::receive /args[1]->cs_netns == $nc || args[1]->cs_netns == $ns || args[1]->cs_netns == $nb/ {
	printf(\"%s prov=%s ns=%d name=%s ver=%d\\n\", probename, probeprov, args[1]->cs_netns, args[1]->cs_execname, args[2]->ip_ver); }
ip:::send, ip:::receive /(args[3]->if_ipstack == $nc || args[3]->if_ipstack == $ns || args[3]->if_ipstack == $nb) &&
    args[2]->ip_ver == 4/ {
	printf(\"%s prov=%s ns=%d if=%s\\n\", probename, probeprov, args[3]->if_ipstack, args[3]->if_name); }
mib:::tcpInSegs, mib:::tcpOutSegs, mib:::udpInDatagrams, mib:::udpOutDatagrams, mib:::ipInReceives, mib:::ipOutRequests,
mib:::ipInDelivers, mib:::ipForwDatagrams /args[1]->cs_netns == $nc || args[1]->cs_netns == $ns || args[1]->cs_netns == $nb/ {
	printf(\"mib prov=mib ns=%d counter=%s n=%d\\n\", args[1]->cs_netns, probename, args[0]); }"

counters() { # NETNS: "mib's name" VALUE
	printf '%s %s\n' tcpInSegs "$(snmp "$1" Tcp InSegs)" tcpOutSegs "$(snmp "$1" Tcp OutSegs)" \
		udpInDatagrams $(($(snmp "$1" Udp InDatagrams) + $(snmp "$1" Udp6 InDatagrams))) \
		udpOutDatagrams $(($(snmp "$1" Udp OutDatagrams) + $(snmp "$1" Udp6 OutDatagrams))) \
		ipInReceives "$(snmp "$1" Ip InReceives)" ipOutRequests "$(snmp "$1" Ip OutRequests)" \
		ipInDelivers "$(snmp "$1" Ip InDelivers)" ipForwDatagrams "$(snmp "$1" Ip ForwDatagrams)"
}

check() { # WHAT NET [DEVICE]: the server's, if it is bound to one
	local what=$1 space n name now before
	for space in "$client" "$server" "$bridge"; do counters "$space" >"$tmp/before.$space"; done
	trace_with "$clause" python3 "$PYTHONPATH/talk.py" "$client" "fd00:d:7$2::2" "10.79.$2.2" "$server" ${3+"$3"}
	expect_eq "$(value_of server_failed)" 0 "$what: the server"
	for space in "$client $nc" "$server $ns" "$bridge $nb"; do
		read -r space n <<<"$space"
		while read -r name now; do
			before=$(awk -v name="$name" '$1 == name { print $2 }' "$tmp/before.$space")
			expect_total n "p == \"mib\" && v[\"ns\"] == $n && v[\"counter\"] == \"$name\"" $((now - before)) "$what: $name of $space"
			case $name in
			ipInReceives) expect_count "p == \"receive\" && v[\"prov\"] == \"ip\" && v[\"ns\"] == $n" $((now - before)) "$what: received by $space" ;;
			ipOutRequests) expect_count "p == \"send\" && v[\"prov\"] == \"ip\" && v[\"ns\"] == $n" $((now - before)) "$what: sent by $space" ;;
			esac
		done < <(counters "$space")
	done
	for name in talk_client talk_server; do
		expect_count "v[\"prov\"] == \"udp\" && v[\"name\"] == \"$name\"" 20 "$what: datagrams of $name"
	done
	expect_count '(v["prov"] == "tcp" || v["prov"] == "udp") && v["name"] == ""' 0 "$what: segments and datagrams of nobody"
	expect_eq "$(over_lines '(v["prov"] == "tcp") { n[p]++ } END { print n["send"] - n["receive"], (n["send"] > 0) }')" "0 1" \
		"$what: segments sent and not received"
}

ip -n "$bridge" link add br0 type bridge mcast_snooping 0 || skip "no bridge"
ip -n "$bridge" link set br0 up
for end in "$client c0 1" "$server s0 2"; do
	read -r space dev host <<<"$end"
	ip -n "$space" link add "$dev" type veth peer name "p$dev" netns "$bridge" || skip "no veth"
	ip -n "$bridge" link set "p$dev" master br0 up
	address "$space" "$dev" 1 "$host"
done
modprobe -q br_netfilter
ip netns exec "$bridge" sysctl -qw net.bridge.bridge-nf-call-iptables=1 net.bridge.bridge-nf-call-ip6tables=1 || skip "no br_netfilter"
ip netns exec "$bridge" nft -f - <<-END
	table inet t {
		chain c {
			type filter hook prerouting priority 0
			counter
		}
	}
END
check "a bridge with br_netfilter" 1
expect_match "$(ip netns exec "$bridge" nft list ruleset)" 'packets [1-9]' "netfilter has seen the bridge's packets"

modprobe -q vrf
if ! ip -n "$server" link add red type vrf table 10 2>/dev/null; then
	echo "no VRF on this kernel"
	exit
fi
ip -n "$server" link set red up
ip -n "$client" link add c1 type veth peer name s1 netns "$server"
ip -n "$server" link set s1 master red
address "$client" c1 2 1
address "$server" s1 2 2
check "a server in a VRF" 2 red
