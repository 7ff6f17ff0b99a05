# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# skblife -s: datagrams that wait in a slow queue, and are dropped as nobody wants them: as many as were sent, with the
# kernel's reason, and their waits are their lives. A connection whose reader sleeps: the wait is at the socket.
need jq
need python3
netns_new a
ip netns exec "$NETNS" tc qdisc add dev lo root tbf rate 100kbit burst 1600 limit 30000 || skip "no tbf"
life() { # NAME COMMAND…
	local name=$1
	shift
	"$dwire" skblife -s --netns "$NETNS" --json --everyone --command "ip netns exec $NETNS $*" >"$tmp/all" 2>"$tmp/err" ||
		fail "$name: $(<"$tmp/err")"
	grep '^{' "$tmp/all" | grep -v '"missed"' >"$tmp/out"
	# for each owner and end: the waits are the lives, within 1 %, or what rounding of each row to a microsecond makes
	jq -se 'map(select(.wait != null)) | group_by(.comm, .end)[] | ((map(select(.wait != "life") | .sum_us) | add) // 0) as $waits |
		(map(select(.wait == "life") | .sum_us) | add) as $life |
		($life - $waits | fabs) <= $life / 100 + length or error("\($life) \($waits)")' "$tmp/out" >/dev/null 2>"$tmp/jq" ||
		fail "$name: waits and lives: $(<"$tmp/jq") $(<"$tmp/out")"
}
of() { # END WAIT MEMBER
	jq -s --arg how "$1" --arg where "$2" "map(select(.end == \$how and .wait == \$where) | .$3) | add // 0" "$tmp/out"
}

life drops "sh -c 'udp_send -a 127.0.0.1 -p 9 -n 4 -k 1000; sleep 0.6'"
expect_eq "$(of NO_SOCKET life buffers)" 4 "datagrams that nobody wants: $(<"$tmp/out")"
# at 12.5 kB/s: the first passes, the second waits for the tokens of its bytes that are not left, and so on
expect_ge "$(of NO_SOCKET queue sum_us)" 200000 "waits in the queue: $(<"$tmp/out")"
percent=70
! slow_machine || percent=40
expect_ge "$(of NO_SOCKET queue sum_us)" "$(($(of NO_SOCKET life sum_us) * percent / 100))" "... are most of their lives"

ip netns exec "$NETNS" tc qdisc del dev lo root
cat >"$tmp/talk.py" <<'END'
import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
c = socket.create_connection(s.getsockname())
r = s.accept()[0]
for i in range(3):
    c.sendall(bytes(5000))
    time.sleep(0.2)
    r.recv(5000)
END
life reader "python3 $tmp/talk.py"
expect_ge "$(jq -s 'map(select(.wait == "socket") | .sum_us) | add // 0' "$tmp/out")" 390000 "waits at the socket: $(<"$tmp/out")"
exit $failed
