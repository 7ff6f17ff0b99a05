# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# parallel: yes
# pktpath where packets end and divide: the netfilter hook of each drop, addresses before translation in both directions,
# flags of TCP, an expression of pcap-filter, a capture file, and the clones of a packet that a bridge floods.
need python3
need nft
need jq
router_new 4 5 6
ip netns exec "$b" nft -f - <<'END' || skip "no nft"
table ip nat {
	chain post { type nat hook postrouting priority 100; oifname vr masquerade; };
	chain pre { type nat hook prerouting priority -100; ip daddr 10.78.9.9 dnat to 10.78.6.3; };
}
table ip f {
	chain pre { type filter hook prerouting priority 0; udp dport 7101 drop; };
	chain fw { type filter hook forward priority 0; udp dport 7103 drop; };
	chain post { type filter hook postrouting priority 0; udp dport 7105 drop; };
}
END
ip netns exec "$c" nft -f - <<'END'
table ip f {
	chain in { type filter hook input priority 0; udp dport 7102 drop; };
	chain out { type filter hook output priority 0; udp dport 7104 drop; };
}
END
cat >"$tmp/tcp.py" <<'END'
import socket, sys
s = socket.socket()
if sys.argv[1] == "server":
    s.bind(("10.78.6.3", 7001))
    s.listen()
    print("ready", flush=True)
    c = s.accept()[0]
    while c.recv(1000):
        pass
else:
    s.connect(("10.78.9.9", 7001))
    s.sendall(b"x" * 100)
END
cat >"$tmp/drops" <<END
for p in 7101 7102 7103 7105; do ip netns exec $a udp_send -a 10.78.6.3 -p \$p -n 1; done
ip netns exec $c udp_send -a 10.78.6.2 -p 7104 -n 1
ip netns exec $c udp_send -a 127.0.0.1 -p 7102 -n 1
sleep 0.3
END
cat >"$tmp/tcp" <<END
ip netns exec $c timeout 20 python3 $tmp/tcp.py server >$tmp/ready &
until grep -qs ready $tmp/ready; do sleep 0.05; done
ip netns exec $a python3 $tmp/tcp.py client
wait
rm $tmp/ready
END
path() { # ARGUMENT...: rows in $tmp/rows
	"$dwire" pktpath --netns "$a,$b,$c" -4 "$@" >"$tmp/out" 2>"$tmp/err" || fail "pktpath $*: $(head -n 5 "$tmp/err")"
	expect_eq "$(but_late_ticks "$tmp/err")" "" "messages"
	but_late_ticks "$tmp/out" | grep '^{' >"$tmp/rows" || :
}

# Each drop has its hook. Packets of the loopback device bring their route along.
hooks() {
	local either='prerouting or input'
	! functions_traced || either=input # dwire sees which
	path -P 7101-7105 --json --everyone --command "$BASH $tmp/drops"
	expect_eq "$(jq -r 'select(.stage == "drop") | "\(.dport) \(.hook) \(.reason)"' "$tmp/rows" | sort)" \
		"7101 prerouting NETFILTER_DROP
7102 input NETFILTER_DROP
7102 $either NETFILTER_DROP
7103 forward NETFILTER_DROP
7104 output NETFILTER_DROP
7105 postrouting NETFILTER_DROP" "hooks"
	expect_eq "$(jq -r 'select(.stage != "drop") | .hook' "$tmp/rows" | sort -u)" null "hooks before the end"
}
measure hooks

# As they came: to the address that is translated, and back to the one that stands for the client.
nat() {
	path -P 7001 --json --everyone --command "$BASH $tmp/tcp"
	expect_eq "$(jq -r --arg b "$b" 'select(.zone == $b and .stage == "postrouting") |
		"\(.osaddr) \(.odaddr) \(.saddr) \(.daddr) \(.osport == 7001) \(.odport == 7001)"' "$tmp/rows" | sort -u)" \
		"10.78.5.1 10.78.9.9 10.78.6.2 10.78.6.3 false true
10.78.6.3 10.78.6.2 10.78.9.9 10.78.5.1 true false" "translation"
	expect_eq "$(jq -r --arg b "$b" 'select(.zone == $b and .stage == "forward") | .ct' "$tmp/rows" | sort -u | tr '\n' ' ')" \
		"ESTABLISHED NEW REPLY " "conntrack"
	expect_eq "$(jq -r --arg a "$a" 'select(.zone == $a) | "\(.ct) \(.osaddr) \(.osport)"' "$tmp/rows" | sort -u)" \
		"null null null" "where no conntrack is"
}
measure nat

flags() {
	path --flags SYN,FIN --json --everyone --command "$BASH $tmp/tcp"
	expect_eq "$(jq -r 'select(.stage == "output") | .flags' "$tmp/rows" | sort | tr '\n' ' ')" "02 11 11 12 " "SYN, FIN"
	path --flags syn+ack --json --everyone --command "$BASH $tmp/tcp"
	expect_eq "$(jq -r 'select(.stage == "output") | .flags' "$tmp/rows" | tr '\n' ' ')" "12 " "SYN+ACK"
	path --flags 'syn,!ack' --json --everyone --command "$BASH $tmp/tcp" 'src host 10.78.5.1 or dst port 7001'
	expect_eq "$(jq -r 'select(.stage == "output") | .flags' "$tmp/rows" | tr '\n' ' ')" "02 " "SYN without ACK"
}
measure flags
expect_eq "$("$dwire" pktpath --flags SYM 2>&1)" \
	"pktpath: --flags takes FIN, SYN, RST, PSH, ACK, URG, ECE and CWR, as SYN+ACK,!RST, not SYM" "an unknown flag"

# A packet at each stage of its way, with one id; the drop is a line, too.
if type tshark >/dev/null 2>&1 && type tcpdump >/dev/null 2>&1; then
	capture() {
		path -w "$tmp/x.pcapng" --everyone --command "$BASH $tmp/drops" udp dst port 7105
		tshark -r "$tmp/x.pcapng" -T fields -e frame.packet_id -e frame.comment udp >"$tmp/frames" 2>/dev/null
		# only functions show a filter and the choice of a route
		expect_eq "$(sed 's/.*Probe: path::://' "$tmp/frames" | grep -vxE 'filter|route|udp-out|neigh-wait' | tr '\n' ' ')" \
			"output postrouting queue transmit driver-in device-in prerouting forward drop " "stages in the file"
		expect_eq "$(cut -f 1 "$tmp/frames" | sort -u | wc -l)" 1 "one id"
		expect_match "$(tshark -r "$tmp/x.pcapng" -V 2>/dev/null)" "drop 10.78.5.1:[0-9]* > 10.78.6.3:7105: NETFILTER_DROP at postrouting" \
			"the line of the drop"
	}
	measure capture
fi

# A bridge gives one broadcast to itself and to two ports: one packet, three buffers, each with its own way and times.
for n in h x y z; do netns_new "$n" && declare "$n=$NETNS"; done
ip -n "$h" link add br0 type bridge 2>/dev/null || exit 0
for end in "$x 1" "$y 2" "$z 3"; do
	read -r ns i <<<"$end"
	ip -n "$h" link add "p$i" type veth peer name e0 netns "$ns"
	for dev in "$h br0" "$h p$i" "$ns e0"; do
		ip netns exec "${dev% *}" sh -c "echo 1 >/proc/sys/net/ipv6/conf/${dev#* }/disable_ipv6"
	done
	ip -n "$h" link set "p$i" master br0 up
	ip -n "$ns" addr add "10.79.0.$i/24" dev e0
	ip -n "$ns" link set e0 up
done
ip -n "$h" link set br0 up
sleep 0.2
clones() {
	"$dwire" pktpath --netns "$h,$y,$z" -4 -P 7300 -n 1 --json --everyone --command "ip netns exec $x python3 -c '
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
s.sendto(b\"x\", (\"10.79.0.255\", 7300))
time.sleep(0.3)'" >"$tmp/out" 2>"$tmp/err" || fail "clones: $(<"$tmp/err")"
	but_late_ticks "$tmp/out" | grep '^{' >"$tmp/rows"
	expect_eq "$(jq -r .id "$tmp/rows" | sort -u | wc -l)" 1 "one packet"
	expect_eq "$(jq -r 'select(.stage == "input") | "\(.zone)"' "$tmp/rows" | sort)" "$(printf '%s\n' "$y" "$z" | sort)" "who gets it"
	expect_eq "$(jq -r 'select(.stage == "input" or .stage == "transmit") | .clone' "$tmp/rows" | sort | uniq -c | xargs)" \
		"2 2 2 3" "clones"
	expect_eq "$(jq -r 'select(.stage == "drop") | .clone' "$tmp/rows" | sort | tr '\n' ' ')" "1 2 3 " "each clone ends"
	expect_eq "$(jq -r 'select(.clone == 2) | .zone' "$tmp/rows" | uniq | wc -l) $(jq -r 'select(.clone == 3) | .zone' "$tmp/rows" | uniq | wc -l)" \
		"2 2" "a clone's stages are one way"
}
measure clones
