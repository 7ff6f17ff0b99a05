# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# State changes of connections against the trigger's: who closes first and how, a simultaneous open and close, a refused
# connection. Each change starts where the one before ended. Of connections in TIME_WAIT there are as many as ss shows.
need ss
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

# The trigger, and then how many connections the kernel has in TIME_WAIT. They stay there for a minute, and a slow machine
# may need longer than that to detach the trace, so that they are counted before.
cat >states_and_count <<-'END'
	#!/bin/bash
	said=$(tcp_states "$@") || exit
	port=$(sed -n 's/^port=//p' <<<"$said")
	printf '%s\n' "$said" "time_wait=$(ss -Htan state time-wait "sport = :$port or dport = :$port" | wc -l)"
END
chmod +x states_and_count

check() { # FAMILY WALK
	local port client want
	trace_in "$NETNS" "tcp:::state-change /args[1]->cs_netns == $NETNS_ID/ {
		printf(\"%s cid=%d pid=%d name=%s old=%s new=%s lp=%d rp=%d act=%d sk=%d\\n\", probename, args[1]->cs_cid,
		    args[1]->cs_pid, args[1]->cs_execname, tcp_state_string[args[5]->tcps_state],
		    tcp_state_string[args[3]->tcps_state], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_active, args[1]->cs_addr != 0) }" \
		./states_and_count "$1" -s "$2"
	port=$(value_of port) client=$(value_of client_port)
	want=
	[ "$2" = self ] || [ "$2" = refused ] || want="$port 0 $(value_of listener_states)"$'\n'
	want+="$client $port $(value_of client_states)"
	[ "$2" = self ] || [ "$2" = refused ] || want+=$'\n'"$port $client $(value_of server_states)"
	expect_eq "$(walks)" "$want" "$1 $2"
	# when the FIN comes after close(), the socket is gone
	expect_count "v[\"pid\"] != $(value_of pid) || v[\"name\"] != \"dw_states\"" 0 "$1 $2: changes of no process"
	expect_count 'v["new"] == "state-time-wait"' "$(value_of time_wait)" "$1 $2: connections in TIME_WAIT"
	expect_count "v[\"act\"] != (v[\"rp\"] == $port && v[\"sk\"])" 0 "$1 $2: opened from here"
}

for walk in client server half reset lost linger linger2 self refused; do
	check -4 "$walk"
done
for walk in client half self; do
	check -6 "$walk"
done
ip netns exec "$NETNS" sysctl -qw net.ipv4.tcp_max_tw_buckets=0
check -4 full

# tcp:::detach: the socket of the client that waits in FIN_WAIT2, with its process and its counts
trace_in "$NETNS" "tcp:::detach /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"detach pid=%d state=%s rp=%d acked=%d\\n\", args[1]->cs_pid, tcp_state_name[args[3]->tcps_state],
	    args[3]->tcps_rport, args[3]->tcps_bytes_acked) }" tcp_states -4 -s client
expect_eq "$OUT" "" "detach where there is no room"
ip netns exec "$NETNS" sysctl -qw net.ipv4.tcp_max_tw_buckets=1000
trace_in "$NETNS" "tcp:::detach /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"detach pid=%d state=%s rp=%d acked=%d\\n\", args[1]->cs_pid, tcp_state_name[args[3]->tcps_state],
	    args[3]->tcps_rport, args[3]->tcps_bytes_acked) }" tcp_states -4 -s client
expect_eq "$OUT" "detach pid=$(value_of pid) state=FIN_WAIT2 rp=$(value_of port) acked=2" "detach"
