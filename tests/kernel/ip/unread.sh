# SPDX-License-Identifier: GPL-2.0-or-later
# Packets that are still unread when their socket is closed. The kernel drops datagrams later, in whatever process runs:
# they have no namespace, or that of their socket, but not that of a stranger. A raw socket's packets have their socket's.
need python3
netns_new unread
cat >"$tmp/unread.py" <<'E2'
import socket, time
for i in range(5):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    r = socket.socket(socket.AF_INET, socket.SOCK_RAW, 17)
    s.bind(("127.0.0.1", 0))
    s.sendto(b"x" * 777, s.getsockname())
    r.close()
    s.close()
    time.sleep(.1)
time.sleep(.5) # the grace periods of RCU
E2
trace_in "$NETNS" "ip:::drop /args[2]->ip_ver == 4 && args[2]->ip_plength == 785/ {
	printf(\"%d %s\n\", args[1]->cs_netns, args[1]->cs_zonename) }" python3 "$tmp/unread.py"
expect_ge "$(grep -c "^$NETNS_ID $NETNS\$" <<<"$OUT")" 5 "packets of the raw sockets"
expect_ge "$(grep -c . <<<"$OUT")" 10 "packets that were dropped"
expect_eq "$(grep -vE "^($NETNS_ID $NETNS|0 )\$" <<<"$OUT")" "" "other namespaces"
