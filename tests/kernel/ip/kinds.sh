# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# IP packets of every kind from a peer made by hand (tun_ip): options, extension headers, fragments, wrong headers, unknown
# protocols, echoes, forwarding: each seen once.
line='printf("%s if=%s plen=%d da=%s'
values='args[3]->if_name, args[2]->ip_plength, args[2]->ip_daddr'

check() { # FAMILY HERE OTHER
	netns_new "kinds$1"
	trace_in "$NETNS" "ip:::send, ip:::receive, ip:::forward /args[3]->if_ipstack == $NETNS_ID && args[2]->ip_ver == 4/ {
			$line proto=%s ihl=%d off=%d mf=%d ttl=%d\\n\", probename, $values, args[4]->ipv4_protostr, args[4]->ipv4_ihl,
			    args[4]->ipv4_offset, (args[4]->ipv4_flags & IPV4_MF) != 0, args[4]->ipv4_ttl); }
		ip:::send, ip:::receive, ip:::forward /args[3]->if_ipstack == $NETNS_ID && args[2]->ip_ver == 6/ {
			$line proto=%s ttl=%d\\n\", probename, $values, args[5]->ipv6_nextstr, args[5]->ipv6_hlim); }
		ip:::drop /args[3]->if_ipstack == $NETNS_ID/ {
			printf(\"drop reason=%s in=%d if=%s plen=%d da=%s\\n\", args[6]->drop_reason, args[6]->drop_in, $values); }" tun_ip "$1"
	expect_count 'p == "receive" && v["if"] == "dwtun"' "$(value_of packets)" "$1: packets received"
	expect_count 'p == "receive"' "$(value_of packets)" "$1: no others"
	expect_count "p == \"receive\" && v[\"plen\"] == 28 && v[\"da\"] == \"$2\" && v[\"ihl\"] == 24 ||
		p == \"receive\" && v[\"proto\"] == \"DSTOPTS\" && v[\"plen\"] == 36" "$(value_of options)" "$1: options"
	expect_count "p == \"receive\" && (v[\"off\"] > 0 || v[\"mf\"] || v[\"proto\"] == \"FRAGMENT\")" "$(value_of fragments)" \
		"$1: fragments"
	expect_count "p == \"receive\" && v[\"da\"] == \"$3\"" $(($(value_of forwarded) + $(value_of too_old))) "$1: for another host"
	expect_count "p == \"forward\" && v[\"da\"] == \"$3\" && v[\"ttl\"] == 9 && v[\"if\"] == \"dwtun\"" "$(value_of came_back)" "$1: forwarded"
	expect_count 'p == "forward"' "$(value_of forwarded)" "$1: no others forwarded"
	expect_count "p == \"send\" && v[\"da\"] == \"$3\"" "$(value_of came_back)" "$1: forwarded ones are sent"
	[ "$1" = -4 ] || return
	expect_count 'p == "receive" && v["proto"] == "ICMP"' "$(value_of echoes)" "$1: echoes"
	expect_count 'p == "drop" && v["reason"] == "IP_CSUM" && v["in"]' "$(value_of bad_checksum)" "$1: wrong checksums"
	expect_count 'p == "drop" && v["reason"] == "IP_INHDR" && v["in"]' $(($(value_of bad_header) + $(value_of too_old))) \
		"$1: wrong headers, and packets that are too old"
	expect_count 'p == "drop" && v["reason"] == "IP_NOPROTO"' "$(value_of unknown)" "$1: unknown protocols"
	expect_count 'p == "send" && v["proto"] == "ICMP"' "$(snmp "$NETNS" Icmp OutMsgs)" "$1: ICMP messages"
}

check -4 10.214.0.1 10.214.0.9
check -6 fd00:d:2::1 fd00:d:2::9
