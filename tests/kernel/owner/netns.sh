# SPDX-License-Identifier: GPL-2.0-or-later
# zone, number and name of the network namespace for each side of a connection over a veth pair, and on loopback in
# a named namespace and in the machine's first one.
netns_new named

line='printf("%s pid=%d name=%s zone=%d ns=%d zonename=%s local=%d sa=%s da=%s len=%d\n", probename, args[1]->cs_pid,
	args[1]->cs_execname, args[1]->cs_zoneid, args[1]->cs_netns, args[1]->cs_zonename, args[3]->tcps_local,
	args[2]->ip_saddr, args[2]->ip_daddr, args[2]->ip_plength - args[4]->tcp_offset) }'

trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID/ { $line" tcp_echo -q -n 1
expect_ge "$(count 1)" 16 "segments in a named namespace"
expect_count "v[\"zone\"] != $NETNS_ID || v[\"zonename\"] != \"$NETNS\" || v[\"local\"] != 1" 0 "its zone and name"
trace_in "$NETNS" "tcp:::send /args[1]->cs_zonename == \"$NETNS\"/ { @n[1] = count(); } tcp:::send /args[1]->cs_netns == $NETNS_ID/ {
	@n[2] = count(); } tcp:::send /args[1]->cs_zonename == \"$NETNS\" && args[1]->cs_netns != $NETNS_ID/ { @n[3] = count(); }
	BEGIN /zonename != \"$NETNS\" && zonename == \"global\"/ { @n[4] = count(); }" tcp_echo -q -n 1
expect_eq "$(awk '$1 == 1 { a = $2 } $1 == 2 { b = $2 } $1 == 3 { c = $2 } $1 == 4 { d = $2 } END { print (a == b && a > 0), c + 0, d }' \
	<<<"$OUT")" "1 0 1" "a zone by its name"

trace_with "tcp:::send, tcp:::receive /args[1]->cs_execname == \"dw_server\" || args[1]->cs_execname == \"dw_client\"/ { $line" tcp_echo -q -n 1
client=$(value_of client_pid) server=$(value_of server_pid)
mine="(v[\"pid\"] == $client || v[\"pid\"] == $server)"
expect_total len "v[\"pid\"] == $client && p == \"send\"" "$(value_of client_bytes_out)" "bytes in the machine's own namespace"
expect_count "$mine && (v[\"zone\"] != 0 || v[\"zonename\"] != \"global\" || v[\"ns\"] != $(stat -L -c %i /proc/self/ns/net))" 0 \
	"zone 0, global"

check() { # FAMILY
	trace_with "tcp:::send, tcp:::receive /args[2]->ip_saddr == \"$2\" || args[2]->ip_saddr == \"$3\"/ { $line" \
		netns_pair "$1" -n 1 -c 2 -k 600
	client=$(value_of client_netns) server=$(value_of server_netns)
	local here="v[\"ns\"] == $client" there="v[\"ns\"] == $server"
	expect_eq "$(value_of client_addr) $(value_of server_addr)" "$2 $3" "$1: addresses"
	expect_count "$here && p == \"send\" && v[\"sa\"] == \"$2\"" "$(value_of client_segs_out)" "$1: the client's segments out"
	expect_count "$here && p == \"receive\" && v[\"da\"] == \"$2\"" "$(value_of client_segs_in)" "$1: the client's in"
	expect_count "$there && p == \"send\" && v[\"sa\"] == \"$3\"" "$(value_of server_segs_out)" "$1: the server's out"
	expect_count "$there && p == \"receive\" && v[\"da\"] == \"$3\"" "$(value_of server_segs_in)" "$1: the server's in"
	expect_count "($here || $there) && v[\"zone\"] != v[\"ns\"]" 0 "$1: zones"
	expect_count "($here || $there) && v[\"local\"] != 0" 0 "$1: a veth device is not local"
	expect_total len "$here && v[\"pid\"] == $(value_of client_pid) && v[\"name\"] == \"dw_ns_client\" && p == \"send\"" \
		"$(value_of client_bytes_out)" "$1: the client's bytes"
	expect_total len "$there && v[\"pid\"] == $(value_of server_pid) && v[\"name\"] == \"dw_ns_server\" && p == \"send\"" \
		"$(value_of server_bytes_out)" "$1: the server's bytes"
	expect_count "$there && v[\"pid\"] != $(value_of server_pid)" 0 "$1: strangers at the server"
	# a namespace without a name is called by its number
	expect_count "($here || $there) && v[\"zonename\"] != v[\"ns\"]" 0 "$1: names"
}

check -4 10.213.1.1 10.213.1.2
check -6 fd00:d:1::1 fd00:d:1::2

# Several clauses ask each for the namespace, some of packets that may have no socket: they see the same.
twice=
for probe in tcp:::send tcp:::receive ip:::send ip:::receive tcp:::state-change tcp:::drop udp:::send udp:::receive; do
	for n in 1 2 3; do
		twice+="$probe /args[1]->cs_netns == $NETNS_ID/ { @n[probeprov, probename, $n] = count(); } "
	done
done
trace_in "$NETNS" "$twice" tcp_echo -q -n 1
# A FIN that is thrown away with its socket is a drop, or not, as the connection's ends come.
expect_eq "$(awk 'NF { n[$1 $2]++; all[$1 $2 $4]++ } END { for (p in n) if (n[p] != 3) print p, n[p]
	for (p in all) if (p ~ /^tcpdrop/) delete all[p]
	delete n["tcpdrop"]; print length(n), length(all) }' <<<"$OUT")" "5 5" "three clauses of each probe"
