# Each segment against a capture of the same traffic: the lists of what was sent, of what was received, and of what
# tcpdump saw on the loopback device are the same, by addresses, ports, flags, length and window.
need tcpdump
netns_new cap

capture "$NETNS" lo tcp
cat >"$tmp/traffic" <<-'END'
	set -e
	tcp_echo -4 -q -n 3 -c 4 -k 700
	tcp_echo -6 -q -n 2 -c 2 -k 20000
	tcp_states -s self >/dev/null
	tcp_states -6 -s server >/dev/null
	tcp_refused -4 -n 2 >/dev/null
	tcp_refused -6 -n 2 >/dev/null
	tcp_reset -4 -n 2 -m late >/dev/null
	tcp_reset -6 -n 2 -m linger >/dev/null
	tcp_reset -6 -n 1 -m unread >/dev/null
END
trace_in "$NETNS" "
	tcp:::send, tcp:::receive
	/args[1]->cs_netns == $NETNS_ID/
	{
		printf(\"%s sa=%s sp=%d da=%s dp=%d fl=%d win=%d len=%d\\n\", probename, args[2]->ip_saddr, args[4]->tcp_sport,
		    args[2]->ip_daddr, args[4]->tcp_dport, args[4]->tcp_flags, args[4]->tcp_window,
		    args[2]->ip_plength - args[4]->tcp_offset);
	}
" "$BASH" "$tmp/traffic"
captured

pcap_segments >"$tmp/wire"
for probe in send receive; do
	traced_segments $probe >"$tmp/$probe"
	diff -u --label captured --label "tcp:::$probe" "$tmp/wire" "$tmp/$probe" >"$tmp/diff" ||
		fail "tcp:::$probe is not what was captured: $(head -n 20 "$tmp/diff")"
done
segments=$(wc -l <"$tmp/wire")
expect_ge "$segments" 100 "segments captured"
expect_eq "$(grep -c ' R' "$tmp/wire")" 9 "resets captured"
