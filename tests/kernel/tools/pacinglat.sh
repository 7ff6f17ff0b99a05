# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# pacinglat: TCP sends at a rate that the socket sets. The waits that pacing wants add up to the time that the bytes take at
# that rate, by TCP's own timer and, where there is fq, by that queue; packets leave no earlier than wanted.
need python3
need jq
netns_new a
cat >"$tmp/paced.py" <<'END'
import socket, threading
RATE, SIZE = 400000, 200000
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
def read():
    c = s.accept()[0]
    while c.recv(65536):
        pass
t = threading.Thread(target=read)
t.start()
c = socket.socket()
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1000)
c.setsockopt(socket.SOL_SOCKET, 47, RATE)  # SO_MAX_PACING_RATE
c.connect(s.getsockname())
c.sendall(bytes(SIZE))
c.close()
t.join()
END
paced() { # WHO PACES, MOST: us
	local how=$1
	"$dwire" pacinglat --netns "$NETNS" --json --everyone --command "ip netns exec $NETNS python3 $tmp/paced.py" >"$tmp/out" 2>"$tmp/err" ||
		fail "$how: $(<"$tmp/err")"
	expect_eq "$(<"$tmp/err")" "" "$how: messages"
	expect_eq "$(jq -r .pacer "$tmp/out" | sort -u)" "$how" "who paces"
	# SIZE / RATE is 500 ms, less a first burst. A bucket's values are less than twice its lower end. The packets in a queue
	# wait at the same time.
	jq -se --argjson most "$2" 'def n(w): map(select(.what == w) | .us[]);
		(n("wanted") | map(.value * .count) | add) as $least |
		(n("wanted") | map(.count) | add) as $waits |
		$least <= $most and 2 * $least >= 380000 and $waits >= 5 and
		(n("late") | map(.count) | add) == $waits and
		(n("late") | map(select(.value < -10) | .count) | add // 0) == 0' "$tmp/out" >/dev/null ||
		fail "$how: $(<"$tmp/out")"
}
paced tcp 520000
modprobe -q sch_fq
ip netns exec "$NETNS" tc qdisc add dev lo root fq 2>/dev/null && paced fq 1040000
exit $failed
