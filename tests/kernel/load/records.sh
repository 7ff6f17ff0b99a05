# SPDX-License-Identifier: GPL-2.0-or-later
# One record for each datagram at full rate: lines and reported drops add up to all datagrams, and lines are in
# order of time.

netns_new records
many=100000
! slow_machine || many=20000
D="udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/
{ printf(\"%d %s %d\\n\", timestamp, probename, args[4]->udp_length); }"

drops() { # of FILE: drops said, all CPUs
	awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }' "$1"
}

expect_ordered() { # FILE WHAT
	expect_eq "$(awk '$1 < last { n++; if (n < 4) print "line " NR ": " last " " $0 } { last = $1 } END { exit 0 }' "$1")" "" \
		"$2: in order of time"
}

# A machine that is too slow for the traffic drops datagrams between device and IP, where they wait for a thread of the
# kernel (netdev_max_backlog). Sets arrived: the datagrams that IP has delivered since the last call.
delivered=0
count_arrived() {
	local now=$(($(snmp "$NETNS" Ip InDelivers) + $(snmp "$NETNS" Ip6 InDelivers)))
	arrived=$((now - delivered))
	delivered=$now
}

expect_all() { # FILE ERR DATAGRAMS WHAT: each datagram is seen twice, if it arrives
	local lines
	count_arrived
	slow_machine || expect_eq "$arrived" "$3" "$4: datagrams that arrived"
	sed -i '${/^$/d}' "$1" # the empty line at the end of all output
	expect_eq "$(awk 'NF != 3 || $1 !~ /^[0-9]+$/ || $2 !~ /^(send|receive)$/ || $3 != 18 { n++ } END { print n + 0 }' "$1")" 0 \
		"$4: whole lines"
	lines=$(wc -l <"$1")
	expect_eq $((lines + $(drops "$2"))) $(($3 + arrived)) "$4: lines ($lines) and drops"
	expect_eq "$(grep -v ' drops\? on CPU\|has exited$' "$2")" "" "$4: nothing else is said"
	expect_ordered "$1" "$4"
}

run() { # WHAT TRIGGER…
	local what=$1
	shift
	trace_in "$NETNS" "$D" "$@"
	expect_all "$tmp/out" "$tmp/err" "$(value_of datagrams)" "$what"
}

# Room enough: nothing is dropped.
dwire_opts=(-q -x bufsize=64m "${tier_opts[@]}")
run 'large buffer' udp_flood -s -n $many -j 2 -P
expect_eq "$(drops "$tmp/err")" 0 "large buffer: drops"
run 'large buffer, six senders' udp_flood -s -6 -n $((many / 5)) -j 6
expect_eq "$(drops "$tmp/err")" 0 "large buffer, six senders: drops"

# Little room: drops are counted.
dwire_opts=(-q -x bufsize=64k -x switchrate=1s "${tier_opts[@]}")
want_told=drops
run 'small buffer' udp_flood -s -n $many -j 4
expect_ge "$(drops "$tmp/err")" 1000 "small buffer: drops"
expect_ge "$(wc -l <"$tmp/out")" 1000 "small buffer: lines"

# A reader that begins when all is sent. 64 KiB of the pipe, then the tracer waits in write().
dwire_opts=(-q -x bufsize=64k "${tier_opts[@]}")
command_file ip netns exec "$NETNS" udp_flood -s -n $many -j 2
mkfifo "$tmp/pipe"
rm "$tmp/trigger"
{
	for _ in {1..1200}; do
		! grep -qs '^datagrams=' "$tmp/trigger" || break
		sleep 0.05
	done
	cat
} <"$tmp/pipe" >"$tmp/read" &
reader=$!
"$dwire" "${dwire_opts[@]}" -n "$D" -c "$tmp/cmd" >"$tmp/pipe" 2>"$tmp/err" || fail "slow reader: dwire returned $?"
wait $reader
expect_all "$tmp/read" "$tmp/err" "$(value_of datagrams)" 'slow reader'
expect_ge "$(drops "$tmp/err")" 1000 "slow reader: drops"

# The tracer itself is stopped for a while.
cat >"$tmp/stopping" <<END
kill -STOP \$PPID
udp_flood -s -n $((many * 2 / 5)) -j 2
kill -CONT \$PPID
exec udp_flood -s -n 1000 -j 2 -d 100
END
{ declare -p PATH; cat "$tmp/stopping"; } >"$tmp/stopping.sh"
printf '#!%s\nexec ip netns exec %q %q %q >%q\n' "$BASH" "$NETNS" "$BASH" "$tmp/stopping.sh" "$tmp/trigger" >"$tmp/cmd"
dwire_opts=(-q -x bufsize=256k "${tier_opts[@]}")
timeout 15 "$dwire" "${dwire_opts[@]}" -n "$D" -c "$tmp/cmd" >"$tmp/out" 2>"$tmp/err" || fail "stopped: dwire returned $?"
expect_all "$tmp/out" "$tmp/err" $((many * 4 / 5 + 2000)) stopped
expect_ge "$(drops "$tmp/err")" 1000 "stopped: drops"
