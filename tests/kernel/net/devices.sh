# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The net provider on a veth pair: each packet once at each of the four places, its bytes before and after
# segmentation, and its sender on the way out.
netns_new a && a=$NETNS na=$NETNS_ID
netns_new b && b=$NETNS nb=$NETNS_ID
ip -n "$a" link add va type veth peer name vb netns "$b" || skip "no veth"
for end in "$a va 1" "$b vb 2"; do
	read -r ns dev n <<<"$end"
	ip -n "$ns" addr add "10.78.1.$n/24" dev "$dev"
	ip -n "$ns" addr add "fd00:d:78::$n/64" dev "$dev" nodad
	ip -n "$ns" link set "$dev" up
done
# nothing has to be asked for, so that only datagrams go there
lladdr() { ip -n "$1" -br link show "$2" | awk '{ print $3 }'; }
for net in 10.78.1. fd00:d:78::; do
	ip -n "$a" neigh add "${net}2" lladdr "$(lladdr "$b" vb)" dev va
	ip -n "$b" neigh add "${net}1" lladdr "$(lladdr "$a" va)" dev vb
done

clause="net:::queue, net:::transmit, net:::driver-receive, net:::receive /(args[3]->if_ipstack == $na || args[3]->if_ipstack == $nb) && (args[2]->ip_daddr == \"10.78.1.2\" ||
	args[2]->ip_daddr == \"fd00:d:78::2\")/ {
	printf(\"%s ns=%d if=%s index=%d pid=%d name=%s len=%d wire=%d segs=%d size=%d hdr=%d proto=%s\\n\", probename,
	    args[3]->if_ipstack, args[3]->if_name, args[3]->if_index, args[1]->cs_pid, args[1]->cs_execname, args[4]->net_len,
	    args[4]->net_wirelen, args[4]->net_segs, args[4]->net_segsize, args[4]->net_hdrlen, args[4]->net_protostr); }"
ia=$(ip netns exec "$a" cat /sys/class/net/va/ifindex)

check() { # ADDRESS IPHEADER PROTOSTR
	local h=$2 what="to $1"
	trace_in "$a" "$clause" udp_send -a "$1" -n 5
	pid=$(value_of pid)
	for p in queue transmit; do
		expect_count "p == \"$p\" && v[\"ns\"] == $na && v[\"if\"] == \"va\" && v[\"index\"] == $ia && v[\"pid\"] == $pid &&
			v[\"name\"] == \"udp_send\" && v[\"len\"] == $((14 + h + 108)) && v[\"wire\"] == v[\"len\"] && v[\"segs\"] == 1 &&
			v[\"size\"] == 0 && v[\"proto\"] == \"$3\"" 5 "$what: $p"
	done
	for p in driver-receive receive; do
		expect_count "p == \"$p\" && v[\"ns\"] == $nb && v[\"if\"] == \"vb\" && v[\"pid\"] == -1 && v[\"len\"] == $((h + 108)) &&
			v[\"segs\"] == 1 && v[\"proto\"] == \"$3\"" 5 "$what: $p"
	done
	expect_count 1 20 "$what: nothing else"

	# 5000 bytes in datagrams of 1000. veth takes them whole ...
	trace_in "$a" "$clause" udp_send -a "$1" -k 5000 -g 1000
	whole="v[\"segs\"] == 5 && v[\"size\"] == 1000"
	for p in queue transmit; do
		expect_count "p == \"$p\" && $whole && v[\"len\"] == $((14 + h + 5008)) && v[\"wire\"] == 5 * $((14 + h + 1008)) &&
			v[\"hdr\"] == $((14 + h + 8))" 1 "$what: $p of five in one"
	done
	expect_count "p == \"receive\" && $whole && v[\"len\"] == $((h + 5008)) && v[\"wire\"] == 5 * $((h + 1008))" 1 \
		"$what: receive of five in one"
	expect_count 1 4 "$what: nothing else"

	# ... unless ethtool forbids it: then they are cut between queue and driver.
	ip -n "$a" link set va gso_max_segs 1
	trace_in "$a" "$clause" udp_send -a "$1" -k 5000 -g 1000
	ip -n "$a" link set va gso_max_segs 65535
	expect_count "p == \"queue\" && $whole" 1 "$what: before they are cut"
	expect_count "p == \"transmit\" && v[\"segs\"] == 1 && v[\"len\"] == $((14 + h + 1008))" 5 "$what: after they are cut"
	expect_count "p == \"receive\" && v[\"len\"] == $((h + 1008))" 5 "$what: as they arrive"
	expect_total wire 'p == "queue"' "$(total len 'p == "transmit"')" "$what: bytes on the wire are known before"
}
check 10.78.1.2 20 IP
check fd00:d:78::2 40 IPV6
