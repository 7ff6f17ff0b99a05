# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# tcps_retransmit against the kernel's count: SYNs and data that are lost because the other namespace drops them at
# first. It is 0 for all other segments.
need ss nsenter
clause='tcp:::send /args[1]->cs_netns == $1/ {
	printf("%s pid=%d fl=%d len=%d seq=%d retransmit=%d\n", probename, args[1]->cs_pid, args[4]->tcp_flags,
	    args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_seq, args[3]->tcps_retransmit) }
tcp:::receive /args[1]->cs_netns == $1 && args[3]->tcps_retransmit != 0/ { printf("wrong\n") }'

pids() {
	client=$(sed -n 's/^client_pid=//p' "$tmp/waiting") server=$(sed -n 's/^server_pid=//p' "$tmp/waiting")
	netns=$(sed -n 's/^client_netns=//p' "$tmp/waiting")
}

# until COMMAND…: it succeeds; at most 5 seconds
until_ok() {
	local i
	for ((i = 0; i < 500; i++)); do
		"$@" 2>/dev/null && return
		sleep 0.01
	done
	return 1
}

sees() { # STATE REGEX: the client's sockets in that state, as ss shows them
	nsenter -t "$client" -n ss -tinH state "$1" | grep -q "$2"
}

# TCP for this address is dropped in the server's namespace while the rule is there, before the rule that finds local
# addresses; the shortcut that finds a socket before the route must be off.
drop() { # add|del
	nsenter -t "$server" -n ip rule "$1" pref 0 to 10.213.1.2 ipproto tcp blackhole
}

prepare() {
	start_waiting netns_pair -4 "$@"
	pids
	nsenter -t "$server" -n bash -e <<-'END' || skip "cannot make losses"
		echo 0 >/proc/sys/net/ipv4/ip_early_demux
		ip rule add pref 10 lookup local
		ip rule del pref 0 lookup local
	END
}

check() {
	# the numbers of the segments that were sent before: a retransmission is one that is sent again
	over_lines 'p == "send" {
		size = v["len"] + v["fl"] % 2 + int(v["fl"] / 2) % 2
		again = size > 0 && (v["seq"] in seen)
		if (again != v["retransmit"]) print "wrong: " $0
		if (size > 0) seen[v["seq"]] = 1
		n += v["retransmit"]
	} END { print n + 0 }' >"$tmp/got"
	expect_eq "$(<"$tmp/got")" "$(value_of client_retransmits)" "$1: retransmissions"
	expect_ge "$(value_of client_retransmits)" 1 "$1: segments that the client sent again"
	expect_count 'p == "wrong"' 0 "$1: retransmissions among what is received"
	expect_count "v[\"retransmit\"] && v[\"pid\"] == $client" "$(value_of client_retransmits)" "$1: whose"
}

# a SYN that nobody answers; the second comes a second later
prepare
drop add
{
	until_ok sees syn-sent .
	drop del
} &
trace_waiting "${clause//\$1/$netns}"
wait
check SYN
expect_count 'v["retransmit"] && v["fl"] == 2' "$(value_of client_retransmits)" "only SYNs"

# data that are lost
prepare -c 4 -d $((150 * ${DWIRE_TEST_SLOWER:-1}))
{
	until_ok sees established .
	drop add
	until_ok sees established 'retrans:'
	drop del
} &
trace_waiting "${clause//\$1/$netns}"
wait
check data
expect_count 'v["retransmit"] && v["len"] == 100' "$(value_of client_retransmits)" "only data"
expect_total len "v[\"pid\"] == $client && !v[\"retransmit\"]" "$(value_of client_bytes_out)" "bytes sent, each once"
