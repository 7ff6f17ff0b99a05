# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Connection ids: one for the life of a connection on each side, including TIME_WAIT and state changes, and
# different from every other connection's. Segments of a handshake before the accepted socket exists have the
# listener's.
netns_new cid

trace_in "$NETNS" "$(segments "$NETNS_ID")
	tcp:::send, tcp:::receive, tcp:::state-change /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"id cid=%d addr=%x saddr=%x state=%d\\n\", args[1]->cs_cid, args[1]->cs_addr, args[3]->tcps_addr,
	    args[3]->tcps_state) }
	tcp:::state-change /args[1]->cs_netns == $NETNS_ID/ {
	printf(\"change cid=%d lp=%d rp=%d new=%d\\n\", args[1]->cs_cid, args[3]->tcps_lport, args[3]->tcps_rport,
	    args[3]->tcps_state) }" \
	tcp_echo -n 2 -c 2
port=$(value_of port) n=$(value_of client_connections)

# by the client's port: ids of the client's side and of the server's
ids() { # CONDITION PORT-KEY
	over_lines "($1) { print v[\"$2\"], v[\"cid\"] }" | sort -u
}
with_id=1 # before Linux 6.13 the ACKs of TIME_WAIT leave by a socket of the kernel
since 6.13 || with_id='(v["cid"] || v["st"] != 6)'
client_send=$(ids "p == \"send\" && v[\"dp\"] == $port && $with_id" sp)
client_receive=$(ids "p == \"receive\" && v[\"sp\"] == $port" dp)
server_send=$(ids "p == \"send\" && v[\"sp\"] == $port && v[\"fl\"] != 18" dp)
server_receive=$(ids "p == \"receive\" && v[\"dp\"] == $port && v[\"st\"] != 10" sp)
listener=$(ids "(p == \"send\" && v[\"fl\"] == 18) || (p == \"receive\" && v[\"st\"] == 10)" none)
changes_client=$(ids "p == \"change\" && v[\"rp\"] == $port && v[\"lp\"] != 0" lp)
changes_server=$(ids "p == \"change\" && v[\"lp\"] == $port && v[\"rp\"] != 0" rp)
changes_listener=$(ids "p == \"change\" && v[\"lp\"] == $port && v[\"rp\"] == 0" none)

expect_eq "$(wc -l <<<"$client_send")" "$n" "one id a connection of the client"
expect_eq "$client_receive" "$client_send" "the client's ids, received and sent (TIME_WAIT too)"
expect_eq "$changes_client" "$client_send" "the client's ids in state changes"
expect_eq "$(wc -l <<<"$server_send")" "$n" "one id a connection of the server"
expect_eq "$server_receive" "$server_send" "the server's ids, received and sent"
expect_eq "$changes_server" "$server_send" "the server's ids in state changes"
expect_eq "$(wc -l <<<"$listener")" 1 "one id for all handshakes of a listener"
expect_eq "$changes_listener" "$listener" "the listener's id in its state changes"
expect_eq "$(printf '%s\n' "$client_send" "$server_send" "$listener" | awk '{ print $NF }' | sort -u | wc -l)" \
	$((2 * n + 1)) "all ids differ"
expect_count "p == \"send\" && v[\"cid\"] == 0 && $with_id" 0 "segments without an id"
# the socket's address: one for an id, the same in csinfo_t and tcpsinfo_t, none in TIME_WAIT
expect_eq "$(over_lines 'p == "id" && v["state"] != 6 { print v["cid"], v["addr"] }' | sort -u | wc -l)" \
	$((2 * n + 1)) "one address a socket"
expect_count 'p == "id" && v["addr"] != v["saddr"]' 0 "cs_addr and tcps_addr"
# of each connection: a segment received, one sent, and the change of state
expect_count 'p == "id" && v["state"] == 6 && v["addr"] == 0' $((3 * n)) "TIME_WAIT has no socket"
