# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Data that come for a socket which was closed, and whose FIN is not yet answered: it sends a reset, and has received none.
# The other side receives that one. The kernel calls both tcp_reset().
need nft python3
need_traced tcp:::reset-received,tcp:::reset-sent
netns_new data
cat >"$tmp/late.py" <<'END'
import socket, sys, time
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
port = server.getsockname()[1]
print("port=%d" % port)
for i in range(3):
    client = socket.create_connection(("127.0.0.1", port))
    there, _ = server.accept()
    there.close()
    time.sleep(0.05)
    client.send(b"late")
    time.sleep(0.05)
    try:
        client.recv(1)
        print("error=none")
    except ConnectionResetError:
        print("reset=1")
    client.close()
END
ip netns exec "$NETNS" nft -f - <<-END || skip "no nft"
	table ip late { chain out { type filter hook output priority 0; tcp flags & (fin | rst) == fin counter drop; }; }
END
measure() {
	OUT=$("$dwire" "${dwire_opts[@]}" -n "tcp:::reset-received, tcp:::reset-sent /args[1]->cs_netns == $NETNS_ID/ {
			@[probename, args[3]->tcps_lport, args[3]->tcps_rport] = count(); }
		END { printa(\"%s %d %d %@d\n\", @); }" -c "ip netns exec $NETNS python3 $tmp/late.py" 2>"$tmp/err")
	port=$(sed -n 's/^port=//p' <<<"$OUT")
	resets=$(grep -c '^reset=1' <<<"$OUT")
	[ "$resets" -eq 3 ]
}
for ((try = 0; try < 3; try++)); do
	measure || continue
	sent=$(awk -v p="$port" '$1 == "reset-sent" && $2 == p { n += $4 } END { print n + 0 }' <<<"$OUT")
	took=$(awk -v p="$port" '$1 == "reset-received" && $3 == p { n += $4 } END { print n + 0 }' <<<"$OUT")
	wrong=$(awk -v p="$port" '$1 == "reset-received" && $2 == p { n += $4 } END { print n + 0 }' <<<"$OUT")
	[ "$sent $took" = "3 3" ] && break
done
expect_eq "$sent $took $wrong" "3 3 0" "resets sent by the closed socket, received by the other one, received by the closed one: $OUT$(<"$tmp/err")"
finish
