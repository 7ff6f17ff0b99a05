# SPDX-License-Identifier: GPL-2.0-or-later
# 200 processes that open, accept, fork, pass and close for some seconds, on loopback and over a veth pair, IPv4 and
# IPv6: sent segments, received segments and a capture are the same list, and each segment has a process of its
# side.
# Functions and kprobes may miss what an interrupt sends or receives while the same function's program runs. dwire says how
# many at most, and no more than that may be missing.
need tcpdump
want_told='^(dwire: up to [0-9]+ probe firings? missed in (tcp|udp):[^ ]*::(send|receive) \(recursion\)(.|$))+$'

missed() { # PROVIDER PROBE: at most
	awk -v site="^$1:[^ ]*::$2\$" '/ missed in .*\(recursion\)$/ && $(NF - 1) ~ site { n += $4 } END { print n + 0 }' "$tmp/err"
}

# The pids that are wrong: not of the side of the group that the ports tell. Of TIME_WAIT only the last 8,192 connections
# have an owner.
strangers() {
	awk -F'[_= ]' '/^side_/ { of[$4 " " $3] = of[$4 " " $3] " " $2 } END { for (k in of) print k, of[k] }' "$tmp/trigger" >"$tmp/sides"
	awk 'FNR == NR { k = $1 " " $2; server[$1] = 1; $1 = $2 = ""; of[k] = $0 " "; next }
		{ split("", v); for (i = 2; i <= NF; i++) { split($i, pair, "="); v[pair[1]] = pair[2] } }
		{ kind = ($1 ~ /udp/ ? "udp" : "tcp") v["ver"] ":"; out = $1 ~ /send/
		  own = kind v[out ? "sp" : "dp"]; other = kind v[out ? "dp" : "sp"]
		  if (index(of[own in server ? own " server" : other " client"], " " v["pid"] " ")) next
		  if (v["pid"] == -1 && v["st"] == 6 && v["fl"] >= 16 && v["len"] == 0) { late++; next }
		  print } END { print late + 0 >"/dev/stderr" }' "$tmp/sides" - <<<"$OUT"
}

check() { # DEVICE
	local what=$1 n
	capture "$NETNS" "$1" "tcp or udp"
	trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s ver=%d pid=%d sa=%s sp=%d da=%s dp=%d fl=%d win=%d len=%d st=%d\\n\", probename, args[2]->ip_ver, args[1]->cs_pid,
			    args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport, args[4]->tcp_flags,
			    args[4]->tcp_window, args[2]->ip_plength - args[4]->tcp_offset, args[3]->tcps_state); }
		udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"udp-%s ver=%d pid=%d sp=%d dp=%d len=%d\\n\", probename, args[2]->ip_ver, args[1]->cs_pid,
			    args[4]->udp_sport, args[4]->udp_dport, args[4]->udp_length - 8); }" many -n $processes -c $connections
	captured
	expect_eq "$(grep -v 'has exited$\| missed in .*(recursion)$' "$tmp/err")" "" "$what: nothing was dropped"
	pcap_segments >"$tmp/wire"
	n=$(wc -l <"$tmp/wire")
	expect_ge "$n" $((processes * connections)) "$what: segments captured"
	for probe in send receive; do
		traced_segments $probe >"$tmp/$probe"
		diff "$tmp/wire" "$tmp/$probe" >"$tmp/diff"
		n=$(grep -c '^<' "$tmp/diff")
		[ "$n" -le "$(missed tcp $probe)" ] && ! grep -q '^>' "$tmp/diff" ||
			fail "$what: tcp:::$probe is not what was captured (<: not seen): $(grep '^[<>]' "$tmp/diff" | head -n 10)"
		n=$(($(value_of datagrams) - $(count "p == \"udp-$probe\"")))
		expect_ge "$n" 0 "$what: datagrams more than there were, $probe"
		expect_le "$n" "$(missed udp $probe)" "$what: datagrams not seen, $probe"
	done
	strangers >"$tmp/strangers" 2>"$tmp/late"
	expect_eq "$(wc -l <"$tmp/strangers")" 0 "$what: segments of strangers: $(head -n 5 "$tmp/strangers")"
	# the answer to the server's FIN, and that
	expect_le "$(<"$tmp/late")" $((2 * $(value_of connections))) "$what: segments of TIME_WAIT"
	expect_ge "$(value_of processes)" $processes "$what: processes"
}

processes=200 connections=60
! slow_machine || { processes=40 connections=6; } # tcpdump loses packets of more, and the traffic takes ten minutes
dwire_opts+=(-b 32m)
netns_new wire
check lo
wire_new veth
check va
