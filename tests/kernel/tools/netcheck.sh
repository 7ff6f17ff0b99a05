# SPDX-License-Identifier: GPL-2.0-or-later
# netcheck counts what triggers did in their namespace, and names a tool only where a value stands out.
# timeout: 180
need python3
netns_new check
cat >"$tmp/quiet" <<-'END'
	#!/bin/bash
	ip netns exec "$1" tcp_echo -4 -n 4 -c 3 -k 1000 >"$0.tcp"
	ip netns exec "$1" udp_echo -6 -n 7 -k 100 >"$0.udp"
	ip netns exec "$1" getent ahosts localhost >/dev/null
END
cat >"$tmp/loud" <<-'END'
	#!/bin/bash
	ip netns exec "$1" tcp_refused -4 -n 3 >"$0.refused"
	ip netns exec "$1" tcp_refused -6 -n 2 >>"$0.refused"
	ip netns exec "$1" getent ahosts no-such-name.invalid >/dev/null
	exit 0
END
chmod +x "$tmp/quiet" "$tmp/loud"

look() { # TRAFFIC: OUT is "what=value next" for each row
	"$dwire" netcheck --netns "$NETNS" --json --everyone --command "$tmp/$1 $NETNS" 15 >"$tmp/json" 2>"$tmp/err" ||
		fail "netcheck failed: $(<"$tmp/err")"
	VERDICTS=$(python3 -c '
import json, sys
for row in map(json.loads, sys.stdin):
    if row.get("check") == "verdict":
        print("%s %s %s %s; %s" % (row["severity"], row["value"], row["what"], row["most"] or "", row["next"]))' <"$tmp/json")
	OUT=$(python3 -c '
import json, sys
for row in map(json.loads, sys.stdin):
    if "what" in row and row["check"] != "verdict":
        print("%s=%s %s" % (row["what"], row["value"], row.get("next", "")))' <"$tmp/json")
}
row() { # WHAT
	sed -n "s/^$1=//p" <<<"$OUT"
}

turns() { # of process 1's threads, as the scheduler counts them
	cat /proc/1/task/*/schedstat | awk '{ n += $3 } END { print n }'
}
before=$(turns)
look quiet
unseen=$(row 'turns of process 1 not traced' | tr -d ' ')
[ "$unseen" = 0 ] || expect_ge "$unseen" 6 "turns of process 1 that were not traced"
expect_le "$unseen" $(($(turns) - before)) "turns of process 1"
expect_eq "$(row 'reading of sockets unfinished')" "0 " "sockets at the start"
expect_eq "$(row 'TCP opened')" "4 " "opened"
expect_eq "$(row 'TCP accepted')" "4 " "accepted"
expect_eq "$(row 'TCP failed to open')" "0 " "failed"
expect_eq "$(row 'opened and ended in this time')" "4 " "ended"
expect_ge "$(row '... their mean life' | tr -d ' ')" 400 "mean life, ms"
expect_le "$(row '... their mean life' | tr -d ' ')" 3000 "mean life, ms"
expect_eq "$(row 'TCP segments received')" "$(row 'TCP segments sent')" "segments a second"
expect_eq "$(grep -c '=.* [a-z]' <<<"$OUT")" 0 "tools named: $OUT"
expect_ge "$(row lookups | tr -d ' ')" 1 "lookups"

expect_eq "$VERDICTS" "" "verdicts"

look loud
expect_eq "$(sed 's/[1-9][0-9]* failed lookups/N failed lookups/' <<<"$VERDICTS")" \
	"critical 5 failed connects most to 127.0.0.1: Connection refused; soconnect -e
critical N failed lookups of names ; gethostlatency" "verdicts"
expect_eq "$(row 'TCP failed to open')" "5 soconnect -e" "refused"
expect_eq "$(row 'resets sent')" "5 tcpsnoop" "resets sent"
expect_eq "$(row 'SYNs without a connection')" "0 " "SYNs that a reset answers"
expect_eq "$(row 'connections reset by others')" "5 tcpstates" "reset"
expect_match "$(row '... failed')" '^[1-9][0-9]* gethostlatency$' "lookups that failed"

"$dwire" netcheck --netns "$NETNS" --everyone --command "$tmp/loud $NETNS" 15 >"$tmp/out" 2>"$tmp/err"
expect_eq "$(awk 'length > 80' "$tmp/out")" "" "lines of more than 80 columns"
expect_le "$(wc -l <"$tmp/out")" 28 "lines"
expect_match "$(sed -n 2p "$tmp/out")" '^critical failed connects -- 5 at [0-9.]+ /s, 100.0 % of 5 $' "the verdict in text"
expect_eq "$(sed -n 3p "$tmp/out")" "         most to 127.0.0.1: Connection refused; look: dwire soconnect -e" "what to do"
expect_eq "$(grep -E '^(conn|loss|names|lat|trac)' "$tmp/out" | awk '$0 !~ /mean|TCP (opened|accepted)/ && substr($0, 45, 12) + 0 == 0')" "" "what did not happen"
expect_match "$(tail -n 1 "$tmp/out")" 'All else of .* is 0\.$' "the last line"

# The exit status is the worst verdict: 4 critical, 3 a warning, 0 none. Ports that run out; segments that are lost;
# connections that nobody closes.
"$dwire" netcheck --netns "$NETNS" 1 >"$tmp/out" 2>&1
expect_eq "$? $(sed -n 2p "$tmp/out")" "0 Healthy: nothing stands out." "nothing"
calm=$NETNS
netns_new bad
ip netns exec "$NETNS" sysctl -qw net.ipv4.ip_local_port_range="42000 42099"
cat >"$tmp/bad.py" <<-'END'
	import socket, subprocess, time
	server = socket.create_server(("127.0.0.1", 7100), backlog=200)
	keep = []
	for i in range(96):
	    keep += [socket.create_connection(("127.0.0.1", 7100)), server.accept()[0]]
	print("ready", flush=True)
	time.sleep(60)
END
ip netns exec "$NETNS" python3 "$tmp/bad.py" >"$tmp/bad" &
for ((i = 0; i < 400; i++)); do
	grep -qs ready "$tmp/bad" && break
	sleep 0.05
done
"$dwire" netcheck --netns "$NETNS" 1 >"$tmp/out" 2>"$tmp/err"
expect_eq "$? $(sed -n 2p "$tmp/out")" "4 critical ports in use -- 96.0 %" "ports: $(<"$tmp/err")"
kill %1
wait
cat >"$tmp/lost.py" <<-'END'
	import socket, subprocess, time
	server = socket.create_server(("127.0.0.1", 7200))
	c = socket.create_connection(("127.0.0.1", 7200))
	s = server.accept()[0]
	subprocess.run(["nft", "-f", "-"], check=True, input=b"""table inet lost {
	  chain in { type filter hook input priority 0; tcp dport 7200 drop; }
	}""")
	c.send(b"lost")
	time.sleep(2.2)
END
netns_new lost
"$dwire" netcheck --netns "$NETNS" --json 2 --everyone --command "ip netns exec $NETNS python3 $tmp/lost.py" >"$tmp/json" 2>"$tmp/err"
expect_match "$(grep -c '"id":"resent","severity":"[a-z]*","what":"segments sent again","most":"most to 127.0.0.1".*"next":"tcpretrans --host 127.0.0.1"' "$tmp/json")" 1 "lost segments: $(grep verdict "$tmp/json")"
NETNS=$calm

# A queue that is too short, a neighbour that is not there, a port that nobody has; devices of another namespace are not shown.
ns=$NETNS
netns_new other
ip -n "$ns" link add va type veth peer name vb netns "$NETNS" || skip "no veth"
ip -n "$ns" addr add 10.78.9.1/24 dev va
ip -n "$ns" link set va up
ip netns exec "$NETNS" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/vb/disable_ipv6'
ip -n "$NETNS" link set vb up
ip netns exec "$ns" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/va/disable_ipv6; echo 2 >/proc/sys/net/ipv4/neigh/va/mcast_solicit; echo 50 >/proc/sys/net/ipv4/neigh/va/retrans_time_ms'
ip -n "$ns" neigh add 10.78.9.9 lladdr 02:00:00:00:00:09 dev va
tc -n "$ns" qdisc add dev va root tbf rate 100kbit burst 2000 limit 3000 || skip "no tbf"
cat >"$tmp/lossy" <<-'END'
	#!/bin/bash
	ip netns exec "$1" udp_send -n 9 >/dev/null
	ip netns exec "$1" udp_send -a 10.78.9.9 -n 20 -k 1000 >/dev/null
	ip netns exec "$1" udp_send -a 10.78.9.7 >/dev/null
	sleep 0.8
END
chmod +x "$tmp/lossy"
NETNS=$ns
look lossy
lost=$(tc -n "$ns" -s qdisc show dev va | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p')
expect_ge "$lost" 10 "the queue's own count"
expect_eq "$(row "drops in devices' queues")" "$lost skbdrop" "drops in the queue"
expect_eq "$(row 'neighbours that do not answer')" "1 neighsnoop" "neighbours"
# nobody's port: nine; the datagram that waited for the neighbour
expect_eq "$(row 'other packets dropped')" "10 skbdrop" "other drops"
expect_match "$(row 'packets over 5 ms in a queue')" '^[1-9][0-9]* qdisclat$' "packets that wait"
expect_eq "$(grep -c '"device":"vb"' "$tmp/json")" 0 "devices of others"
expect_ge "$(grep -c '"device":"va"' "$tmp/json")" 1 "its own"

# Twelve SYNs from a host that does not answer, a connection, and a server that is out of descriptors.
ip -n "$ns" neigh add 10.78.9.77 lladdr 02:00:00:00:00:77 dev va
cat >"$tmp/syns.py" <<-'END'
	import resource, socket, struct
	from packets import checksum

	for dev in ("all", "lo"):
	    with open("/proc/sys/net/ipv4/conf/%s/rp_filter" % dev, "w") as f:
	        f.write("0")
	server = socket.create_server(("10.78.9.1", 7777))
	client = socket.create_connection(("10.78.9.1", 7777))
	other = socket.create_connection(("10.78.9.1", 7777))
	accepted = [server.accept()]
	raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_TCP)
	raw.setsockopt(socket.SOL_IP, socket.IP_HDRINCL, 1)
	ends = socket.inet_aton("10.78.9.77") + socket.inet_aton("10.78.9.1")
	for port in range(9000, 9012):
	    tcp = struct.pack("!HHIIBBHHH", port, 7777, 1, 0, 5 << 4, 2, 1000, 0, 0)
	    tcp = tcp[:16] + struct.pack("!H", checksum(ends + struct.pack("!HH", 6, len(tcp)) + tcp)) + tcp[18:]
	    raw.sendto(struct.pack("!BBHHHBBH", 69, 0, 0, 0, 0, 64, 6, 0) + ends + tcp, ("10.78.9.1", 0))
	resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
	for i in range(4):
	    try:
	        server.accept()
	    except OSError:
	        pass
END
printf '#!/bin/sh\nexec ip netns exec "$1" python3 "$0.py"\n' >"$tmp/syns"
chmod +x "$tmp/syns"
look syns
expect_eq "$(row 'SYNs without a connection')" "12 tcpsnoop" "SYNs that led to nothing: $OUT"
expect_eq "$(row 'accepts that failed')" "4 soaccept" "accepts"
expect_eq "$(row 'TCP accepted')" "2 " "accepted"
