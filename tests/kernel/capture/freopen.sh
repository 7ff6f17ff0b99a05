# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# pcap() as the manual of Solaris has it: into files that freopen() opens with each packet, one for each port; bytes on
# the terminal without a file; a size. A full disk and a folder that does not exist are errors.
need tshark
netns_new freopen
dwire_opts+=(-w)
trace_in "$NETNS" "
	udp:::send /args[1]->cs_netns == $NETNS_ID/ {
		freopen(\"$tmp/to.%s\", args[4]->udp_dport < args[4]->udp_sport ? \"a\" : \"b\");
		pcap(args[0]->pkt_addr, PCAP_IP);
		freopen(\"\");
	}
	udp:::send /args[1]->cs_netns == $NETNS_ID/ { pcap(args[0], 24); }" udp_echo -4 -n 3 -k 3000
expect_eq "$(grep -c '^ *0: 45 00 ' <<<"$OUT")" 6 "packets shown, from the IP header on"
expect_eq "$(grep -c '^ *10: ' <<<"$OUT")" 6 "... a second line of 8 bytes"
cat "$tmp"/to.* >"$tmp/all"
for f in "$tmp"/to.*; do
	tshark -r "$f" -T fields -e frame.cap_len -e frame.len -e udp.length -e frame.packet_flags_direction 2>/dev/null
done | sort | uniq -c | awk '{ print $1, $2, $3, $4, $5 }' >"$tmp/got"
expect_eq "$(<"$tmp/got")" "6 2068 3048 3008 0x00000002" "number, kept and whole bytes, direction"

"$dwire" -qw -x capture=/dev/full -n 'BEGIN { printf("a line\n"); exit(0); }' >"$tmp/out" 2>"$tmp/err"
expect_eq $? 1 "exit status with a full disk"
expect_match "$(<"$tmp/err")" 'No space left on device' "message about a full disk"
"$dwire" -qw -x capture="$tmp/no/x.pcapng" -n 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err"
expect_eq $? 1 "exit status without a folder"
expect_match "$(<"$tmp/err")" "cannot write packets to $tmp/no/x.pcapng: No such file or directory" "message"
"$dwire" -e -n 'udp:::send { pcap(args[0]); pcap(args[0], 1); }' 2>"$tmp/err"
expect_match "$(<"$tmp/err")" ':1:29: error.*one pcap\(\) at most' "two in a clause"
