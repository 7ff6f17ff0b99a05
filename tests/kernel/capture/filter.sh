# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# pcap_match() against tcpdump: of the packets that pcap() wrote in the same trace, tcpdump finds as many by each
# expression as the kernel did, at hooks of cgroups and at a tracepoint. Then an expression behind the options of a tool,
# and expressions that are wrong.
# timeout: 120
need tcpdump
netns_new filter
expressions=('tcp' 'udp' 'ip6' 'ip and tcp' 'not tcp' 'tcp[tcpflags] & (tcp-syn|tcp-fin) != 0' 'udp[4:2] > 300' 'src host ::1'
	'dst net 127.0.0.0/8' 'tcp[((tcp[12] & 0xf0) >> 2):1] = 0x64' 'portrange 1024-40000' 'port 53'
	'ip[2:2] - ((ip[0]&0xf)<<2) > 100' 'ip6[6] = 17 and udp' 'icmp or icmp6' 'ip[8] * 3 / 2 = 96 or not ip')
cat >"$tmp/traffic" <<-'END'
	for f in -4 -6; do
		tcp_echo $f -n 2 -c 2 -k 900
		udp_echo $f -n 2 -k 100
		udp_echo $f -n 2 -k 500
		tcp_refused $f -n 1
	done
	echo closed >/dev/udp/127.0.0.1/53
END
program="
	ip:::send /args[3]->if_ipstack == $NETNS_ID/ { pcap(args[0]); @n[\"cgroup\", -1] = count(); }
	net:::transmit /args[3]->if_ipstack == $NETNS_ID/ { @n[\"device\", -1] = count(); }"
for i in "${!expressions[@]}"; do
	program+="
	ip:::send /args[3]->if_ipstack == $NETNS_ID && pcap_match(\"${expressions[i]}\")/ { @n[\"cgroup\", $i] = count(); }
	net:::transmit /args[3]->if_ipstack == $NETNS_ID && pcap_match(\"${expressions[i]}\")/ { @n[\"device\", $i] = count(); }"
done
dwire_opts+=(-x capture="$tmp/all.pcapng" -x bufsize=16m)
trace_in "$NETNS" "$program END { printa(\"%s %d %@d\\n\", @n); }" "$BASH" "$tmp/traffic"
strings -a "$tmp/all.pcapng" | sed -n 's/^MESSAGE=//p' >"$tmp/counts"
for where in cgroup device; do
	for i in -1 "${!expressions[@]}"; do
		if [ "$i" = -1 ]; then what=''; else what=${expressions[i]}; fi
		want=$(tcpdump -nr "$tmp/all.pcapng" ${what:+"$what"} 2>/dev/null | wc -l)
		got=$(awk -v w=$where -v i="$i" '$1 == w && $2 == i { print $3 }' "$tmp/counts")
		expect_eq "${got:-0}" "$want" "$where: ${what:-all packets}"
	done
done
expect_ge "$(awk '$2 == -1 { print $3 }' "$tmp/counts" | sort -n | head -n 1)" 60 "packets"
expect_ge "$(awk '$1 == "cgroup" && $2 >= 0' "$tmp/counts" | wc -l)" 15 "expressions that some packet matches"

"$dwire" tcpsnoop --netns "$NETNS" -w "$tmp/x.pcapng" --everyone --command "ip netns exec $NETNS $BASH $tmp/traffic" 'ip and' \
	'tcp[tcpflags]' '&' tcp-rst != 0 >"$tmp/trigger" 2>"$tmp/err" || fail "tcpsnoop: $(<"$tmp/err")"
expect_eq "$(tcpdump -nr "$tmp/x.pcapng" 2>/dev/null | grep -c ' IP .*Flags \[R')" 2 "resets to 127.0.0.1, sent and received"
expect_eq "$(tcpdump -nr "$tmp/x.pcapng" 2>/dev/null | wc -l)" 2 "... and no other packet"

while IFS='|' read -r expression place why; do
	"$dwire" -e -n "tcp:::send /pcap_match(\"$expression\")/ {}" 2>"$tmp/err"
	expect_eq $? 1 "exit status of $expression"
	expect_match "$(head -n 1 "$tmp/err")" "^-n:1:$place: error.*$why" "message about $expression"
	expect_match "$(sed -n 3p "$tmp/err")" "^ {$((place + 3))}\\^" "caret"
done <<-'END'
	tcp prt 80|29|syntax error
	port 80 and foo|37|unknown port 'foo'
	host 10.0.0.300|30|invalid IPv4 address
END
"$dwire" -e -n 'tcp:::send /pcap_match(execname)/ {}' 2>"$tmp/err"
expect_match "$(<"$tmp/err")" 'takes an expression as a literal' "no literal"
