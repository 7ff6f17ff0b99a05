# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Each segment and datagram against a capture of the same traffic, on loopback and on a wire: sent, received and
# captured packets are the same lists, by addresses, ports, flags, length and window.
need tcpdump
cat >"$tmp/traffic" <<-'END'
	set -e
	for f in -4 -6; do
		tcp_echo $f -q -n 3 -c 4 -k 700
		tcp_echo $f -q -n 2 -c 2 -k 20000
		tcp_states $f -s self >/dev/null
		tcp_states $f -s server >/dev/null
		tcp_states $f -s client >/dev/null
		tcp_refused $f -n 2 >/dev/null
		tcp_reset $f -n 2 -m late >/dev/null
		tcp_reset $f -n 2 -m linger >/dev/null
		tcp_reset $f -n 1 -m unread >/dev/null
		udp_echo $f -n 5 -k 1000 >/dev/null
		udp_echo $f -n 5 -k 9 -c >/dev/null
		udp_kinds $f >/dev/null
	done
END

# "SA SP DA DP LEN" of the datagrams to one host: those to groups are captured once, and received by many
pcap_datagrams() {
	tcpdump -n -r "$tmp/pcap" 'udp and (dst net 127.0.0.0/8 or dst net 10.99.0.0/24 or dst host ::1 or dst net fd00::/8)' 2>/dev/null |
		grep -v 'broadcast\|\.255\.' | awk '{ n = $NF; a = $3; b = $5; sub(/:$/, "", b)
			sp = a; sub(/.*\./, "", sp); sub(/\.[0-9]*$/, "", a); dp = b; sub(/.*\./, "", dp); sub(/\.[0-9]*$/, "", b)
			print a, sp, b, dp, n }' | sort
}

check() { # DEVICE
	capture "$NETNS" "$1" "tcp or udp"
	trace_in "$NETNS" "
		tcp:::send, tcp:::receive
		/args[1]->cs_netns == $NETNS_ID/
		{
			printf(\"%s sa=%s sp=%d da=%s dp=%d fl=%d win=%d len=%d\\n\", probename, args[2]->ip_saddr, args[4]->tcp_sport,
			    args[2]->ip_daddr, args[4]->tcp_dport, args[4]->tcp_flags, args[4]->tcp_window,
			    args[2]->ip_plength - args[4]->tcp_offset);
		}
		udp:::send, udp:::receive, udp:::no-port, udp:::receive-drop
		/args[1]->cs_netns == $NETNS_ID/
		{
			printf(\"udp-%s sa=%s sp=%d da=%s dp=%d len=%d\\n\", probename, args[2]->ip_saddr, args[4]->udp_sport,
			    args[2]->ip_daddr, args[4]->udp_dport, args[2]->ip_plength - 8);
		}
	" "$BASH" "$tmp/traffic"
	captured
	pcap_segments >"$tmp/wire"
	for probe in send receive; do
		traced_segments $probe >"$tmp/$probe"
		diff -u --label captured --label "tcp:::$probe" "$tmp/wire" "$tmp/$probe" >"$tmp/diff" ||
			fail "$1: tcp:::$probe is not what was captured: $(head -n 20 "$tmp/diff")"
	done
	expect_ge "$(wc -l <"$tmp/wire")" 150 "$1: segments captured"
	expect_eq "$(grep -c ' R' "$tmp/wire")" 14 "$1: resets captured"
	pcap_datagrams >"$tmp/wire"
	over_lines 'p == "udp-send" { print v["sa"], v["sp"], v["da"], v["dp"], v["len"] }' | grep -v '\.255 \| 239\.\| ff0' |
		sort >"$tmp/sent"
	diff -u --label captured --label "udp:::send" "$tmp/wire" "$tmp/sent" >"$tmp/diff" ||
		fail "$1: udp:::send is not what was captured: $(head -n 20 "$tmp/diff")"
	expect_ge "$(wc -l <"$tmp/wire")" 100 "$1: datagrams captured"
}

netns_new cap
check lo
wire_new wire
ip -n "$NETNS" link set va mtu 9000 # no fragments
ip -n "$NETNS" link set vb mtu 9000
check va
