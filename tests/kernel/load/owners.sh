# SPDX-License-Identifier: GPL-2.0-or-later
# Each byte and datagram belongs to its process, while many processes open, accept, fork, pass and close sockets:
# compared with the processes' own counts.

netns_new owners

by_process() { # D for a namespace
	local payload='args[2]->ip_plength - args[4]->tcp_offset'
	cat <<-END
		tcp:::send /args[1]->cs_netns == $1 && $payload > 0/ {
			@tcp_out[args[1]->cs_pid] = sum($payload);
			@name[args[1]->cs_pid, args[1]->cs_execname] = count();
		}
		tcp:::receive /args[1]->cs_netns == $1 && $payload > 0/ {
			@tcp_in[args[1]->cs_pid] = sum($payload);
			@name[args[1]->cs_pid, args[1]->cs_execname] = count();
		}
		udp:::send /args[1]->cs_netns == $1/ {
			@udp_out[args[1]->cs_pid] = sum(args[4]->udp_length - 8);
			@datagrams_out[args[1]->cs_pid] = count();
			@name[args[1]->cs_pid, args[1]->cs_execname] = count();
		}
		udp:::receive /args[1]->cs_netns == $1/ {
			@udp_in[args[1]->cs_pid] = sum(args[4]->udp_length - 8);
			@datagrams_in[args[1]->cs_pid] = count();
			@name[args[1]->cs_pid, args[1]->cs_execname] = count();
		}
		END {
			printa("tcp_out_%d=%@d\n", @tcp_out); printa("tcp_in_%d=%@d\n", @tcp_in);
			printa("udp_out_%d=%@d\n", @udp_out); printa("udp_in_%d=%@d\n", @udp_in);
			printa("datagrams_out_%d=%@d\n", @datagrams_out); printa("datagrams_in_%d=%@d\n", @datagrams_in);
			printa("name_%d=%s\n", @name);
		}
	END
}

# All the lines of processes that had traffic: KEY_PID=VALUE, without zeros.
with_traffic() {
	awk -F= '{ pid = $1; sub(/.*_/, "", pid); if (pid !~ /^-?[0-9]+$/ || $2 == "0") next
		if ($1 ~ /^side_/) next; line[$0] = pid; if ($1 !~ /^name_/) busy[pid] = 1 }
		END { for (l in line) if (line[l] in busy) print l }' | sort
}

check() { # TRIGGER-OPTIONS…
	trace_in "$NETNS" "$(by_process "$NETNS_ID")" many "$@"
	compare "$@"
}

# The service begins to look at each send when it finds that a connection was handed on: what is checked comes after.
check_late() {
	declare -p PATH >"$tmp/late"
	printf 'many %s >/dev/null; sleep 0.4; exec many %s\n' "$*" "$*" >>"$tmp/late"
	trace_in "$NETNS" "$(by_process "$NETNS_ID")" "$BASH" "$tmp/late"
	OUT=$(awk -F= 'FNR == NR { pid = $1; sub(/.*_/, "", pid); known[pid] = 1; next }
		{ pid = $1; sub(/.*_/, "", pid) } pid in known' "$tmp/trigger" - <<<"$OUT")
	compare "handed on before, $*"
}

# A slow machine sends again what was not acknowledged in time. That may arrive after the connection was handed on, while the
# trigger counts it for the process that had the connection; or it is sent again after the trigger has asked TCP how much
# was. So at most these bytes are another process's, or more than the trigger knows; none is missing.
is_late() {
	slow_machine && awk -F= -v again="$(value_of retransmitted)" 'FNR == NR { want[$1] = $2; n++; next }
		$1 !~ /^tcp_/ && want[$1] != $2 || !($1 in want) { bad = 1 }
		{ n--; dir = $1; sub(/_[0-9]*$/, "", dir); sum[dir] += $2 - want[$1]; if ($2 > want[$1]) other += $2 - want[$1] }
		END { for (d in sum) bad += sum[d] < 0; exit bad || n || other > again }' "$tmp/want" "$tmp/got"
}

compare() {
	expect_eq "$(grep -v 'has exited$' <<<"$ERR")" "" "$*: nothing was dropped"
	with_traffic <"$tmp/trigger" >"$tmp/want"
	with_traffic <<<"$OUT" >"$tmp/got"
	expect_ge "$(wc -l <"$tmp/want")" 6 "$*: there was traffic"
	diff -u --label trigger "$tmp/want" --label dwire "$tmp/got" >"$tmp/diff" || is_late || {
		fail "$*: not each byte at its process ($(value_of processes) processes, $(value_of retransmitted) bytes sent again)"
		grep '^[-+]' "$tmp/diff" | head -n 20
	}
}

most=200 connections=10
! slow_machine || { most=60 connections=4; }
for kind in plain workers pass fork udp share; do
	check -k $kind -n 8 -c $connections
done
check -k share -n 100 -c $((connections * 5)) # many senders end while others are in their call
check_late -k pass -n 12 -c $connections -N
check -n $most -c $connections
