# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Large messages: segments before segmentation, some longer than an IP header can say; every byte once in each
# direction.
netns_new bulk

sent_again() { ip netns exec "$NETNS" awk '$1 == "Tcp:" && $13 ~ /^[0-9]/ { print $13 }' /proc/net/snmp; }

bulk() { # OPTIONS…
	trace_in "$NETNS" "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID/ {
		@[probename, args[1]->cs_pid] = sum(args[2]->ip_plength - args[4]->tcp_offset); }
		END { printa(\"%s pid=%d bytes=%@d\\n\", @); }" tcp_echo -q "$@"
}

# What a machine that stood still for a moment sends twice is not the trigger's count: then once more.
check() { # OPTIONS…
	local before
	for _ in 1 2 3; do
		before=$(sent_again)
		bulk "$@"
		[ "$(sent_again)" != "$before" ] || break
	done
	# a slow machine always does: then there are more bytes
	same=expect_eq
	! slow_machine || [ "$(sent_again)" = "$before" ] || same=expect_ge
	[ $same = expect_ge ] || expect_eq "$(sent_again)" "$before" "$*: segments sent again"
	expect_ge "$(value_of client_bytes_out)" 2000000 "$*: what the trigger sent"
	for who in client server; do
		$same "$(total bytes "p == \"send\" && v[\"pid\"] == $(value_of ${who}_pid)")" "$(value_of ${who}_bytes_out)" "$* $who out"
		$same "$(total bytes "p == \"receive\" && v[\"pid\"] == $(value_of ${who}_pid)")" "$(value_of ${who}_bytes_in)" "$* $who in"
	done
	expect_total bytes 'v["pid"] == -1' 0 "$*: bytes of nobody"
}

check -4 -n 1 -c 3 -k 1000000
check -6 -n 2 -c 2 -k 1000000
