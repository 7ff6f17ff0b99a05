# SPDX-License-Identifier: GPL-2.0-or-later
# Servers that fork while the trace is on: the new process serves, the old one exits at once or stays. Received data
# belongs to the process that serves, even if it never answers.
need python3
netns_new daemon

cat >"$tmp/servers" <<-'END'
	import os, socket, struct, sys, time
	host = "::1" if sys.argv[1] == "-6" else "127.0.0.1"
	family = socket.AF_INET6 if ":" in host else socket.AF_INET
	def serve(kind, s):
	    for i in range(3):
	        if kind == "tcp":
	            c, _ = s.accept()
	            while c.recv(10): pass # and nothing is sent
	            c.close()
	        else:
	            data, to = s.recvfrom(10)
	            if kind == "echo": s.sendto(data, to)
	def start(kind, ends):
	    r, w = os.pipe()
	    maker = os.fork()
	    if maker == 0:
	        s = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
	        s.bind((host, 0))
	        if kind == "tcp": s.listen(5)
	        user = os.fork()
	        if user == 0:
	            serve(kind, s)
	            os._exit(0)
	        os.write(w, struct.pack("ii", s.getsockname()[1], user))
	        if not ends: os.waitpid(user, 0)
	        os._exit(0)
	    port, user = struct.unpack("ii", os.read(r, 8))
	    if ends: os.waitpid(maker, 0)
	    print(f"server={kind} {int(ends)} {port} {maker} {user}", flush=True)
	    return ends, kind, port
	slower = float(os.environ.get("DWIRE_TEST_SLOWER", 1)) # dwire looks for processes that share sockets less often
	servers = [start(kind, ends) for ends in (False, True) for kind in ("tcp", "echo", "read")]
	for i in range(3):
	    if i: time.sleep(0.3 + 1.5 * (slower - 1))
	    for ends, kind, port in reversed(servers):
	        if not i and (ends, kind) == (False, "read"): # the others must be known at once
	            time.sleep(0.4 * slower)
	        c = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
	        c.connect((host, port))
	        c.send(b"hello")
	        if kind == "echo": c.recv(10)
	        if kind == "tcp": c.shutdown(socket.SHUT_WR), c.recv(1)
	        c.close()
	time.sleep(0.2)
END

check() { # FAMILY
	local kind ends port maker user who
	trace_in "$NETNS" "
		tcp:::receive /args[1]->cs_netns == $NETNS_ID && args[2]->ip_plength > args[4]->tcp_offset/ {
			printf(\"%s pid=%d dp=%d\\n\", probename, args[1]->cs_pid, args[4]->tcp_dport) }
		tcp:::accept-established /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d dp=%d\\n\", probename, args[1]->cs_pid, args[4]->tcp_dport) }
		udp:::receive /args[1]->cs_netns == $NETNS_ID/ {
			printf(\"%s pid=%d dp=%d\\n\", probename, args[1]->cs_pid, args[4]->udp_dport) }" python3 "$tmp/servers" "$1"
	expect_eq "$(grep -c ^server= "$tmp/trigger")" 6 "$1: servers"
	while read -r kind ends port maker user; do
		what="$1 $kind, the maker $([ "$ends" = 1 ] && echo ends || echo stays)"
		who=$(values pid "p == \"receive\" && v[\"dp\"] == $port" | tr '\n' ' ')
		case $kind$ends in
		# the older service finds the next owner by a scan, or when it uses the socket
		*1) expect_match "$who" "^$(since 5.17 && echo "$user" || echo "($maker|$user)") $user $user $" "$what (made by $maker)" ;;
		# before its first use the socket is the maker's as well
		read0)
			# before 6.3 a receive that has begun already is not seen when it is watched from now on; in a slow machine a
			# look at all open files, which takes a hundredth of the time, may come later than the second
			grep -q sock_recv_length /proc/kallsyms && ! slow_machine && maker_second= || maker_second="$maker|"
			expect_match "$who" "^($maker|$user) ($maker_second$user) $user $" "$what"
			;;
		echo0) expect_match "$who" "^($maker|$user) $user $user $" "$what" ;;
		# before it is accepted a connection is the listener's
		tcp0) expect_match "$who" "^(($maker|$user) ){3}$" "$what" ;;
		esac
		[ $kind$ends != tcp1 ] || expect_eq "$(values pid "p == \"accept-established\" && v[\"dp\"] == $port" | tr '\n' ' ')" \
			"$user $user $user " "$what: accept-established"
	done < <(sed -n 's/^server=//p' "$tmp/trigger")
}

check -4
check -6
