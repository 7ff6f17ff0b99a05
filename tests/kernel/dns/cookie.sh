# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Sockets that get their cookie after the query, as another tracer or ss(8) gives them one: the response has its time.
need python3
need_traced dns:::response
netns_new cookie
cat >"$tmp/talk.py" <<'END'
import socket, struct, time
SO_COOKIE = 57
query = struct.pack("!HHHHHH", 7, 0x0100, 1, 0, 0, 0) + b"\3www\7example\0" + struct.pack("!HH", 1, 1)
server, client = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
server.bind(("127.0.0.1", 53))
client.sendto(query, ("127.0.0.1", 53))
_, to = server.recvfrom(512)
for s in client, server: s.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8)
time.sleep(0.02)
server.sendto(query[:2] + b"\x81\x80" + query[4:], to)
client.recv(512)
END
trace_in "$NETNS" "dns::: /args[1]->cs_netns == $NETNS_ID/ { printf(\"%s in=%d late=%d\\n\", probename, args[4]->dns_recv,
	args[4]->dns_time >= 20000000) }" python3 "$tmp/talk.py"
expect_eq "$(grep . <<<"$OUT" | sort | paste -sd ,)" \
	"query in=0 late=0,query in=1 late=0,response in=0 late=1,response in=1 late=1" "messages and the server's time"
