# SPDX-License-Identifier: GPL-2.0-or-later
# State changes of connections against the trigger's: who closes first, a simultaneous open and close, a refused
# connection. Each change starts where the one before ended.
netns_new states

walks() { # prints "LPORT RPORT STATES" of each connection in order of its first change
	over_lines '
		function name(s) {
			s = toupper(substr(s, 7)); gsub("-", "_", s)
			return s == "CLOSED" ? "CLOSE" : s == "SYN_RECEIVED" ? "SYN_RECV" : s
		}
		{
			c = v["cid"]
			if (!(c in walk)) { order[++n] = c; walk[c] = name(v["old"]); from[c] = v["old"] }
			if (from[c] != v["old"]) walk[c] = walk[c] ",broken"
			walk[c] = walk[c] "," name(v["new"]); from[c] = v["new"]; ends[c] = v["lp"] " " v["rp"]
		}
		END { for (i = 1; i <= n; i++) print ends[order[i]], walk[order[i]] }'
}

check() { # FAMILY WALK
	local port client want
	trace_in "$NETNS" "tcp:::state-change /args[1]->cs_netns == $NETNS_ID/ {
		printf(\"%s cid=%d pid=%d name=%s old=%s new=%s lp=%d rp=%d act=%d\\n\", probename, args[1]->cs_cid,
		    args[1]->cs_pid, args[1]->cs_execname, tcp_state_string[args[5]->tcps_state],
		    tcp_state_string[args[3]->tcps_state], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_active) }" \
		tcp_states "$1" -s "$2"
	port=$(value_of port) client=$(value_of client_port)
	want=
	[ "$2" = self ] || [ "$2" = refused ] || want="$port 0 $(value_of listener_states)"$'\n'
	want+="$client $port $(value_of client_states)"
	[ "$2" = self ] || [ "$2" = refused ] || want+=$'\n'"$port $client $(value_of server_states)"
	expect_eq "$(walks)" "$want" "$1 $2"
	expect_count "v[\"pid\"] != $(value_of pid) || v[\"name\"] != \"dw_states\"" 0 "$1 $2: changes of no process"
	expect_count "v[\"act\"] != (v[\"rp\"] == $port)" 0 "$1 $2: opened from here"
}

for walk in client server self refused; do
	check -4 "$walk"
done
check -6 client
check -6 self
