# SPDX-License-Identifier: GPL-2.0-or-later
# The qdisc provider on a slowed-down device (tbf): packets queued, sent and dropped, as tc counts them; how long
# each waits, as the rate demands. And net:::transmit-done: how long the driver has a packet.
netns_new q && q=$NETNS
ip -n "$q" link add va type veth peer name vb || skip "no veth"
ip netns exec "$q" sh -c 'for f in /proc/sys/net/ipv6/conf/v[ab]/disable_ipv6; do echo 1 >$f; done'
ip -n "$q" addr add 10.78.2.1/24 dev va
ip -n "$q" link set va up
ip -n "$q" link set vb up
ip -n "$q" neigh add 10.78.2.2 lladdr 02:00:00:00:00:02 dev va
tc -n "$q" qdisc add dev va root handle 7: tbf rate 100kbit burst 1600 limit 3000 || skip "no tbf"

clause="qdisc:::enqueue, qdisc:::dequeue, qdisc:::drop /args[3]->if_ipstack == $NETNS_ID/ {
	printf(\"%s at=%p pid=%d name=%s if=%s kind=%s major=%x parent=%x qlen=%d backlog=%d bytes=%d packets=%d ms=%d da=%s\\n\",
	    probename, args[0]->pkt_addr, args[1]->cs_pid, args[1]->cs_execname, args[3]->if_name, args[4]->qd_kind, args[4]->qd_major,
	    args[4]->qd_parent, args[4]->qd_qlen, args[4]->qd_backlog, args[4]->qd_bytes, args[4]->qd_packets,
	    args[4]->qd_time / 1000000, args[2]->ip_daddr); }
qdisc:::drop /args[3]->if_ipstack == $NETNS_ID/ { printf(\"reason %s\\n\", args[5]->drop_reason); }
net:::transmit, net:::transmit-done /args[3]->if_ipstack == $NETNS_ID && args[3]->if_name == \"va\"/ {
	printf(\"%s at=%p ms=%d lost=%d\\n\", probename, args[0]->pkt_addr, args[4]->net_time / 1000000, args[4]->net_dropped); }"

# Six packets of 1042 bytes: the first has room in the bucket, two wait, three are too many.
send_and_wait() {
	udp_send -a 10.78.2.2 -n 6 -k 1000
	sleep 0.3
	tc -s qdisc show dev va >"$tmp/tc"
}
declare -f send_and_wait >"$tmp/send"
printf 'tmp=%q\nsend_and_wait\n' "$tmp" >>"$tmp/send"
trace_in "$q" "$clause" "$BASH" "$tmp/send"

pid=$(value_of pid)
same="v[\"pid\"] == $pid && v[\"name\"] == \"udp_send\" && v[\"if\"] == \"va\" && v[\"kind\"] == \"tbf\" && v[\"major\"] == 7 &&
	v[\"parent\"] == \"ffffffff\" && v[\"bytes\"] == 1042 && v[\"packets\"] == 1 && v[\"da\"] == \"10.78.2.2\""
tc_dropped=$(sed -n 's/.*(dropped \([0-9]*\),.*/\1/p' "$tmp/tc")
tc_sent=$(sed -n 's/.*Sent [0-9]* bytes \([0-9]*\) pkt.*/\1/p' "$tmp/tc")
expect_eq "$tc_sent" 3 "packets that tc counts"
expect_count "p == \"enqueue\" && $same" "$tc_sent" "packets that were queued"
expect_count "p == \"dequeue\" && $same" "$tc_sent" "packets that left"
expect_count "p == \"drop\" && $same && v[\"ms\"] == 0" "$tc_dropped" "packets that were thrown away"
expect_eq "$(grep -c '^reason QDISC_' <<<"$OUT")" "$tc_dropped" "why"
expect_eq "$(values qlen 'p == "enqueue"' | tr '\n' ' ')" "1 1 2 " "packets in the queue as they come"
expect_eq "$(values backlog 'p == "dequeue"' | tr '\n' ' ')" "0 1042 0 " "bytes in the queue as they leave"
# 1600 bytes at once, then 12500 a second
mapfile -t ms < <(values ms 'p == "dequeue"')
# (0, 38 and 122 ms, less what the sender takes; they may leave late)
took=$(($(value_of span_us) / 1000 + 1))
for want in "0 0 10" "1 36 80" "2 120 190"; do
	read -r i least most <<<"$want"
	expect_ge "${ms[i]}" "$((least - took))" "time in the queue of packet $i, ms"
	expect_le "${ms[i]}" "$most" "time in the queue of packet $i, ms"
done
# what the driver gets it passes to the other end at once
expect_eq "$(values at 'p == "transmit-done"')" "$(values at 'p == "dequeue"')" "packets that the device is done with"
expect_count 'p == "transmit-done" && v["ms"] < 20 && v["lost"] == 0' 3 "... at once"
expect_eq "$(values at 'p == "transmit"')" "$(values at 'p == "transmit-done"')" "each that it gets"

# Without members that want the past, nothing is remembered.
trace_in "$q" "qdisc:::dequeue /args[3]->if_ipstack == $NETNS_ID/ { @[args[4]->qd_kind] = count(); }" udp_send -a 10.78.2.2 -n 1
expect_match "$OUT" 'tbf +1$' "counted"

# What is in a queue that is taken away neither leaves nor is it a drop of the queue's.
drop_all() {
	udp_send -a 10.78.2.2 -n 3 -k 1000
	tc qdisc del dev va root
}
declare -f drop_all >"$tmp/send"
echo drop_all >>"$tmp/send"
sleep 0.2
trace_in "$q" "$clause" "$BASH" "$tmp/send"
expect_eq "$(count 'p == "enqueue"')" 3 "queued before the queue goes"
expect_count 'p == "drop"' 0 "no drop of the queue's"
