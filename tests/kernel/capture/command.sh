# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Packets on the standard output are not mixed with what the command of -c prints: that goes to the standard error. What
# pcap() finds without a packet is counted; a probe that never has one is refused.
need tshark
netns_new command
cat >"$tmp/traffic" <<-'END'
	echo printed by the command
	tcp_echo -4 -n 1 -q
END
PATH=$triggers:$PATH
run="ip netns exec $NETNS $BASH $tmp/traffic"
one="args[1]->cs_netns == $NETNS_ID"
"$dwire" -q -x capture=- -n "tcp:::send /$one/ { pcap(args[0]); }" -c "$run" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/err")" "printed by the command" "the command's text"
tshark -r "$tmp/out" -T fields -e frame.len >"$tmp/lens" 2>"$tmp/warnings" || fail "no pcapng: $(<"$tmp/warnings")"
expect_ge "$(wc -l <"$tmp/lens")" 8 "packets"
"$dwire" tcpsnoop --netns "$NETNS" -w - --everyone --command "$run" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/err")" "printed by the command" "the command's text, of a tool"
tshark -r "$tmp/out" >"$tmp/lens" 2>"$tmp/warnings" || fail "no pcapng of the tool: $(<"$tmp/warnings")"
"$dwire" -q -x capture="$tmp/file" -n "tcp:::send /$one/ { pcap(args[0]); }" -c "$run" >"$tmp/out" 2>"$tmp/err"
expect_match "$(<"$tmp/out")" "printed by the command" "beside a file it stays where it was"

"$dwire" -q -x capture="$tmp/file" -n "tcp:::state-change /$one/ { pcap(args[0]); @ = count(); }" -c "$run" >"$tmp/out" \
	2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_match "$(<"$tmp/err")" "[1-9][0-9]* events of pcap\(\) had no packet: nothing was written for them" "changes of state"
"$dwire" -q -x capture="$tmp/file" -n 'tcp:::rto { pcap(args[0]); }' 2>"$tmp/err" && fail "a probe without packets"
expect_match "$(<"$tmp/err")" "1:13: error\[D_PROTO_ARG\]: pcap\(\): tcp:::rto is seen where the kernel has no packet" "place"
expect_match "$(<"$tmp/err")" "hint: dwire -lvv" "the hint"
