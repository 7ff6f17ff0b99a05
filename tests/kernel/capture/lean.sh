# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# -x capturelean: each packet has the owner, probe, bytes and direction that the same packet has in a capture with comments
# on each packet, in fewer bytes; owners that share a device are apart; a hostile name forges nothing.
need tshark
tshark -v 2>/dev/null | tr '\n' ' ' | grep -q 'with Lua' || skip "needs tshark with Lua"
need_traced tcp:::send,tcp:::receive,tcp:::connect-refused
netns_new lean
script="tcp:::send, tcp:::receive, tcp:::connect-refused /args[1]->cs_netns == $NETNS_ID/ { pcap(args[0]); }"
name=$'a\nPID: 1'
cat >"$tmp/traffic" <<-END
	tcp_echo -4 -n 6 -c 3 -k 200
	cp "$(command -v tcp_pingpong)" '$tmp/$name'
	'$tmp/$name' -4 -n 300 -t 30
	tcp_refused -4 -n 2
END
"$dwire" "${dwire_opts[@]}" -x capture="$tmp/all.pcapng" -n "$script" -c "sh -c 'echo >$tmp/armed; exec sleep 60'" \
	2>"$tmp/all.err" &
all=$!
for _ in $(seq 300); do
	[ -e "$tmp/armed" ] && break
	sleep 0.1
done
dwire_opts+=(-x capture="$tmp/lean.pcapng" -x capturelean)
trace_with "$script" nsenter --net="/run/netns/$NETNS" "$BASH" "$tmp/traffic"
kill -INT $all
wait $all
expect_eq "$(<"$tmp/all.err")" "" "messages of the other capture"

shown() { # FILE: a line a packet
	tshark -X lua_script:"$here/../../docs/dwire.lua" -r "$1" -Y tcp -T fields -e frame.packet_id -e frame.time_epoch \
		-e frame.packet_flags_direction -e dwire.pid -e dwire.comm -e dwire.args -e dwire.probe -e dwire.verdict \
		-e frame.cap_len -e ip.id -e tcp.seq_raw -e tcp.len -e tcp.checksum 2>/dev/null
}
# The two traces read the clock one after the other.
shown "$tmp/all.pcapng" | cut -f1,3- | sort >"$tmp/all"
shown "$tmp/lean.pcapng" | cut -f1,3- | sort >"$tmp/lean"
expect_ge "$(wc -l <"$tmp/lean")" 1200 "packets"
cmp -s "$tmp/all" "$tmp/lean" || fail "packets differ: $(diff "$tmp/all" "$tmp/lean" | head -n 6)"
expect_eq "$(cut -f3 "$tmp/lean" | grep -c "^$(value_of client_pid)\$")" "$(cut -f3 "$tmp/all" | grep -c "^$(value_of client_pid)\$")" \
	"packets of the client"
expect_ge "$(cut -f3 "$tmp/lean" | sort -u | wc -l)" 4 "owners"
expect_eq "$(cut -f3 "$tmp/lean" | grep -cx 1)" 0 "packets whose owner a name forged"
expect_eq "$(tshark -r "$tmp/lean.pcapng" -Y frame.comment 2>/dev/null | wc -l)" 0 "packets with comments"
expect_le "$(($(stat -c %s "$tmp/lean.pcapng") * 100 / $(stat -c %s "$tmp/all.pcapng")))" 75 "bytes, per cent of the other file"
# Times rise, and each is within the trace's.
shown "$tmp/lean.pcapng" | cut -f2 | sort -c -n || fail "times of packets fall"
