# SPDX-License-Identifier: GPL-2.0-or-later
# bqllat: a device's driver may have one byte: each packet stops its queue. The packets are those that the device counts,
# the limit is the one that is set, and nearly each packet's stop ends with a look for the next one. Needs a network card
# with byte queue limits that is not in use, as tests/vm/net.sh gives one.
need jq
. "$here/lib/card.lib"
card_take
before=$(card_sent)
ip netns exec "$NETNS" "$dwire" bqllat --json \
	--everyone --command "sh -c 'udp_send -a 10.78.40.9 -n 200 -k 1000; sleep 0.3'" >"$tmp/all" 2>"$tmp/err" || fail "$(<"$tmp/err")"
grep "^{" "$tmp/all" >"$tmp/out"
expect_eq "$(jq -r .device "$tmp/out")" "$card" "devices: $(<"$tmp/all")"
expect_eq "$(jq -r .packets "$tmp/out")" "$(($(card_sent) - before))" "packets: $(<"$tmp/out")"
expect_eq "$(jq -r .limit_bytes "$tmp/out")" 1 "the limit: $(<"$tmp/out")"
expect_eq "$(jq -r .inflight_max_bytes "$tmp/out")" 1042 "one packet in flight: $(<"$tmp/out")"
# the last stop ends when the next packet comes
packets=$(jq -r .packets "$tmp/out")
expect_ge "$(jq -r .stops "$tmp/out")" "$((packets * 95 / 100))" "stops: $(<"$tmp/out")"
expect_le "$(jq -r .stops "$tmp/out")" "$packets" "stops: $(<"$tmp/out")"
exit $failed
