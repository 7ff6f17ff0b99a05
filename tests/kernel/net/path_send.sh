# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The stages before IP: `send` fires once for each call that the trigger makes, and a packet knows the call that wrote its
# first byte: a datagram the call that sent it, a segment one that was made long before it (TCP_CORK holds it back), also
# where another call was made since. Segments without data, and of a handshake, have no call. Where functions can be
# traced, tcp-out and udp-out lie between the call and IP.
need python3
need jq
netns_new a
a=$NETNS
id=$NETNS_ID
cat >"$tmp/talk.py" <<'END'
import socket, time
listener = socket.create_server(("127.0.0.1", 7741))
c = socket.create_connection(("127.0.0.1", 7741))
s = listener.accept()[0]
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
c.sendall(bytes(500))             # leaves at once
time.sleep(0.05)
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
c.send(bytes(100))                # 120 ms, by its first byte
time.sleep(0.09)
c.sendmsg([bytes(50), bytes(50)])
time.sleep(0.03)
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 0)
time.sleep(0.05)
got = 0
while got < 700:
    got += len(s.recv(4000))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink.bind(("127.0.0.1", 7742))
for i in range(4):
    u.sendto(b"datagram", ("127.0.0.1", 7742))
u.connect(("127.0.0.1", 7742))
u.send(b"connected")
for i in range(5):
    sink.recv(100)
END
run="ip netns exec $a python3 $tmp/talk.py"
made= out=
if "$dwire" "${tier_opts[@]}" -lvvn path:::tcp-out 2>&1 | grep -q 'Site: fentry ip_queue_xmit$'; then
	made="path:::tcp-out, path:::udp-out /args[0]->pkt_netns == $id/ {
		printf(\"%s %s %s %d %d\\n\", args[4]->path_stagestr, args[4]->path_protostr, args[4]->path_last,
		    args[4]->path_time / 1000000, args[2]->ip_plength > 32 || args[4]->path_protostr == \"UDP\"); pkt->made = 1; }"
	out=1
fi
"$dwire" "${tier_opts[@]}" -qn "
path:::send /args[1]->cs_netns == $id/ {
	printf(\"send %s %d %s %d %d %d\\n\", args[4]->path_protostr, args[4]->path_dport, args[2]->ip_daddr,
	    args[4]->path_id, args[1]->cs_pid == pid, args[4]->path_sport != 0); }
$made
path:::output /args[0]->pkt_netns == $id && args[4]->path_protostr != \"ICMP\"/ {
	printf(\"output %s %s %s %d %d\\n\", args[4]->path_protostr, args[4]->path_last, args[4]->path_first,
	    args[4]->path_total / 1000000, args[4]->path_midway); }
path:::socket-in /args[0]->pkt_netns == $id && args[4]->path_first == \"send\"/ {
	printf(\"in %s %d\\n\", args[4]->path_protostr, args[4]->path_total / 1000000); }" \
	-c "$run" >"$tmp/out" 2>"$tmp/err" || fail "$(<"$tmp/err")"
expect_eq "$(<"$tmp/err")" "" "messages"
lines() { grep -c -E "^$1\$" "$tmp/out"; }
expect_eq "$(lines 'send TCP 7741 127.0.0.1 0 1 1') $(lines 'send UDP 0  0 1 [01]') $(lines 'send UDP 7742 127.0.0.1 0 1 1') $(lines 'send .*')" \
	"3 4 1 8" "calls: $(<"$tmp/out")"
before=send made_tcp=send
[ -z "$out" ] || { before=udp-out made_tcp=tcp-out; }
expect_eq "$(lines "output UDP $before send [0-9]+ 0")" 5 "datagrams: $(<"$tmp/out")"
# 500 bytes at once, 200 as long as they were held back; all else has no call
expect_eq "$(lines "output TCP $made_tcp send [0-9]+ 0")" 2 "segments with data: $(<"$tmp/out")"
held=$(sed -nE "s/^output TCP $made_tcp send ([0-9]+) 0\$/\\1/p" "$tmp/out" | sort -n | tail -n 1)
expect_ge "$held" 115 "held back"
expect_eq "$(lines 'in TCP [0-9]+') $(lines 'in UDP [0-9]+')" "2 5" "the call is known at the other end"
if [ -n "$out" ]; then
	expect_eq "$(lines 'udp-out UDP send [0-9]+ 1') $(lines 'tcp-out TCP send [0-9]+ 1')" "5 2" "made: $(<"$tmp/out")"
fi

# pktpath: the call stands above the packet's first stage; the times of the stages are the whole.
"$dwire" pktpath --netns "$a" -4 -P 7741,7742 --json --everyone --command "$run" >"$tmp/rows" 2>"$tmp/err" || fail "pktpath: $(<"$tmp/err")"
grep '^{' "$tmp/rows" | jq -es 'group_by(.id) | map(select(.[0].stage == "send")) | length == 7 and
	all(.[]; .[0].us == 0 and .[0].comm == "python3" and .[0].pid == .[1].pid and (map(.us) | add) - .[-1].total_us < 0.01) and
	(map(.[1:] | map(select(.us > 100000 and .stage != "read")) | length) | add) == 1' >/dev/null || fail "pktpath: $(<"$tmp/rows")"
exit $failed
