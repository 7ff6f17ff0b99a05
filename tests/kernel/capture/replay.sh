# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# timeout: 120
# Packets of a recording are those that -x capture writes of the same traffic at the same time: bytes, owners, interfaces,
# directions, ids, log entries. What /proc said of a process is recorded with its packets.
need tshark
wire_new replay
cat >"$tmp/traffic" <<-'END'
	set -e
	tcp_echo -4 -n 2 -c 2 -k 60000
	udp_echo -6 -n 3 -k 1200
END
program="
	tcp:::send, tcp:::receive, udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ { pcap(args[0]); }
	tcp:::accept-established /args[1]->cs_netns == $NETNS_ID/ { printf(\"accepted %s\\n\", args[2]->ip_saddr); }"
cat >"$tmp/recorded" <<-END
	exec "$dwire" record ${tier_opts[*]} -o "$tmp/rec" -x quiet -x pcapsize=64k -x bufsize=32m -n '$program' -c "$BASH $tmp/traffic"
END
dwire_opts+=(-x capture="$tmp/live.pcapng" -x pcapsize=64k -x bufsize=32m)
trace_in "$NETNS" "$program" "$BASH" "$tmp/recorded"

fields() { # FILE: a line a frame, without its time, of packets; the log entries
	tshark -r "$1" -Y 'tcp or udp' -T fields -e frame.len -e frame.comment -e frame.interface_name -e sll.etype \
		-e frame.packet_flags_direction -e frame.packet_id -e ip.id -e tcp.seq_raw -e udp.checksum -e tcp.payload \
		-e udp.payload 2>/dev/null
	tshark -r "$1" -Y systemd_journal -T fields -e systemd_journal.message 2>/dev/null
}
fields "$tmp/live.pcapng" >"$tmp/live"
"$dwire" replay "$tmp/rec" -w "$tmp/replay.pcapng" 2>"$tmp/err" || fail "the replay: $(<"$tmp/err")"
expect_eq "$(<"$tmp/err")" "" "messages"
fields "$tmp/replay.pcapng" >"$tmp/replayed"
expect_ge "$(grep -c 'Probe: tcp' "$tmp/live")" 20 "packets of TCP"
expect_ge "$(grep -c 'Probe: udp' "$tmp/live")" 12 "packets of UDP"
expect_ge "$(grep -c '^accepted' "$tmp/live")" 2 "log entries"
# Arguments are those of a process that lives when its packet is read. In a slow machine it may end before one of the two
# traces has read it; then it has arguments in the other one only. They never have different arguments for one process.
argument='s/\(PID: [0-9]*,Cmd: [^,]*\),Args: \(.*\),Probe: /\1,Probe: /'
slow_machine || argument=
sed "$argument" "$tmp/live" | sort >"$tmp/live.sorted"
sed "$argument" "$tmp/replayed" | sort | diff "$tmp/live.sorted" - >"$tmp/diff" || fail "they differ: $(cut -c 1-200 "$tmp/diff" | head -n 20)"
arguments() { sed -n 's/.*\(PID: [0-9]*,Cmd: [^,]*,Args: .*\),Probe: .*/\1/p' "$@" | sort; }
echo "arguments in the first trace, and in the second: $(arguments "$tmp/live" | uniq -c) $(arguments "$tmp/replayed" | uniq -c)"
expect_eq "$(arguments "$tmp/live" "$tmp/replayed" | uniq | cut -d, -f1,2 | uniq -d)" \
	"" "processes with different arguments"
expect_ge "$(grep -c 'Args: ' "$tmp/replayed")" 10 "packets of processes with arguments"

# Times are those of the machine that recorded: within its run.
tshark -r "$tmp/replay.pcapng" -Y tcp -T fields -e frame.time_epoch 2>/dev/null | sort -n >"$tmp/times"
tshark -r "$tmp/live.pcapng" -Y tcp -T fields -e frame.time_epoch 2>/dev/null | sort -n | paste "$tmp/times" - |
	awk '{ d = $1 - $2; if (d > 0.1 || d < -0.1) print }' >"$tmp/off"
expect_eq "$(<"$tmp/off")" "" "times that differ by more than 0.1 s"

# A second session, of another script, becomes a second section; a stream of frames becomes one file as well.
"$dwire" record -o "$tmp/rec" -x quiet -n 'BEGIN { printf("second\n"); exit(0); }' 2>"$tmp/err" || fail "$(<"$tmp/err")"
"$dwire" replay "$tmp/rec" -w - 2>"$tmp/err" >"$tmp/both.pcapng" || fail "two sessions: $(<"$tmp/err")"
expect_eq "$(fields "$tmp/both.pcapng" | wc -l)" "$(($(wc -l <"$tmp/live") + 1))" "frames of both"
"$dwire" replay "$tmp/rec" -w "$tmp/none/x" 2>"$tmp/err" && fail "a file in no directory"
expect_match "$(<"$tmp/err")" "cannot write packets to .*/none/x" "why"
"$dwire" replay "$tmp/rec" --json -w - 2>"$tmp/err" >/dev/null
expect_eq $? 2 "--json and -w"
