# SPDX-License-Identifier: GPL-2.0-or-later
# The skb provider and skblife: a process's buffers as they are allocated, their lives, where they wait in a slow
# device's queue (tbf); dropped packets, with reason and owner. Buffers that an interrupt frees while the program
# runs are reported as "up to" a number, for all namespaces.
want_told='^dwire: up to [0-9]+ .*missed (in|for) skb:'
netns_new s && s=$NETNS
ip -n "$s" link add va type veth peer name vb || skip "no veth"
ip netns exec "$s" sh -c 'for f in /proc/sys/net/ipv6/conf/v[ab]/disable_ipv6; do echo 1 >$f; done'
ip -n "$s" addr add 10.78.2.1/24 dev va
ip -n "$s" link set va up
ip -n "$s" link set vb up
ip -n "$s" neigh add 10.78.2.2 lladdr 02:00:00:00:00:02 dev va
tc -n "$s" qdisc add dev va root handle 7: tbf rate 100kbit burst 1600 limit 3000 || skip "no tbf"
send_and_wait() {
	udp_send -a 10.78.2.2 -n 3 -k 1000
	sleep 0.2
}
declare -f send_and_wait >"$tmp/send"
echo send_and_wait >>"$tmp/send"

# Three packets of 1042 bytes: at once, after 38 ms, after 122 ms. They are for another host: IP at the other end drops them.
clause="skb:::alloc /execname == \"udp_send\"/ { mine[args[0]->pkt_addr] = 1; printf(\"alloc at=%p\\n\", args[0]->pkt_addr); }
skb:::drop /mine[args[0]->pkt_addr]/ {
	printf(\"drop at=%p reason=%s in=%d len=%d if=%s proto=%s place=%d\\n\", args[0]->pkt_addr, args[5]->drop_reason,
	    args[5]->drop_in, args[4]->skb_len, args[3]->if_name, args[4]->skb_protostr, args[5]->drop_location != 0); }
skb:::free /mine[args[0]->pkt_addr]/ {
	mine[args[0]->pkt_addr] = 0;
	printf(\"free at=%p ms=%d\\n\", args[0]->pkt_addr, args[4]->skb_age / 1000000); }"
trace_in "$s" "$clause" "$BASH" "$tmp/send"
is="v[\"reason\"] == \"OTHERHOST\" && v[\"in\"] == 1 && v[\"len\"] == 1028 && v[\"if\"] == \"vb\" && v[\"proto\"] == \"IP\""
expect_count "p == \"drop\" && $is && v[\"place\"]" 3 "packets that are thrown away"
for at in $(values at 'p == "drop"'); do
	expect_ge "$(count "p == \"alloc\" && v[\"at\"] == \"$at\"")" 1 "its memory was taken"
done
mapfile -t ms < <(values ms 'p == "free" && v["ms"] >= 0' | sort -n | tail -n 2)
for want in "0 30 80" "1 105 190"; do
	read -r i least most <<<"$want"
	expect_ge "${ms[i]}" "$least" "age of packet $i, ms"
	expect_le "${ms[i]}" "$most" "age of packet $i, ms"
done

# A socket without room: whose it is, which the kernel tells since Linux 6.11.
trace_in "$s" "skb:::drop /args[3]->if_ipstack == $NETNS_ID && args[4]->skb_protostr == \"IP\"/ {
	printf(\"drop pid=%d name=%s reason=%s len=%d\\n\", args[1]->cs_pid, args[1]->cs_execname, args[5]->drop_reason,
	    args[4]->skb_len); }" udp_hold -n 20 -b 4000
whose="v[\"pid\"] == $(value_of pid) && v[\"name\"] == \"udp_hold\""
since 6.11 || whose=1
expect_count "p == \"drop\" && $whose && v[\"reason\"] == \"SOCKET_RCVBUFF\" && v[\"len\"] == 700" \
	$(($(value_of sent) - $(value_of received))) "datagrams without room"
expect_ge "$(value_of received)" 1 "datagrams with room"

# A port where nobody listens
trace_in "$s" "skb:::drop /args[3]->if_ipstack == $NETNS_ID/ { @[args[5]->drop_reason, args[2]->ip_daddr] = count(); }" udp_send -n 4
expect_match "$OUT" 'NO_SOCKET +127.0.0.1 +4' "refused datagrams"

"$dwire" skblife --everyone --command "ip netns exec $s $BASH $tmp/send" >"$tmp/out" 2>"$tmp/err" || fail "skblife: $(<"$tmp/err")"
expect_match "$(<"$tmp/out")" 'skb_residency_nsecs' "skblife"
expect_ge "$(awk '$1 == 33554432 { print $NF }' "$tmp/out")" 1 "skblife: a packet of 38 ms"
expect_ge "$(awk '$1 == 67108864 { print $NF }' "$tmp/out")" 1 "skblife: a packet of 122 ms"

# Missed runs of the programs that note when a buffer was made are reported for the probe that reads its age.
"$dwire" --dump=bpf -n 'BEGIN {} skb:::free /args[4]->skb_age/ { @ = count(); } END { trace(vtimestamp); }' >"$tmp/out"
expect_eq "$(sed -n 's/^; notes for \(.*\) at .*/\1/p' "$tmp/out" | sort -u | tr '\n' ' ')" "dtrace:::END skb:::free " "notes for"
