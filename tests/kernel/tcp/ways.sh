# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Connections made and used in many ways: every byte belongs to its process, on both sides, as the processes
# counted; every captured segment is once sent and once received. Owners after privileges were dropped and after the
# process exited; MPTCP's subflows.
# timeout: 100
need tcpdump
netns_new ways
ip netns exec "$NETNS" sysctl -qw net.ipv4.tcp_fastopen=3
ip -n "$NETNS" route add local 192.0.2.0/24 dev lo
ip -n "$NETNS" route add local 198.51.100.0/24 dev lo
ip -n "$NETNS" -6 route add local 2001:db8::/32 dev lo

clause="tcp:::send, tcp:::receive /args[1]->cs_netns == @NS/ {
	printf(\"%s ver=%d pid=%d uid=%d name=%s cid=%d par=%d tok=%d fl=%d sp=%d dp=%d len=%d st=%d parent=%x token=%x\\n\", probename,
	    args[2]->ip_ver, args[1]->cs_pid, args[1]->cs_uid, args[1]->cs_execname, args[1]->cs_cid, args[1]->cs_parent != 0,
	    args[1]->cs_token != 0, args[4]->tcp_flags, args[4]->tcp_sport, args[4]->tcp_dport,
	    args[2]->ip_plength - args[4]->tcp_offset, args[3]->tcps_state, args[1]->cs_parent, args[1]->cs_token); }"

# ways WAY,…: traces them all, of both families, once; then what is the same in all
ways() {
	local name families="-4 -6" family
	[ "$1" != mapped ] || families=-6
	capture "$NETNS" "$device" tcp
	printf '#!%s\nfor f in %s; do echo family=$f; tcp_ways $f -m %s || exit; done\n' "$BASH" "$families" "$1" >"$tmp/ways"
	chmod +x "$tmp/ways"
	trace_in "$NETNS" "${clause/@NS/$NETNS_ID}" "$tmp/ways"
	captured
	cp "$tmp/trigger" "$tmp/all_trigger"
	cp "$tmp/out" "$tmp/all_out"
	for family in $families; do
		for name in ${1//,/ }; do
			one "$family" "$name"
			also "$name"
		done
	done
}

one() { # FAMILY WAY: its part of the trace, of the capture, of what the trigger said
	local family
	what="$1 $2"
	awk -v f="$1" -v w="$2" '/^family=/ { family = $0 } /^way=/ { way = $0 } family == "family=" f && way == "way=" w' \
		"$tmp/all_trigger" >"$tmp/trigger"
	port=$(value_of port)
	family=${1#-}
	[ "$2" != mapped ] || family=4
	OUT=$(awk -v ver="ver=$family" -v s="sp=$port" -v d="dp=$port" '$2 == ver { for (i = 3; i <= NF; i++) if ($i == s || $i == d) { print; next } }' \
		"$tmp/all_out")
	tcpdump -n -r "$tmp/pcap" "ip${family#4} and tcp port $port" 2>/dev/null >"$tmp/seen"
	server=$(value_of server)
	clients=$(sed -n 's/^client=//p' "$tmp/trigger" | tr '\n' '|')
	in=0 n=0
	for b in $(sed -n 's/^client_bytes=//p' "$tmp/trigger"); do in=$((in + b)) n=$((n + 1)); done
	out=$((n * $(value_of server_bytes)))
	is_client="v[\"pid\"] ~ /^(${clients%|})\$/ && v[\"name\"] == \"dw_client\""
	is_server="v[\"pid\"] == $server && v[\"name\"] == \"dw_server\""
	expect_total len "p == \"send\" && $is_client" "$in" "$what: bytes that the client sent"
	expect_total len "p == \"receive\" && $is_server" "$in" "$what: bytes that the server received"
	expect_total len "p == \"send\" && $is_server" "$out" "$what: bytes that the server sent"
	expect_total len "p == \"receive\" && $is_client" "$out" "$what: bytes that the client received"
	expect_count "v[\"len\"] > 0 && !($is_client) && !($is_server)" 0 "$what: no other's"
	# what is longer than the device takes is cut after TCP has sent it
	if [ -z "$(lines 'v["len"] > 65000')" ]; then
		expect_count 'p == "send"' "$(wc -l <"$tmp/seen")" "$what: segments sent, as captured"
		expect_count 'p == "receive"' "$(wc -l <"$tmp/seen")" "$what: segments received, as captured"
	fi
	seen=$(sed 's/.*, length \([0-9]*\).*/\1/' "$tmp/seen" | awk '{ n += $1 } END { print n + 0 }')
	expect_total len 'p == "send"' "$seen" "$what: bytes sent, as captured"
	expect_total len 'p == "receive"' "$seen" "$what: bytes received, as captured"
}

also() { # WAY: what is its own
	case $1 in
	fastopen) expect_count "p == \"receive\" && v[\"fl\"] == 2 && v[\"len\"] == 500" 1 "$what: the second SYN brings data" ;;
	privilege)
		# In a slow machine what root wrote second may wait for the acknowledgment of the first until the process is nobody's.
		byroot=$(total len "p == \"send\" && $is_server && v[\"uid\"] == 0")
		if slow_machine && [ "$byroot" = 1000 ]; then as_root=1000; else as_root=2000; fi
		expect_eq "$byroot" $as_root "$what: bytes sent by root"
		expect_total len "p == \"send\" && $is_server && v[\"uid\"] == 65534" $((5000 - as_root)) "$what: bytes sent by nobody"
		;;
	early) expect_ge "$(count "p == \"send\" && $is_client && v[\"st\"] == 4")" 1 "$what: segments of a process that is gone" ;;
	timewait)
		expect_count "p == \"receive\" && v[\"fl\"] == 2 && $is_server" 2 "$what: both SYNs come to the listener"
		expect_eq "$(values sp 'p == "send" && v["fl"] == 2' | sort -u | wc -l)" 1 "$what: by the same port"
		;;
	mptcp)
		if [ $subflows = 1 ]; then
			# but for TIME_WAIT, which has no socket
			expect_count 'v["par"] == 0 && v["st"] != 6' 0 "$what: all are subflows"
			return
		fi
		expect_ge "$(values cid "$is_client" | sort -u | wc -l)" 2 "$what: subflows"
		# of those that have a socket
		expect_eq "$(values parent "$is_client && v[\"st\"] != 6" | sort -u | wc -l)" 1 "$what: of one connection"
		# the connection may end before its subflows
		expect_eq "$(values token "$is_client && v[\"tok\"]" | sort -u | wc -l)" 1 "$what: with one token"
		expect_count "v[\"par\"] && !($is_client) && !($is_server)" 0 "$what: every segment of a subflow has an owner"
		;;
	esac
	[ "$cookies" = 1 ] || return 0
	# a cookie is sent without a socket; the listener has what answers it
	expect_count 'p == "send" && v["fl"] == 18 && v["pid"] == -1 && v["name"] == "" && v["cid"] == 0' 1 "$what: whose the SYN-ACK is"
	expect_count "p == \"receive\" && $is_server && v[\"st\"] == 10" 2 "$what: the SYN and the cookie come to the listener"
}

device=lo cookies=0 subflows=1
mptcp=
if [ -e /proc/sys/net/mptcp/enabled ]; then mptcp=,mptcp; else echo "the kernel has no MPTCP"; fi
ways write,sendfile,splice,uring,uring-async,zerocopy,half,device,transparent,fastopen,privilege,early,timewait$mptcp
ways mapped

ip netns exec "$NETNS" sysctl -qw net.ipv4.tcp_syncookies=2
before=$(snmp "$NETNS" TcpExt SyncookiesRecv)
cookies=1
ways write
expect_eq $(($(snmp "$NETNS" TcpExt SyncookiesRecv) - before)) 2 "SYN cookies"
cookies=0

if [ -n "$mptcp" ]; then
	ip -n "$NETNS" addr add 2001:db8:5::2/128 dev lo nodad
	ip -n "$NETNS" mptcp limits set subflow 2 add_addr_accepted 2
	ip -n "$NETNS" mptcp endpoint add 127.0.0.2 subflow
	ip -n "$NETNS" mptcp endpoint add 2001:db8:5::2 subflow
	subflows=2
	ways mptcp
fi

# Over a wire
wire_new wire
ip netns exec "$NETNS" sysctl -qw net.ipv4.tcp_fastopen=3
device=va
ways splice,zerocopy,half,fastopen,privilege,timewait
