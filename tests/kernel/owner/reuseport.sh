# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Workers with a listener each at one port (SO_REUSEPORT): every segment of a connection, from the SYN on, belongs
# to the worker that accepts it, and every datagram to the one that reads it. On loopback and a wire, both families.

check() { # WHAT FAMILY
	local client port udp what="$1 $2"
	trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d name=%s sp=%d dp=%d fl=%d st=%d\\n\", probename, args[1]->cs_pid, args[1]->cs_execname,
			    args[4]->tcp_sport, args[4]->tcp_dport, args[4]->tcp_flags, args[3]->tcps_state); }
		tcp:::accept-established /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d sp=%d\\n\", probename, args[1]->cs_pid, args[4]->tcp_sport); }
		udp:::send, udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"udp-%s pid=%d sp=%d dp=%d\\n\", probename, args[1]->cs_pid, args[4]->udp_sport, args[4]->udp_dport); }" \
		reuseport "$2" -n 5 -c 20
	client=$(value_of client) port=$(value_of port) udp=$(value_of datagram_port)
	expect_eq "$(grep -c '^tcp_' "$tmp/trigger") $(grep -c '^udp_' "$tmp/trigger")" "20 20" "$what: connections and datagrams"
	expect_ge "$(grep '^tcp_' "$tmp/trigger" | sed 's/.*=//' | sort -u | wc -l)" 2 "$what: workers that got some"
	# of each connection and datagram: whose its server's side is, and how many segments, SYNs, accepts; datagrams in and out
	over_lines "p == \"send\" && v[\"sp\"] == $port { n[v[\"dp\"] \" \" v[\"pid\"]]++ }
		p == \"receive\" && v[\"dp\"] == $port { n[v[\"sp\"] \" \" v[\"pid\"]]++; syn[v[\"sp\"] \" \" v[\"pid\"]] += v[\"fl\"] == 2 }
		p == \"accept-established\" { accepts[v[\"sp\"] \" \" v[\"pid\"]]++ }
		p == \"udp-receive\" && v[\"dp\"] == $udp { in_[v[\"sp\"] \" \" v[\"pid\"]]++ }
		p == \"udp-send\" && v[\"dp\"] != $udp { out[v[\"dp\"] \" \" v[\"pid\"]]++ }
		END { for (k in n) print \"tcp_\" k, (n[k] >= 8), syn[k] + 0, accepts[k] + 0
			for (k in in_) print \"udp_\" k, in_[k], out[k] + 0 }" | sort >"$tmp/got"
	# the kernel may choose a port of UDP again
	sed -n 's/^\(tcp_[0-9]*\)=\(.*\)/\1 \2 1 1 1/p; s/^\(udp_[0-9]*\)=\(.*\)/\1 \2/p' "$tmp/trigger" |
		awk '/^tcp/ { print; next } { n[$0]++ } END { for (k in n) print k, n[k], n[k] }' | sort >"$tmp/want"
	expect_eq "$(diff "$tmp/want" "$tmp/got" | head -n 8)" "" "$what: whose each is (< the trigger)"
	expect_count "p == \"send\" && v[\"dp\"] == $port && v[\"pid\"] != $client && v[\"st\"] != 6" 0 "$what: the client's segments"
	expect_count "p == \"udp-send\" && v[\"dp\"] == $udp && v[\"pid\"] == $client" 20 "$what: the client's datagrams"
}

# One process makes the listeners of all (nginx does): each is its own once it has accepted. So of every worker's
# connections but the first.
check_made() { # FAMILY
	local port
	trace_in "$NETNS" "tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[4]->tcp_flags == TH_SYN/ {
			printf(\"%s pid=%d sp=%d dp=%d\\n\", probename, args[1]->cs_pid, args[4]->tcp_sport, args[4]->tcp_dport); }
		tcp:::accept-established /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d sp=%d\\n\", probename, args[1]->cs_pid, args[4]->tcp_sport); }" \
		reuseport "$1" -m -n 3 -c 30
	port=$(value_of port)
	over_lines "p == \"receive\" && v[\"dp\"] == $port { syn[v[\"sp\"]] = v[\"pid\"] }
		p == \"accept-established\" { accepts[v[\"sp\"]] = v[\"pid\"] }
		END { for (k in syn) print \"tcp_\" k, syn[k], accepts[k] }" | sort >"$tmp/got"
	sed -n 's/^\(tcp_[0-9]*\)=\(.*\)/\1 \2/p' "$tmp/trigger" | awk 'seen[$2]++ { print $1, $2, $2 }' | sort >"$tmp/want"
	expect_ge "$(wc -l <"$tmp/want")" 27 "$1: connections after each worker's first"
	expect_eq "$(comm -23 "$tmp/want" "$tmp/got")" "" "$1: whose the others are"
}

netns_new reuse
check_made -4
check_made -6
check lo -4
check lo -6
wire_new reusewire
check wire -4
check wire -6
