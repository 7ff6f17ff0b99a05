# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Repeated calls: connect(2) on a connection that has begun starts no new one; members that a call does not set are
# 0. The cookie of a socket that only device probes ask for is the one that the process reads (SO_COOKIE).
need python3
netns_new again
cat >"$tmp/again.py" <<'E2'
import select, socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(3)
print("port", listener.getsockname()[1], sep="=")
for port in listener.getsockname()[1], 1:  # made, refused
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex(("127.0.0.1", port))
    poll = select.epoll()
    poll.register(s, select.EPOLLOUT)
    poll.poll(2)
    s.connect_ex(("127.0.0.1", port))
    if port != 1:
        listener.accept()[0].close()
    s.close()
E2
trace_in "$NETNS" '
sock:::connect-start /args[1]->cs_pid == $target && execname == "python3"/ { printf("start %d %d\n", args[0]->so_rport, args[0]->so_state); }
sock:::connect-done, sock:::connect-return, sock:::accept-done, sock:::listen, sock:::bind /args[1]->cs_pid == $target && execname == "python3"/ {
	printf("%s %s %s flags=%d queue=%d/%d own=%d/%d backlog=%d\n", probename,
	    probename == "connect-done" ? args[0]->so_state == 1 ? "established" : args[0]->so_state == 7 ? "closed" : "?" : "",
	    args[2]->sr_error, args[2]->sr_flags, args[2]->sr_acceptq, args[2]->sr_acceptq_max, args[0]->so_acceptq,
	    args[0]->so_acceptq_max, args[0]->so_backlog); }' python3 "$tmp/again.py"
port=$(value_of port)
none="flags=0 queue=0/0 own=0/0 backlog=0"
diff -u - <(grep . <<<"$OUT") <<END || fail "asked again"
bind  Success $none
listen  Success flags=0 queue=0/0 own=0/3 backlog=3
start $port 7
connect-done established Success $none
connect-return  In progress $none
connect-return  Success $none
accept-done  Success flags=0 queue=0/3 own=0/0 backlog=0
start 1 7
connect-done closed Connection refused $none
connect-return  In progress $none
connect-return  Connection refused $none
END

cat >"$tmp/number.py" <<'E2'
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.sendto(b"x", socket.MSG_DONTWAIT, ("127.0.0.1", 9))
s.sendto(b"x", ("127.0.0.1", 9))
s.sendmsg([b"x"], [], socket.MSG_DONTWAIT, ("127.0.0.1", 9))
print("cookie", int.from_bytes(s.getsockopt(socket.SOL_SOCKET, 57, 8), "little"), sep="=")
E2
trace_in "$NETNS" "net:::queue, net:::transmit /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength == 9/ {
	@[probename, args[1]->cs_cid, args[1]->cs_addr != 0] = count(); }
sock:::send /args[1]->cs_netns == $NETNS_ID && args[0]->so_ip/ { @[\"flags\", args[2]->sr_flags, 1] = count(); }
END { printa(\"%s %d %d %@d\n\", @); }" \
	python3 "$tmp/number.py"
expect_eq "$(grep . <<<"$OUT" | sort)" "flags 0 1 1
flags 64 1 2
queue $(value_of cookie) 1 3
transmit $(value_of cookie) 1 3" "a socket's number, and the flags of calls"

# A socket that there never was is of the kind that was asked for.
trace_with 'sock:::create /pid == $target && args[2]->sr_errno/ {
	printf("%s %s %d", args[0]->so_familyname, args[0]->so_typename, args[0]->so_type) }' python3 -c '
import socket
try: socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET)
except OSError: pass'
expect_eq "$OUT" "AF_INET SOCK_SEQPACKET 5" "refused"
