# SPDX-License-Identifier: GPL-2.0-or-later
# netcheck's verdicts about tables, ports, descriptors, buffers and paths that are full: each condition is made in a
# namespace and compared with the kernel's own counters. Every command that it names can be run.
# timeout: 240
need python3
need nft

look() { # SCRIPT: the verdicts are "ID SEVERITY VALUE OF NEXT" a line
	"$dwire" netcheck --netns "$NETNS" --json --everyone --command "ip netns exec $NETNS python3 $tmp/$1" 20 >"$tmp/json" 2>"$tmp/err" ||
		fail "netcheck: $(<"$tmp/err")"
	VERDICTS=$(python3 -c '
import json, sys
for row in map(json.loads, sys.stdin):
    if row.get("check") == "verdict":
        assert set(("id", "severity", "what", "value", "rate", "share", "of", "next")) <= set(row), row
        print(row["id"], row["severity"], row["value"], row["of"], row["next"])' <"$tmp/json")
	cat <<<"$VERDICTS" >>"$tmp/all"
}
verdict() { # ID
	sed -n "s/^$1 //p" <<<"$VERDICTS"
}
counter() { # NAME: of this namespace
	ip netns exec "$NETNS" nstat -asz "$1" 2>/dev/null | awk -v n="$1" '$1 == n { print $2 }'
}

# A receiver that does not read.
netns_new full
cat >"$tmp/udp.py" <<-'END'
	import socket
	s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
	s.bind(("127.0.0.1", 7300))
	c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	for i in range(50):
	    c.sendto(b"x" * 500, ("127.0.0.1", 7300))
END
look udp.py
n=$(counter UdpRcvbufErrors)
expect_ge "$n" 10 "the kernel's own count"
expect_match "$(verdict udp-full)" "^warning $n [0-9]+ sormem$" "datagrams without room: $VERDICTS"

# A queue of listeners that is full.
netns_new queue
cat >"$tmp/listen.py" <<-'END'
	import socket, time
	server = socket.create_server(("127.0.0.1", 7301), backlog=0)
	clients = []
	for i in range(6):
	    c = socket.socket()
	    c.setblocking(False)
	    c.connect_ex(("127.0.0.1", 7301))
	    clients.append(c)
	time.sleep(0.5)
END
look listen.py
n=$(counter TcpExtListenDrops)
expect_ge "$n" 1 "the kernel's own count of drops"
expect_match "$(verdict full-queue)" "^critical $n [0-9]+ tcpsynbl$" "the full queue: $VERDICTS"

# No free port.
netns_new ports
ip netns exec "$NETNS" sysctl -qw net.ipv4.ip_local_port_range="43000 43019"
cat >"$tmp/ports.py" <<-'END'
	import errno, socket
	server = socket.create_server(("127.0.0.1", 7302), backlog=100)
	keep = []
	failed = 0
	for i in range(25):
	    c = socket.socket()
	    try:
	        c.connect(("127.0.0.1", 7302))
	    except OSError as e:
	        failed += e.errno == errno.EADDRNOTAVAIL
	    keep.append(c)
	assert failed == 5, failed
END
look ports.py
expect_eq "$(verdict no-port)" "critical 5 None portuse" "connects without a port: $VERDICTS"

# A server without descriptors.
netns_new files
cat >"$tmp/files.py" <<-'END'
	import resource, socket
	server = socket.create_server(("127.0.0.1", 7303))
	clients = [socket.create_connection(("127.0.0.1", 7303)) for i in range(3)]
	resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
	for i in range(3):
	    try:
	        server.accept()
	    except OSError:
	        pass
END
look files.py
expect_match "$(verdict descriptors)" '^critical 3 [0-9]+ soaccept$' "accepts without a descriptor: $VERDICTS"

# A path on which large packets are lost in silence: the small ones arrive.
netns_new path
cat >"$tmp/path.py" <<-'END'
	import socket, subprocess, time
	server = socket.create_server(("127.0.0.1", 7304))
	c = socket.create_connection(("127.0.0.1", 7304))
	s = server.accept()[0]
	c.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1000)
	c.send(b"small")
	assert s.recv(10) == b"small"
	subprocess.run(["nft", "-f", "-"], check=True, input=b"""table inet lost {
	  chain in { type filter hook input priority 0; tcp dport 7304 meta length > 900 drop; }
	}""")
	c.setblocking(False)
	c.send(b"x" * 200000)
	time.sleep(3)
END
ip netns exec "$NETNS" ip link set lo mtu 1500
look path.py
expect_eq "$(verdict stuck)" "critical 1 None tcpretrans --host 127.0.0.1" "a path for small packets only: $VERDICTS"

# A full table of connections. Its size is one for all namespaces.
limit=/proc/sys/net/netfilter/nf_conntrack_max
netns_new track
if ip netns exec "$NETNS" nft -f - <<-'END' 2>/dev/null && [ -w $limit ]; then
	table inet track {
	  chain in { type filter hook input priority 0; ct state new accept
	  }
	}
END
	old=$(<$limit)
	at_exit '[ -z "$old" ] || echo "$old" >$limit'
	cat >"$tmp/track.py" <<-'END'
		import socket
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		for port in range(20000, 20400):
		    try:
		        s.sendto(b"x", ("127.0.0.1", port))
		    except OSError:
		        pass
	END
	echo 300 >$limit
	look track.py
	n=$(ip netns exec "$NETNS" cat /proc/net/stat/nf_conntrack | awk '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print "0x" $at["drop"]; print "0x" $at["early_drop"] }' | while read -r x; do echo $((x)); done | awk '{ n += $1 } END { print n }')
	used=$(ip netns exec "$NETNS" cat /proc/sys/net/netfilter/nf_conntrack_count)
	echo "$old" >$limit
	old=
	expect_ge "$n" 1 "the kernel's own count of packets"
	expect_eq "$(verdict conntrack-lost)" "critical $n None skbdrop" "connections without room: $VERDICTS"
	expect_eq "$(verdict conntrack)" "critical $used 300 ss" "the table: $VERDICTS"
fi

# What a quiet machine says.
netns_new calm
"$dwire" netcheck --netns "$NETNS" 1 >"$tmp/out" 2>"$tmp/err"
expect_eq "$? $(sed -n 2p "$tmp/out")" "0 Healthy: nothing stands out." "a calm namespace"

# Every tool that netcheck can name starts.
sed -n 's/.*, "\([a-z0-9]*\( -[^"]*\)\{0,1\}\)");$/\1/p; s/.*strjoin("\([a-z]* --host\) ".*/\1 127.0.0.1/p
	s/.*next\[.*, "\([^"]*\)"\].*/\1/p' "$here/../../tools/netcheck.d" | grep . | sort -u >"$tmp/tools"
expect_ge "$(wc -l <"$tmp/tools")" 15 "tools that are named"
while read -r tool; do
	# shellcheck disable=SC2086
	"$dwire" $tool --program >/dev/null 2>"$tmp/err" || fail "dwire $tool: $(<"$tmp/err")"
done <"$tmp/tools"
