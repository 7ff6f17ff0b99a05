# SPDX-License-Identifier: GPL-2.0-or-later
# More keys than a map holds: kept and dropped keys add up to all keys. With many keys that come and go the tracer's
# memory does not grow.

netns_new memory
udp="udp:::send /args[1]->cs_netns == $NETNS_ID/"

drops() { # KIND
	awk -v kind="$1" '$0 ~ "^dwire: [0-9]+ " kind " drops?( on CPU [0-9]+)?$" { n += $2 } END { print n + 0 }' "$tmp/err"
}

got() {
	awk -v k="$1" '$1 == k { n += $NF } END { printf "%.0f\n", n }' "$tmp/out"
}

# The most that the tracer had in memory, looked at until it ends. The traces of this test are children of it.
watch_peak() {
	local pid peak=0 now
	while [ ! -e "$tmp/stop" ]; do
		pid=$(pgrep -o -P $$ -x "${dwire##*/}") &&
			now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
		[ "${now:-0}" -gt "$peak" ] && peak=$now && echo "$peak" >"$tmp/peak"
		sleep 0.05
	done
}

want_told=drops
# A key for each datagram.
watch_peak &
trace_in "$NETNS" "$udp { @all = count(); @k[timestamp, args[1]->cs_tid] = count();
	x[timestamp, args[1]->cs_tid] = 1; @kept = sum(x[timestamp, args[1]->cs_tid]); }
	END { printa(\"all %@d\\n\", @all); printa(\"kept %@d\\n\", @kept); printa(\"key %@d\\n\", @k); }" udp_flood -n 150000 -j 2
touch "$tmp/stop"
expect_le "$(<"$tmp/peak")" $((200 * 1024)) "resident memory at most, KiB"
n=$(value_of datagrams)
expect_eq "$(got all)" "$n" "datagrams"
expect_eq $(($(got key) + $(drops aggregation))) "$n" "rows of the aggregation ($(got key)) and its drops"
expect_ge "$(got key)" 131073 "rows of the aggregation, more than the kernel's map holds"
expect_eq $(($(got kept) + $(drops 'dynamic variable'))) "$n" "elements of the array ($(got kept)) and their drops"
expect_ge "$(drops 'dynamic variable')" 30000 "dynamic variable drops"
expect_ge "$(got kept)" 120000 "elements of the array"
expect_eq "$(grep -v '[0-9] \(aggregation\|dynamic variable\) drops\?\( on CPU [0-9]*\)\?$\|has exited$' "$tmp/err")" "" "nothing else is said"

# Keys come and go. The trigger looks at its parent, the tracer, while it works.
cat >"$tmp/watch" <<'END'
udp_flood -n 400 -j 20 -r 50 -d 10000 >"$tmp/flood" & # 4 seconds, 1000 ports
flood=$!
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$PPID/status"; }
sleep 2
early=$(resident)
wait $flood || exit
echo "early=$early"
echo "late=$(resident)"
cat "$tmp/flood"
END
{ declare -p PATH tmp; cat "$tmp/watch"; } >"$tmp/watch.sh"
trace_with "$udp { @k[args[4]->udp_sport, timestamp / 1000000 % 1000] = count(); @all = count();
	x[args[4]->udp_sport, timestamp / 1000000 % 100] = 1; }
	tick-100ms { printa(\"key %d %d %@d\\n\", @k); trunc(@k); }
	END { printa(\"key %d %d %@d\\n\", @k); printa(\"all %@d\\n\", @all); }" ip netns exec "$NETNS" "$BASH" "$tmp/watch.sh"
expect_eq "$(got all)" "$(value_of datagrams)" "datagrams of many ports"
expect_eq $(($(got key) + $(drops aggregation))) "$(value_of datagrams)" "datagrams of many ports, in what was printed and cut"
expect_le $(($(value_of late) - $(value_of early))) 8192 "growth of resident memory, KiB, from $(value_of early)"
