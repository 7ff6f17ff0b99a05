# SPDX-License-Identifier: GPL-2.0-or-later
# docs/examples/bytes.c, linked with the shared library: the bytes of each process against the trigger's own count.
bytes=$build/docs/examples/bytes
[ -x "$bytes" ] || skip "libdwire.so is not built here"
expect_le "$(wc -l <"$here/../../docs/examples/bytes.c")" 60 "lines of the example"

"$bytes" >out 2>err &
tracer=$!
for ((i = 0; i < 100; i++)); do
	find "/proc/$tracer/fd" -lname 'anon_inode:\[timerfd\]' 2>/dev/null | grep -q . && break
	sleep 0.05
done
sleep 0.5 # the last attachment
trigger udp_echo -4 -n 5
sleep 1.2
kill -INT $tracer
wait $tracer
expect_eq "$? $(<err)" "0 " "status and messages of the example"
# Each datagram has a header of 8 bytes; the example shows what is above IP.
client=$(($(value_of client_bytes_out) + 8 * $(value_of client_datagrams_out)))
server=$(($(value_of server_bytes_out) + 8 * $(value_of server_datagrams_out)))
sum() { # PID
	awk -v pid="$1" '$2 == pid { n += $3 } END { print n + 0 }' out
}
expect_eq "$(sum "$(value_of client_pid)")" "$client" "bytes of the client"
expect_eq "$(sum "$(value_of server_pid)")" "$server" "bytes of the server"
expect_eq "$(awk -v pid="$(value_of client_pid)" '$2 == pid { print $1 }' out | sort -u)" dw_udp_client "its name"
