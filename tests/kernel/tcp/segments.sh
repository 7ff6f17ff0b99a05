# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Every segment of connections once, with its process and bytes, against the sockets' own counts (TCP_INFO). The
# last segments of the side that closes first belong to TIME_WAIT, and to the process that had the connection.

netns_new segs

check() { # IP-VERSION OPTIONS…
	local ver=$1 port n client server
	shift
	trace_in "$NETNS" "$(segments "$NETNS_ID")" tcp_echo "$@"
	port=$(value_of port) n=$(value_of client_connections)
	client=$(value_of client_pid) server=$(value_of server_pid)
	expect_eq "$(value_of consistent)" 1 "$*: the trigger's own counts agree"

	expect_count "p == \"send\" && v[\"dp\"] == $port" "$(value_of client_segs_out)" "$*: segments that the client sent"
	expect_count "p == \"receive\" && v[\"sp\"] == $port" "$(value_of client_segs_in)" "$*: segments that the client got"
	expect_count "p == \"send\" && v[\"sp\"] == $port" "$(value_of server_segs_out)" "$*: segments that the server sent"
	expect_count "p == \"receive\" && v[\"dp\"] == $port" "$(value_of server_segs_in)" "$*: segments that the server got"
	expect_count 1 $((2 * ($(value_of client_segs_out) + $(value_of client_segs_in)))) "$*: no others"

	expect_total len "v[\"pid\"] == $client && p == \"send\"" "$(value_of client_bytes_out)" "$*: the client's bytes out"
	expect_total len "v[\"pid\"] == $client && p == \"receive\"" "$(value_of client_bytes_in)" "$*: the client's bytes in"
	expect_total len "v[\"pid\"] == $server && p == \"send\"" "$(value_of server_bytes_out)" "$*: the server's bytes out"
	expect_total len "v[\"pid\"] == $server && p == \"receive\"" "$(value_of server_bytes_in)" "$*: the server's bytes in"
	expect_count "v[\"pid\"] == $client && p == \"send\" && v[\"len\"] > 0" "$(value_of client_data_segs_out)" \
		"$*: the client's data segments"
	expect_count "v[\"pid\"] == $server && p == \"receive\" && v[\"len\"] > 0" "$(value_of server_data_segs_in)" \
		"$*: the server's data segments"

	# whose: all of the server's, and all of the client's
	expect_count "v[\"pid\"] == $server && v[\"name\"] == \"dw_server\" && p == \"send\"" "$(value_of server_segs_out)" \
		"$*: all that the server's port sent is the server's"
	expect_count "v[\"pid\"] == $server && v[\"name\"] == \"dw_server\" && p == \"receive\"" "$(value_of server_segs_in)" \
		"$*: all that the server's port got is the server's"
	expect_count "v[\"pid\"] == $client && v[\"name\"] == \"dw_client\" && p == \"send\"" \
		"$(value_of client_segs_out)" "$*: what the client sent"
	expect_count "v[\"pid\"] == $client && v[\"name\"] == \"dw_client\" && p == \"receive\"" \
		"$(value_of client_segs_in)" "$*: what the client got"
	expect_count "v[\"pid\"] == $client && v[\"st\"] == 6" $((2 * n)) "$*: one in and one out a connection are of TIME_WAIT"
	expect_count "v[\"ver\"] != $ver" 0 "$*: IP version"
}

check 4 -4 -n 2 -c 2 -k 300
check 6 -6 -n 1 -c 1
check 4 -m -n 1 -c 3 -k 1000
