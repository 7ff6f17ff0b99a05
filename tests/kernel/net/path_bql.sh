# SPDX-License-Identifier: GPL-2.0-or-later
# A driver that may have one byte (BQL): path shows the limit and the driver's bytes as packets leave the queue, are given
# to the driver and are freed, and how long the limit held the queue: as long as bql:::start says, and about as long as the
# driver had the packets. The packets' waits are in the queue. Needs a network card that is not in use, as tests/vm/net.sh
# gives one.
need jq
. "$here/lib/card.lib"
card_take
before=$(card_sent)
cat >"$tmp/send" <<END
udp_send -a 10.78.40.9 -p 7441 -n 50 -k 1000
for i in {1..300}; do
	((\$(</sys/class/net/$card/statistics/tx_packets) >= $before + 50)) && break
	sleep 0.2
done
sleep 0.5
END
ip netns exec "$NETNS" "$dwire" "${tier_opts[@]}" -qn '
	path:::enqueue, path:::dequeue, path:::transmit, path:::sent /args[4]->path_dport == 7441 && args[3]->if_name == "'"$card"'"/ {
		@n[args[4]->path_stagestr, args[4]->path_txqueue, args[4]->path_limit, args[4]->path_inflight] = count();
		@held = sum(args[4]->path_held / 1000); @us[args[4]->path_last, args[4]->path_stagestr] = sum(args[4]->path_time / 1000); }
	bql:::start /args[1]->if_name == "'"$card"'"/ { @stopped = sum(args[0]->bql_time / 1000); }
	END { printa("n %s %d %d %d %@d\n", @n); printa("held %@d\n", @held); printa("stopped %@d\n", @stopped);
		printa("us %s %s %@d\n", @us); }' \
	-c "$BASH $tmp/send" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
[ ! -s "$tmp/err" ] || fail "$(<"$tmp/err")"
of() { awk -v k="$1" 'index($0, k " ") == 1 { n += $NF } END { print n + 0 }' "$tmp/out"; }
expect_eq "$(($(card_sent) - before))" 50 "packets that the card has sent: $(<"$tmp/out")"
expect_eq "$(of "n transmit 0 1 0")" 50 "given to a driver that has nothing: $(<"$tmp/out")"
expect_eq "$(of "n sent 0 1 1042")" 50 "freed, while the driver has it: $(<"$tmp/out")"
expect_eq "$(of "n transmit")/$(of "n sent")" 50/50 "packets"
# the first one meets an empty queue, and so may some others; the rest wait for the ones before
expect_ge "$(of "n dequeue 0 1 0")" 5 "packets that left the queue: $(<"$tmp/out")"
held=$(of held) stopped=$(of stopped) driver=$(of "us transmit sent") queue=$(of "us enqueue dequeue")
expect_le "$held" "$stopped" "us held, and stopped"
expect_ge "$held" "$((stopped / 10))" "us held, and stopped, also with no packet behind"
expect_ge "$held" "$((driver / 10))" "us held, and in the driver"
expect_le "$held" "$((driver * 3 / 2))" "us held, and in the driver"
# the last packet waits for all before it
expect_ge "$queue" "$held" "us that packets waited in the queue, and held"
exit $failed
