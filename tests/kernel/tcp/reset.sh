# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Resets: the side that aborts sends them, the other receives as many; linger 0, unread data, data after the close.
netns_new reset

check() { # FAMILY MODE
	local port n
	trace_in "$NETNS" "$(segments "$NETNS_ID")" tcp_reset "$1" -m "$2" -n 3
	port=$(value_of port) n=$(value_of rsts)
	local rst='int(v["fl"] / 4) % 2 == 1'
	local from="v[\"sp\"] == $port"
	[ "$(value_of rst_from)" = server ] || from="v[\"dp\"] == $port"
	expect_count "$rst && p == \"send\" && $from" "$n" "$1 $2: resets sent"
	expect_count "$rst && p == \"receive\" && $from" "$n" "$1 $2: resets received"
	expect_count "$rst" $((2 * n)) "$1 $2: no other resets"
	expect_count "$rst && p == \"receive\" && v[\"pid\"] == $(value_of pid)" "$n" "$1 $2: whose socket is reset"
	expect_total len "p == \"send\"" "$(value_of bytes)" "$1 $2: bytes sent"
	expect_total len "p == \"receive\"" "$(value_of bytes)" "$1 $2: bytes received"
	expect_count 'v["fl"] == 2 && p == "send"' "$(value_of connections)" "$1 $2: SYNs sent"
	expect_count 'v["fl"] == 18 && p == "receive"' "$(value_of connections)" "$1 $2: SYN-ACKs received"
}

for mode in linger unread late; do
	check -4 "$mode"
	check -6 "$mode"
done
