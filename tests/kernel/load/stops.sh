# SPDX-License-Identifier: GPL-2.0-or-later
# A hundred traces that start and end at random moments under traffic: nothing stays in the kernel, and no packet is
# lost or delayed.
# timeout: 120

netns_new stops

. "$here/lib/orphans.lib"

counters() {
	ip netns exec "$NETNS" cat /proc/net/snmp /proc/net/netstat | awk '
		NR % 2 { for (i = 2; i <= NF; i++) key[i] = $i; next }
		{ for (i = 2; i <= NF; i++) if (key[i] ~ /^(RetransSegs|TCPTimeouts|TCPLossProbes|InErrs|TCPSpuriousRTOs|OutDiscards|InDiscards)$/) print key[i], $i }'
}

orphans >"$tmp/before"
ip netns exec "$NETNS" tcp_pingpong -s 50 -t 110 >"$tmp/traffic" &
traffic=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do # the trigger and its two processes
	pids=$(ip netns pids "$NETNS" | tr '\n' ' ')
	[ "$(wc -w <<<"$pids")" -ge 3 ] && break
	sleep 0.05
done
counters >"$tmp/counters.before"

programs=('tcp:::send, tcp:::receive { @[args[1]->cs_pid, args[1]->cs_execname] = count(); }'
	'tcp:::send { printf("%d %s\n", args[1]->cs_pid, args[2]->ip_daddr); }'
	'ip:::send, ip:::receive { @[args[2]->ip_saddr] = sum(args[2]->ip_plength); } tick-10ms { printa(@); trunc(@); }'
	'tcp:::state-change { @[args[1]->cs_pid] = count(); } udp:::send { x[args[1]->cs_cid]++; } tick-1s { exit(0); }')
signals=(INT INT TERM KILL HUP)
RANDOM=7
declare -A ended=()
for ((i = 0; i < 100; i++)); do
	# bash starts jobs with SIGINT ignored
	env --default-signal=INT "$dwire" -qn "${programs[i / 2 % 4]}" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	# a signal for bash's copy of itself would be lost
	until [ "$(<"/proc/$pid/comm")" = dwire ]; do :; done
	# half of them before they are armed, half after
	sleep "0.$(printf %03d $((i % 2 ? RANDOM % 50 : 60 + RANDOM % 150)))"
	kill -"${signals[i / 2 % 5]}" "$pid"
	{ wait "$pid"; } 2>/dev/null
	status=$?
	ended[$status]=$((${ended[$status]-0} + 1))
	[ "$status" -eq 0 ] && grep -v '^dwire: [0-9]* \(.* \)\?drops\?\>\|^dwire: [0-9]* tick firings\? missed' "$tmp/err" && fail "the trace said something"
done
# By the signal itself while it was still compiling, else in order.
for status in "${!ended[@]}"; do
	expect_match "$status" '^(0|129|130|137|143)$' "how a trace ended (${ended[$status]} times)"
done
expect_ge "${ended[0]-0}" 5 "traces that ended in order"

sleep 0.3
counters >"$tmp/counters.after"
expect_eq "$(diff "$tmp/counters.before" "$tmp/counters.after")" "" "packets lost or late"
for p in $pids; do
	expect_eq "$(find "/proc/$p/fd" -lname '*bpf*' 2>/dev/null)" "" "descriptors of ours in process $p"
	kill -0 "$p" || fail "process $p of the traffic has ended"
done
kill "$traffic"
wait "$traffic" 2>/dev/null
no_new_orphans "$tmp/before" "a hundred traces"
