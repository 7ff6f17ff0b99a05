# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 60
# Who reads the packets stops (SIGSTOP): packets are lost, and each is counted, in the file and in the messages. When the
# reader goes on the file is whole; a reader that stays stopped does not keep the trace from ending.
need tshark capinfos
wire_new stopped
program="tcp:::send /args[1]->cs_netns == $NETNS_ID/ { pcap(args[0]); }"
cat >"$tmp/run" <<END
	mkfifo "$tmp/pipe"
	cat "$tmp/pipe" >"$tmp/file" &
	reader=\$!
	cat >"$tmp/traffic" <<'T'
		kill -STOP \$1
		tcp_echo -4 -n 20 -c 2 -k 60000 >&2
		kill -CONT \$1
		tcp_echo -4 -n 1 >&2
	T
	"$dwire" -q -x capture=- -x pcapsize=64k -x bufsize=64k -x switchrate=100hz -n '$program' -c "$BASH $tmp/traffic \$reader" \\
		>"$tmp/pipe" 2>"$tmp/said"
	echo "status \$?"
	wait \$reader
END
sed -i 's/^\t*T$/T/' "$tmp/run"
trace_in "$NETNS" "tcp:::send /args[1]->cs_netns == $NETNS_ID/ { @ = count(); } END { printa(\"sent %@d\n\", @); }" "$BASH" "$tmp/run"
sent=$(sed -n 's/^sent //p' <<<"$OUT")
kept=$(capinfos -Tmc "$tmp/file" | tail -n 1 | sed 's/.*,//')
lost=$(tshark -r "$tmp/file" -T fields -e frame.drop_count 2>/dev/null | awk '{ s += $1 } END { print s + 0 }')
told=$(sed -n 's/^dwire: \([0-9]*\) drops.*/\1/p' "$tmp/said" | awk '{ s += $1 } END { print s + 0 }')
expect_ge "$told" 1 "packets lost: $(<"$tmp/said")"
expect_eq "$((kept + told))" "$sent" "packets kept ($kept) and lost"
expect_ge "$told" "$lost" "drops in the file"

# A reader that never goes on: an interrupt ends the trace nevertheless.
mkfifo "$tmp/never"
sleep 1000 <"$tmp/never" &
reader=$!
"$dwire" -q -x capture=- -x pcapsize=64k -n "profile:::tick-1ms { printf(\"a line that fills the pipe, which nobody reads\n\"); }" \
	-c "sh -c 'echo > $tmp/armed; exec sleep 100'" >"$tmp/never" 2>"$tmp/said" &
trace=$!
for ((i = 0; i < 300; i++)); do
	[ ! -e "$tmp/armed" ] || break
	sleep 0.1
done
kill -STOP $reader # it has opened the pipe by now
sleep 3            # some 100 KB of lines
kill -INT $trace
for ((i = 0; i < 100; i++)); do
	kill -0 $trace 2>/dev/null || break
	sleep 0.1
done
kill -0 $trace 2>/dev/null && fail "the trace hangs"
kill -KILL $reader
wait $reader 2>/dev/null

# A writer that does not run for a while (its machine is busy): by default the buffers hold a burst of 40,000 packets.
# The programs run all the while.
"$dwire" -q -x capture="$tmp/burst" -x pcapsize=76 -n "udp:::send /args[1]->cs_netns == $NETNS_ID/ { pcap(args[0]); }" \
	-c "sh -c 'echo > $tmp/burst.armed; exec sleep 100'" 2>"$tmp/said" &
trace=$!
for ((i = 0; i < 300; i++)); do
	[ ! -e "$tmp/burst.armed" ] || break
	sleep 0.1
done
kill -STOP $trace
ip netns exec "$NETNS" "$triggers/udp_flood" -j 1 -P -n 40000 >"$tmp/flood"
kill -CONT $trace
kill -INT $trace
wait $trace
kept=$(capinfos -Tmc "$tmp/burst" | tail -n 1 | sed 's/.*,//')
told=$(sed -n 's/^dwire: \([0-9]*\) drops.*/\1/p' "$tmp/said" | awk '{ s += $1 } END { print s + 0 }')
expect_eq "$((kept + told))" 40000 "packets of a burst: kept $kept, told $(<"$tmp/said")"
# a record has 872 bytes at functions, 360 at hooks
[ "${DWIRE_TEST_TIER-hooks}" != hooks ] || expect_eq "$told" 0 "packets of a burst that are lost"
