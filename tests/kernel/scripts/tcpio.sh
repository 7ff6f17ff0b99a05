# SPDX-License-Identifier: GPL-2.0-or-later
# tcpio.d of the reference, unmodified: a line for each segment; every field is known.
script=$here/../../../shared/scripts/tcpio.d
[ -r "$script" ] || skip "no folder shared/scripts beside the repository"

line() { # LOCAL-PORT ARROW REMOTE-PORT FLAGS: without the CPU, and with the backspace that the script prints
	printf ' %16s:%-5d %s %16s:%-5d %6d  (%s|\b)\n' 127.0.0.1 "$1" "$2" 127.0.0.1 "$3" 0 "$4"
}

run() { # a line is made by several clauses: those of segments on other CPUs can come between
	command_file tcp_states -s client
	"$dwire" -s "$script" -c "$tmp/cmd" >"$tmp/out" 2>"$tmp/err" || fail "dwire failed: $(<"$tmp/err")"
	port=$(value_of port) cport=$(value_of client_port)
	wanted | sort >"$tmp/want"
	grep -aE ":($port|$cport) " "$tmp/out" | sed -E 's/^ {1,3}[0-9]+//' | sort >"$tmp/got"
	diff "$tmp/want" "$tmp/got" >"$tmp/diff"
}

# On loopback the answer to a segment is received within the call that sends it.
wanted() {
	line "$cport" '->' "$port" SYN
	line "$port" '<-' "$cport" SYN
	line "$port" '->' "$cport" 'SYN|ACK'
	line "$cport" '<-' "$port" 'SYN|ACK'
	line "$cport" '->' "$port" ACK
	line "$port" '<-' "$cport" ACK
	line "$cport" '->' "$port" 'FIN|ACK'
	line "$port" '<-' "$cport" 'FIN|ACK'
	line "$port" '->' "$cport" ACK
	line "$cport" '<-' "$port" ACK
	line "$port" '->' "$cport" 'FIN|ACK'
	line "$cport" '<-' "$port" 'FIN|ACK'
	line "$cport" '->' "$port" ACK
	line "$port" '<-' "$cport" ACK
}

for try in 1 2 3 4 5; do run && break; done
others=$(sed 1d "$tmp/out" | grep -avcE ":($port|$cport) |^$")
[ ! -s "$tmp/diff" ] || [ "$others" = 0 ] || skip "other TCP traffic on this machine never stopped"
[ ! -s "$tmp/diff" ] || fail "lines (< expected), try $try: $(head -n 8 "$tmp/diff")"
expect_eq "$(head -n 1 "$tmp/out")" " CPU           LADDR:LPORT                RADDR:RPORT  BYTES  FLAGS" "the heading"
expect_eq "$(wc -l <"$tmp/got")" 14 "segments"
