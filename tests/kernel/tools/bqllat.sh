# SPDX-License-Identifier: GPL-2.0-or-later
# bqllat: a device's driver may have one byte: each packet stops its queue. The packets are those that the device counts,
# the limit is the one that is set, and nearly each packet's stop ends with a look for the next one. Needs a network card
# with byte queue limits that is not in use, as tests/vm/net.sh gives one.
need jq
for dev in /sys/class/net/*/queues/tx-0/byte_queue_limits; do
	name=${dev#/sys/class/net/} && name=${name%%/*}
	[ -e "/sys/class/net/$name/device" ] && [ "$(cat "/sys/class/net/$name/operstate")" = down ] && break
	name=
done
[ -n "${name-}" ] || skip "no network card with byte queue limits that is not in use"
netns_new a
ip link set "$name" netns "$NETNS" || skip "the network card cannot be moved"
ip -n "$NETNS" addr add 10.78.40.1/24 dev "$name" && ip -n "$NETNS" link set "$name" up
ip netns exec "$NETNS" sh -c "echo 1 >/proc/sys/net/ipv6/conf/$name/disable_ipv6"
ip -n "$NETNS" neigh add 10.78.40.9 lladdr 02:00:00:00:00:09 dev "$name"
sent() {
	ip -n "$NETNS" -s -j link show "$name" | jq '.[0].stats64.tx.packets'
}
for ((i = 0; i < 50; i++)); do
	[ "$(ip -n "$NETNS" -j link show "$name" | jq -r '.[0].operstate')" = UP ] && break
	sleep 0.1
done
ip netns exec "$NETNS" sh -c "echo 1 >/sys/class/net/$name/queues/tx-0/byte_queue_limits/limit_max"
ip netns exec "$NETNS" udp_send -a 10.78.40.9 -n 3 >/dev/null # the limit is applied as the driver frees packets
sleep 0.3
before=$(sent)
ip netns exec "$NETNS" "$dwire" bqllat --json \
	--everyone --command "sh -c 'udp_send -a 10.78.40.9 -n 200 -k 1000; sleep 0.3'" >"$tmp/all" 2>"$tmp/err" || fail "$(<"$tmp/err")"
grep "^{" "$tmp/all" >"$tmp/out"
expect_eq "$(jq -r .device "$tmp/out")" "$name" "devices: $(<"$tmp/all")"
expect_eq "$(jq -r .packets "$tmp/out")" "$(($(sent) - before))" "packets: $(<"$tmp/out")"
expect_eq "$(jq -r .limit_bytes "$tmp/out")" 1 "the limit: $(<"$tmp/out")"
expect_eq "$(jq -r .inflight_max_bytes "$tmp/out")" 1042 "one packet in flight: $(<"$tmp/out")"
# the last stop ends when the next packet comes
packets=$(jq -r .packets "$tmp/out")
expect_ge "$(jq -r .stops "$tmp/out")" "$((packets * 95 / 100))" "stops: $(<"$tmp/out")"
expect_le "$(jq -r .stops "$tmp/out")" "$packets" "stops: $(<"$tmp/out")"
exit $failed
