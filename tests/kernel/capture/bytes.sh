# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Each packet of pcap() against a capture of the same traffic, byte by byte, on a wire: TCP and UDP, IPv4 and IPv6,
# segments that the device is to cut; then those of other hooks than the sockets': received by IP, queued to the device.
# Owners are those of the trigger; one packet has one id at each probe.
# timeout: 120
need tcpdump tshark
wire_new bytes
cat >"$tmp/traffic" <<-'END'
	set -e
	for f in -4 -6; do
		tcp_echo $f -n 2 -c 2 -k 60000
		udp_echo $f -n 3 -k 1200
		tcp_refused $f -n 1 >/dev/null
	done
END

# The packets of a file as lines of hex digits, from the IP header on.
packets() { # FILE
	tcpdump -tnx -r "$1" 'tcp or udp or ip6 proto 6 or ip6 proto 17' 2>/dev/null | awk '
		/^\t0x/ { sub(/^\t0x[0-9a-f]*: */, ""); gsub(/ /, ""); line = line $0; next }
		{ if (line != "") print line; line = "" }
		END { if (line != "") print line }' | sort
}

of_probe() { # FILE PROBE
	tshark -r "$1" -Y "frame.comment == \"Probe: $2\"" -w "$tmp/part" 2>/dev/null
	packets "$tmp/part"
}

ip netns exec "$NETNS" tcpdump -i vb -n -s 0 -B 65536 --immediate-mode -U -w "$tmp/pcap" 'tcp or udp' 2>"$tmp/tcpdump" &
CAPTURE=$!
for ((i = 0; i < 500; i++)); do
	grep -q 'listening on' "$tmp/tcpdump" && break
	sleep 0.01
done
dwire_opts+=(-x capture="$tmp/dwire.pcapng" -x pcapsize=64k -x bufsize=32m)
trace_in "$NETNS" "
	tcp:::send, tcp:::receive, udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ { pcap(args[0]); }
	ip:::receive /args[3]->if_ipstack == $NETNS_ID && args[3]->if_name == \"vb\"/ { pcap(args[0], 65535); }
	net:::transmit /args[3]->if_ipstack == $NETNS_ID && args[3]->if_name == \"va\"/ { pcap(args[0], 65535); }
	" "$BASH" "$tmp/traffic"
captured
expect_eq "$OUT" "" "standard output"

packets "$tmp/pcap" >"$tmp/wire"
expect_ge "$(wc -l <"$tmp/wire")" 60 "packets captured"
expect_ge "$(awk 'length > 20000' "$tmp/wire" | wc -l)" 4 "segments larger than the wire's packets"
of_probe "$tmp/dwire.pcapng" ip:::receive >"$tmp/ip"
of_probe "$tmp/dwire.pcapng" net:::transmit >"$tmp/device"
for way in send receive; do
	{
		of_probe "$tmp/dwire.pcapng" tcp:::$way
		of_probe "$tmp/dwire.pcapng" udp:::$way
	} | sort >"$tmp/$way"
done
for got in send receive ip device; do
	diff "$tmp/wire" "$tmp/$got" >"$tmp/diff" ||
		fail "$got differs from what was captured: $(cut -c 1-200 "$tmp/diff" | head -n 8)"
done

# interfaces, directions, owners
tshark -r "$tmp/dwire.pcapng" -Y 'frame.comment == "Probe: tcp:::send" && tcp.len > 0' -T fields -e frame.interface_name \
	-e frame.packet_flags_direction 2>/dev/null | sort | uniq -c | awk '{ print $2, $3 }' >"$tmp/names"
expect_eq "$(<"$tmp/names")" "va@$NETNS 0x00000002" "interface and direction of sent segments"
tshark -r "$tmp/dwire.pcapng" -Y 'tcp.len > 0 && frame.comment == "Probe: tcp:::receive"' -T fields -e tcp.dstport \
	-e frame.comment 2>/dev/null | sed 's/\t.*PID: \([0-9]*\),Cmd: \([^,]*\).*/ \1 \2/' | sort | uniq -c |
	awk '{ print $3, $4 }' | sort -u >"$tmp/owners"
grep -h '_pid=\|_name=' "$tmp/trigger" | sed 's/.*=//' | sort -u >"$tmp/wanted"
expect_eq "$(awk '{ print $1 }' "$tmp/owners" | grep -vxFf "$tmp/wanted")" "" "owners that are none of the trigger"
expect_ge "$(wc -l <"$tmp/owners")" 4 "owners"
expect_eq "$(awk '{ print $2 }' "$tmp/owners" | sort -u | grep -vxFf "$tmp/wanted")" "" "their names"
