# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Addresses before translation: cs_orig_* of packets that leave, where nftables translates source or destination, on
# a router's path and on loopback. Without conntrack they are empty.
need nft
clause="tcp:::send /args[1]->cs_netns == NS/ {
	printf(\"%s ver=%d sa=%s sp=%d da=%s dp=%d osa=%s osp=%d oda=%s odp=%d\\n\", probename, args[2]->ip_ver, args[2]->ip_saddr,
	    args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport, args[1]->cs_orig_saddr, args[1]->cs_orig_sport,
	    args[1]->cs_orig_daddr, args[1]->cs_orig_dport); }
ip:::forward /args[3]->if_ipstack == NS/ {
	printf(\"%s sa=%s da=%s osa=%s oda=%s odp=%d\\n\", probename, args[2]->ip_saddr, args[2]->ip_daddr,
	    args[1]->cs_orig_saddr, args[1]->cs_orig_daddr, args[1]->cs_orig_dport); }
tcp:::state-change /args[1]->cs_netns == NS/ { printf(\"%s osa=%s.\\n\", probename, args[1]->cs_orig_saddr); }"

netns_new nat
nat=$NETNS
trace_in "$nat" "${clause//NS/$NETNS_ID}" tcp_echo -4 -n 1
expect_count 'p == "send" && (v["osa"] != "" || v["osp"] != 0)' 0 "without conntrack"
expect_ge "$(count 'p == "send"')" 8 "without conntrack: segments"
expect_count 'p == "state-change" && v["osa"] != "."' 0 "a change of state has no packet"

# the source is translated on loopback: the server sees another client
ip -n "$nat" addr add fd00:9::9/128 dev lo nodad
ip netns exec "$nat" nft -f - <<-END || skip "no nftables"
	table inet t {
		chain p {
			type nat hook postrouting priority srcnat
			ip daddr 127.0.0.1 tcp dport 7777 snat to 127.0.0.9
			ip6 daddr ::1 tcp dport 7777 snat to fd00:9::9
		}
	}
END
for family in -4 -6; do
	trace_in "$nat" "${clause//NS/$NETNS_ID}" tcp_echo $family -p 7777 -n 1
	case $family in
	-4) own=127.0.0.1 other=127.0.0.9 ;;
	-6) own=::1 other=fd00:9::9 ;;
	esac
	client=$(value_of client_port_first)
	expect_ge "$(count 'p == "send"')" 8 "$family: segments"
	expect_count "p == \"send\" && v[\"osa\"] == \"$own\" && v[\"osp\"] == $client && v[\"oda\"] == \"$own\" && v[\"odp\"] == 7777" \
		"$(count 'p == "send"')" "$family: the two ends before translation"
	expect_count "p == \"send\" && v[\"dp\"] == 7777 && v[\"sa\"] == \"$other\"" "$(count 'p == "send" && v["dp"] == 7777')" \
		"$family: the client's segments are translated when they leave"
done

# the destination is translated by a router: client (10.77.1.2) -> 10.77.9.9:80 -> server (10.77.2.2)
netns_new client && client_ns=$NETNS
netns_new server && server_ns=$NETNS
nat_id=$(stat -L -c %i "/run/netns/$nat")
ip -n "$nat" link add c type veth peer name e netns "$client_ns" || skip "no veth"
ip -n "$nat" link add s type veth peer name e netns "$server_ns"
ip -n "$nat" addr add 10.77.1.1/24 dev c
ip -n "$nat" addr add 10.77.2.1/24 dev s
ip -n "$client_ns" addr add 10.77.1.2/24 dev e
ip -n "$server_ns" addr add 10.77.2.2/24 dev e
for d in "$nat c" "$nat s" "$client_ns e" "$server_ns e"; do ip -n "${d% *}" link set "${d#* }" up; done
ip -n "$client_ns" route add default via 10.77.1.1
ip -n "$server_ns" route add default via 10.77.2.1
ip netns exec "$nat" sysctl -qw net.ipv4.ip_forward=1
ip netns exec "$nat" nft 'add table ip d; add chain ip d p { type nat hook prerouting priority dstnat; }; add rule ip d p ip daddr 10.77.9.9 tcp dport 80 dnat to 10.77.2.2:8080'
# a connection by bash itself
talk_to() { # CALLED PORT SERVER SERVERS_PORT, seen by the router
	cat >"$tmp/go" <<-END
		ip netns exec $server_ns tcp_once -p $4 $3 &
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			ip netns exec $client_ns "$BASH" -c 'exec 3<>/dev/tcp/$1/$2 && echo hello >&3 && cat <&3' 2>/dev/null && break
			sleep 0.05
		done
		wait
	END
	trace_with "${clause//NS/$nat_id}" "$BASH" "$tmp/go"
}
talk_to 10.77.9.9 80 10.77.2.2 8080
expect_count 'p == "forward" && v["osa"] == "10.77.1.2" && v["oda"] == "10.77.9.9" && v["odp"] == 80' "$(count 'p == "forward"')" \
	"router: before translation"
expect_ge "$(count 'p == "forward" && v["sa"] == "10.77.1.2" && v["da"] == "10.77.2.2"')" 4 "router: translated on the way there"
expect_ge "$(count 'p == "forward" && v["sa"] ~ /^10.77.(2.2|9.9)$/ && v["da"] == "10.77.1.2"')" 3 "router: and back"

# the router translates both: client (10.77.1.2, fd77:1::2) -> 10.77.9.8:81, [fd77:9::8]:81 -> server; for the server it is the
# router's own address that calls
ip -n "$nat" addr add fd77:1::1/64 dev c nodad
ip -n "$nat" addr add fd77:2::1/64 dev s nodad
ip -n "$client_ns" addr add fd77:1::2/64 dev e nodad
ip -n "$server_ns" addr add fd77:2::2/64 dev e nodad
ip -n "$client_ns" route add default via fd77:1::1
ip netns exec "$nat" sysctl -qw net.ipv6.conf.all.forwarding=1
ip netns exec "$nat" nft -f - <<-END
	table inet b {
		chain p {
			type nat hook prerouting priority dstnat
			ip daddr 10.77.9.8 tcp dport 81 dnat to 10.77.2.2:8081
			ip6 daddr fd77:9::8 tcp dport 81 dnat to [fd77:2::2]:8081
		}
		chain o {
			type nat hook postrouting priority srcnat
			tcp dport 8081 masquerade
		}
	}
END
both() { # CLIENT CALLED SERVER ROUTER
	talk_to "$2" 81 "$3" 8081
	expect_ge "$(count "p == \"forward\" && v[\"sa\"] == \"$4\" && v[\"da\"] == \"$3\"")" 4 "router, both ends: to the server"
	expect_ge "$(count 'p == "forward"')" 7 "router, both ends: packets"
	expect_count "p == \"forward\" && v[\"osa\"] == \"$1\" && v[\"oda\"] == \"$2\" && v[\"odp\"] == 81" "$(count 'p == "forward"')" \
		"router, both ends of $2: before translation"
}
both 10.77.1.2 10.77.9.8 10.77.2.2 10.77.2.1
both fd77:1::2 fd77:9::8 fd77:2::2 fd77:2::1
