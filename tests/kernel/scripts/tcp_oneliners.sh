# SPDX-License-Identifier: GPL-2.0-or-later
# The one-liners of the tcp provider's reference, unmodified, against the trigger's counts.
dwire_opts=("${tier_opts[@]}")

row() { # KEY…: the value that the output has for these keys, a row of an aggregation
	awk -v want="$*" '{ last = $NF; $NF = ""; sub(/ $/, ""); if ($0 == want) print last }' <<<"$OUT"
}

# of a quantize: the rows of one key: "FROM COUNT" where something was counted
plot() {
	awk -v want="$1" 'NF == 1 { on = $1 == want } on && /\|/ && $NF != "count" && $NF > 0 { print $1, $NF }' <<<"$OUT"
}

one_liner() { # D OPTIONS…
	trace_with "$1" netns_pair -4 -a $((2 + $$ % 250)) "${@:2}" # others' pairs have other addresses
	client=$(value_of client_addr) server=$(value_of server_addr) port=$(value_of port)
}

# Connections by Host Address
one_liner 'tcp:::accept-established { @[args[3]->tcps_raddr] = count(); }' -n 2
expect_eq "$(row "$client")" "$(value_of server_connections)" "connections by host"

# Connections by TCP Port
one_liner 'tcp:::accept-established { @[args[3]->tcps_lport] = count(); }' -n 1
expect_eq "$(row "$port")" "$(value_of server_connections)" "connections by port"

# Who is Connecting to What
one_liner 'tcp:::accept-established { @[args[3]->tcps_raddr, args[3]->tcps_lport] = count(); }' -n 2
expect_eq "$(row "$client" "$port")" "$(value_of server_connections)" "who connects to what"

# Who Isn't Connecting to What
trace_with 'tcp:::accept-refused 
{ @[args[2]->ip_daddr, args[4]->tcp_sport] = count(); }' tcp_refused -4 -n 4
expect_eq "$(row 127.0.0.1 "$(value_of port)")" "$(value_of refused)" "who is not connecting to what"

# Packets by Host Address
one_liner 'tcp:::receive { @[args[2]->ip_saddr] = count(); }' -n 1 -c 3
expect_eq "$(row "$client")" "$(value_of server_segs_in)" "segments from the client"
expect_eq "$(row "$server")" "$(value_of client_segs_in)" "segments from the server"

# Packets by Local Port
one_liner 'tcp:::receive { @[args[4]->tcp_dport] = count(); }' -n 1 -c 2
expect_eq "$(row "$port")" "$(value_of server_segs_in)" "segments to the server's port"
expect_eq "$(row "$(value_of client_port_first)")" "$(value_of client_segs_in)" "segments to the client's port"

# Sent Size Distribution: SYN 40 bytes, ACK and FIN 32, data 500 + 32
one_liner 'tcp:::send { @[args[2]->ip_daddr] = quantize(args[2]->ip_plength); }' -n 1 -c 3 -k 500
data=$(value_of client_data_segs_out)
expect_eq "$(plot "$server")" "32 $(($(value_of client_segs_out) - data))
512 $data" "sizes to the server"
data=$(value_of server_data_segs_out)
expect_eq "$(plot "$client")" "32 $(($(value_of server_segs_out) - data))
512 $data" "sizes to the client"
