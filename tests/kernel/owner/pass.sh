# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A socket that goes to another process, by SCM_RIGHTS or by fork, belongs to the process that uses it.
need python3
netns_new pass

data='printf("%s pid=%d name=%s len=%d sp=%d dp=%d\n", probename, args[1]->cs_pid, args[1]->cs_execname,
	args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_sport, args[4]->tcp_dport) }'
clause="tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ { $data"

for family in -4 -6; do
	trace_in "$NETNS" "$clause" pass_fd $family -c 5 -k 70
	expect_total len "p == \"send\" && v[\"pid\"] == $(value_of acceptor_pid) && v[\"name\"] == \"dw_acceptor\"" \
		$((70 * $(value_of acceptor_messages))) "$family: bytes that the acceptor sent"
	expect_total len "p == \"send\" && v[\"pid\"] == $(value_of user_pid) && v[\"name\"] == \"dw_user\"" \
		$((70 * $(value_of user_messages))) "$family: bytes that the second user sent"
	expect_total len "p == \"send\" && v[\"pid\"] == $(value_of pid)" "$(value_of bytes_each_way)" "$family: the client's"
	expect_total len "p == \"receive\" && v[\"pid\"] == $(value_of pid)" "$(value_of bytes_each_way)" "$family: to the client"
	expect_total len "p == \"receive\" && v[\"dp\"] == $(value_of port)" "$(value_of bytes_each_way)" "$family: to the server"
done

# Bytes of the parent, of the child that inherited the socket, of the parent again; datagrams the same.
cat >"$tmp/inherit" <<-'END'
	import os, socket
	listener = socket.create_server(("127.0.0.1", 0))
	out = socket.create_connection(listener.getsockname())
	to, _ = listener.accept()
	udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
	sink.bind(("127.0.0.1", 0))
	def use(n):
	    out.sendall(b"x" * n)
	    to.recv(n, socket.MSG_WAITALL)
	    udp.sendto(b"x" * n, sink.getsockname())
	    sink.recv(n)
	use(10)
	child = os.fork()
	if child == 0:
	    use(200)
	    os._exit(0)
	os.waitpid(child, 0)
	use(3000)
	print(f"parent={os.getpid()}\nchild={child}")
END
trace_in "$NETNS" "$clause
	udp:::send /args[1]->cs_netns == $NETNS_ID/ { printf(\"datagram pid=%d len=%d\\n\", args[1]->cs_pid, args[4]->udp_length - 8) }" \
	python3 "$tmp/inherit"
parent=$(value_of parent) child=$(value_of child)
expect_eq "$(lines 'p == "send"' | sed 's/ name.* len/ len/;s/ sp.*//')" "send pid=$parent len=10
send pid=$child len=200
send pid=$parent len=3000" "who sent on an inherited connection"
expect_eq "$(lines 'p == "datagram"')" "datagram pid=$parent len=10
datagram pid=$child len=200
datagram pid=$parent len=3000" "who sent on an inherited UDP socket"
