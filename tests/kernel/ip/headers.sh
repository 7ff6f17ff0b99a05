# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# ipv4info_t, ipv6info_t and ifinfo_t against what tcpdump reads in the same headers.
need tcpdump
netns_new hdr
capture "$NETNS" lo 'udp or tcp or icmp or icmp6'

cat >"$tmp/traffic" <<-'END'
	udp_echo -4 -n 2 -k 77 >/dev/null
	udp_echo -6 -n 2 -k 99 >/dev/null
	tcp_echo -4 -q -c 2 >/dev/null
	tcp_echo -6 -q -c 2 >/dev/null
	echo closed >/dev/udp/127.0.0.1/9
	echo closed >/dev/udp/::1/9
END
trace_in "$NETNS" "
	ip:::send, ip:::receive /args[3]->if_ipstack == $NETNS_ID && args[2]->ip_ver == 4/ {
		printf(\"%s4 tos=0x%x ttl=%d id=%d offset=%d df=%d mf=%d proto=%d str=%s length=%d ver=%d ihl=%d sa=%s da=%s plen=%d\\n\",
		    probename, args[4]->ipv4_tos, args[4]->ipv4_ttl, args[4]->ipv4_ident, args[4]->ipv4_offset,
		    (args[4]->ipv4_flags & IPV4_DF) != 0, (args[4]->ipv4_flags & IPV4_MF) != 0, args[4]->ipv4_protocol,
		    args[4]->ipv4_protostr, args[4]->ipv4_length, args[4]->ipv4_ver, args[4]->ipv4_ihl, args[4]->ipv4_saddr,
		    args[4]->ipv4_daddr, args[2]->ip_plength) }
	ip:::send, ip:::receive /args[3]->if_ipstack == $NETNS_ID && args[2]->ip_ver == 6/ {
		printf(\"%s6 class=%x flow=0x%x hlim=%d next=%d str=%s plen=%d ver=%d sa=%s da=%s iplen=%d\\n\", probename,
		    args[5]->ipv6_tclass, args[5]->ipv6_flow, args[5]->ipv6_hlim, args[5]->ipv6_nexthdr,
		    args[5]->ipv6_nextstr, args[5]->ipv6_plen, args[5]->ipv6_ver, args[5]->ipv6_saddr, args[5]->ipv6_daddr,
		    args[2]->ip_plength) }
	ip:::send, ip:::receive /args[3]->if_ipstack == $NETNS_ID/ {
		printf(\"if name=%s index=%d local=%d null=%d\\n\", args[3]->if_name, args[3]->if_index, args[3]->if_local,
		    args[3]->if_addr == 0) }
	ip:::receive /args[3]->if_ipstack == $NETNS_ID && args[2]->ip_ver == 4/ {
		printf(\"same sum=%d src=%d dst=%d\\n\", args[4]->ipv4_checksum == ntohs(args[4]->ipv4_hdr->check),
		    args[4]->ipv4_src == args[4]->ipv4_hdr->saddr, args[4]->ipv4_dst == args[4]->ipv4_hdr->daddr) }" \
	"$BASH" "$tmp/traffic"
captured

# IP (tos 0x0, ttl 64, id 5, offset 0, flags [DF], proto UDP (17), length 105)
#     127.0.0.1.5 > 127.0.0.1.6: …
# IP6 (class 0xc0, flowlabel 0x5ddc0, hlim 64, next-header UDP (17) payload length: 107) ::1.5 > ::1.6: …
tcpdump -n -t -v -r "$tmp/pcap" 2>/dev/null >"$tmp/text"
awk '/^IP \(/ { gsub(/[(),]/, " "); for (i = 1; i <= NF; i++) {
		if ($i == "flags") { df = $(i + 1) ~ /DF/; mf = $(i + 1) ~ /\+/ }
		if ($i == "proto") { str = $(i + 1); proto = $(i + 2) }
		if ($i ~ /^(tos|ttl|id|offset|length)$/) f[$i] = $(i + 1) }
	print "tos=" f["tos"] " ttl=" f["ttl"] " id=" f["id"] " offset=" f["offset"] " df=" df " mf=" mf " proto=" proto,
		"str=" str " length=" f["length"] }' "$tmp/text" | sort >"$tmp/wire4"
awk '/^IP6 \(/ { c = 0; flow = "0x0"; gsub(/[(),]/, " "); for (i = 1; i <= NF; i++) {
		if ($i == "class") c = substr($(i + 1), 3)
		if ($i == "flowlabel") { flow = $(i + 1); sub(/^0x0*/, "0x", flow) }
		if ($i == "hlim") hlim = $(i + 1)
		if ($i == "next-header") { str = toupper($(i + 1)); proto = $(i + 2) }
		if ($i == "length:") { len = $(i + 1); break } }
	print "class=" c " flow=" flow " hlim=" hlim " next=" proto " str=" str " plen=" len }' "$tmp/text" | sort >"$tmp/wire6"
for way in send receive; do
	lines "p == \"${way}4\"" | sed 's/^[a-z0-9]* //;s/ ver=.*//' | sort >"$tmp/got"
	diff "$tmp/wire4" "$tmp/got" >"$tmp/diff" || fail "IPv4, $way (< captured): $(head -n 6 "$tmp/diff")"
	lines "p == \"${way}6\"" | sed 's/^[a-z0-9]* //;s/ ver=.*//;s/str=ICMPV6/str=ICMPV6/' | sort >"$tmp/got"
	sed 's/str=ICMP6/str=ICMPV6/' "$tmp/wire6" | sort | diff - "$tmp/got" >"$tmp/diff" ||
		fail "IPv6, $way (< captured): $(head -n 6 "$tmp/diff")"
done
expect_ge "$(wc -l <"$tmp/wire4")" 16 "IPv4 packets captured"
expect_ge "$(wc -l <"$tmp/wire6")" 16 "IPv6 packets captured"
expect_eq "$(grep -c str=ICMP "$tmp/wire4") $(grep -c str=ICMP "$tmp/wire6")" "1 1" "ICMP errors captured"
expect_count '(p == "send4" || p == "receive4") && (v["ver"] != 4 || v["ihl"] != 20 && v["str"] != "ICMP" || v["sa"] != "127.0.0.1" ||
	v["da"] != "127.0.0.1" || v["plen"] != v["length"] - v["ihl"])' 0 "IPv4 packets with another version, address or length"
expect_count '(p == "send6" || p == "receive6") && (v["ver"] != 6 || v["sa"] != "::1" || v["da"] != "::1" ||
	v["iplen"] != v["plen"])' 0 "IPv6 packets with another version, address or length"
packets=$((2 * ($(wc -l <"$tmp/wire4") + $(wc -l <"$tmp/wire6"))))
expect_count "p == \"if\" && v[\"name\"] == \"lo\" && v[\"local\"] == 1 && v[\"null\"] == 0 &&
	v[\"index\"] == $(ip netns exec "$NETNS" cat /sys/class/net/lo/ifindex)" $packets "the interface"
expect_count 'p == "same" && v["sum"] == 1 && v["src"] == 1 && v["dst"] == 1' "$(wc -l <"$tmp/wire4")" "the raw header"

# The flags are the top four bits: 4 is DF, 2 is MF, as scripts from elsewhere have them.
ip -n "$NETNS" link set lo mtu 1500
trace_in "$NETNS" "ip:::receive /args[3]->if_ipstack == $NETNS_ID && args[4] != NULL && args[4]->ipv4_protocol == IPPROTO_UDP/ {
	printf(\"%d %d %d\n\", args[4]->ipv4_flags, args[4]->ipv4_flags == IPH_DF, args[4]->ipv4_flags == IPH_MF); }" \
	"$BASH" -c 'echo whole >/dev/udp/127.0.0.1/9; head -c 2000 /dev/zero >/dev/udp/127.0.0.1/9'
expect_eq "$OUT" "4 1 0
2 0 1
0 0 0" "flags of a whole datagram and of two fragments"
