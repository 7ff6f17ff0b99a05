# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A server that forks: each connection's bytes belong to the worker that accepted it, not to the parent that listens.
netns_new fork

check() { # FAMILY
	local key port worker
	trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
		printf(\"%s pid=%d name=%s len=%d sp=%d dp=%d\\n\", probename, args[1]->cs_pid, args[1]->cs_execname,
		    args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_sport, args[4]->tcp_dport) }" \
		fork_server "$1" -n 9 -j 3
	port=$(value_of port)
	expect_eq "$(grep -c '^served_[0-9]*=' "$tmp/trigger")" 9 "$1: connections of the trigger"
	while IFS== read -r key worker; do
		expect_eq "$(lines "p == \"send\" && v[\"sp\"] == $port && v[\"dp\"] == ${key#served_}")" \
			"send pid=$worker name=dw_worker len=4 sp=$port dp=${key#served_}" "$1: the answer to ${key#served_}"
	done < <(grep '^served_[0-9]*=' "$tmp/trigger")
	while IFS== read -r key worker; do
		expect_count "p == \"send\" && v[\"pid\"] == ${key#served_by_}" "$worker" "$1: connections of worker ${key#served_by_}"
	done < <(grep '^served_by_' "$tmp/trigger")
	expect_total len "p == \"send\" && v[\"pid\"] == $(value_of client_pid) && v[\"name\"] == \"dw_client\"" 36 "$1: the client's"
	expect_count 'p == "send"' 18 "$1: data segments"
	expect_count 'p == "receive"' 18 "$1: data segments received"
}

check -4
check -6
