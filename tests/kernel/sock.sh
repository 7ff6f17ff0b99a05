# The sock provider against a trigger that makes each call once, in a known order: arguments, results, owners; connections
# that complete later, io_uring, descriptors that are passed, datagrams that find no room.
program='
sock:::create /args[1]->cs_execname == "dw_sock"/
{ printf("create %d %s %s %s %s pid=%d %s\n", args[0]->so_fd, args[0]->so_familyname, args[0]->so_typename,
    args[0]->so_protocolname, args[0]->so_protoname, args[1]->cs_pid, args[2]->sr_error); }
sock:::bind /args[1]->cs_execname == "dw_sock"/
{ printf("bind %d %s %d %s\n", args[0]->so_fd, args[0]->so_laddr, args[0]->so_lport, args[2]->sr_error); }
sock:::listen /args[1]->cs_execname == "dw_sock"/
{ printf("listen %d %d %d/%d %d\n", args[0]->so_fd, args[0]->so_lport, args[0]->so_acceptq, args[0]->so_acceptq_max,
    args[0]->so_backlog); }
sock:::connect-start /args[1]->cs_execname == "dw_sock"/
{ printf("connect-start %d %s %s %d nb=%d\n", args[0]->so_fd, args[0]->so_protoname, args[0]->so_raddr, args[0]->so_rport,
    args[0]->so_nonblock); }
sock:::connect-done /args[1]->cs_execname == "dw_sock"/
{ printf("connect-done %s %s %d %s pid=%d\n", args[0]->so_protoname, args[0]->so_raddr, args[0]->so_rport,
    args[2]->sr_error, args[1]->cs_pid); }
sock:::connect-return /args[1]->cs_execname == "dw_sock"/
{ printf("connect-return %d %s %d %s\n", args[0]->so_fd, args[0]->so_raddr, args[0]->so_rport, args[2]->sr_error); }
sock:::accept-done /args[1]->cs_execname == "dw_sock"/
{ printf("accept-done %d %s %d %s\n", args[0]->so_fd, args[0]->so_laddr, args[0]->so_lport, args[2]->sr_error); }
sock:::send, sock:::receive, sock:::first-byte /args[1]->cs_execname == "dw_sock" && args[0]->so_ip/
{ printf("%s %d %s %d flags=%d %s\n", probename, args[0]->so_fd, args[0]->so_protoname, args[2]->sr_bytes,
    args[2]->sr_flags & 2, args[2]->sr_error); }
sock:::close /args[1]->cs_execname == "dw_sock"/
{ printf("close %s %d\n", args[0]->so_protoname, args[0]->so_rport); }
sock:::fd-passed /args[1]->cs_execname == "dw_sock"/
{ printf("fd-passed %s %d %d %d\n", args[2]->sp_sent ? "sent" : "received", args[0]->so_fd, args[2]->sp_count,
    sock_passed_fd[args[2]->sp_list, 0]); }
sock:::buffer-full /args[1]->cs_pid == pid || args[1]->cs_execname == "dw_sock"/
{ printf("buffer-full %s %s %d %d\n", args[2]->sf_buffer, args[0]->so_protoname, args[0]->so_lport,
    args[0]->so_rcvq >= args[0]->so_rcvbuf); }'

check_calls() { # FAMILY ADDRESS PROTO ANY
	local address=$2 tcp=$3 lost i sent="" received=""
	trace_with "$program" sock_calls "-$1"
	local port closed
	port=$(value_of port) closed=$(value_of closed_port)
	local made="AF_INET"
	[ "$1" = 4 ] || made="AF_INET6"
	new() { echo "create $1 $made SOCK_STREAM IPPROTO_TCP $tcp pid=$(value_of pid) Success"; }
	lost=$(value_of udp_lost)
	for ((i = 0; i < 10; i++)); do
		sent+=$'\n'"send 6 UDP 1000 flags=0 Success"
		[ "$i" -ge "$((10 - lost))" ] || received+=$'\n'"receive 5 UDP 1000 flags=0 Success"
	done
	expect_eq "$(grep -c "^buffer-full receive UDP $(value_of udp_port) 1$" <<<"$OUT")" "$lost" "-$1: datagrams without room"
	local udp="AF_INET SOCK_DGRAM IPPROTO_UDP UDP pid=$(value_of pid) Success"
	local unix="AF_UNIX SOCK_STREAM IPPROTO_IP UNIX-STREAM pid=$(value_of pid) Success"
	cat >"$tmp/want" <<END
$(new 3)
bind 3 $address $port Success
listen 3 $port 0/7 7
$(new 4)
bind 4 $address $closed Success
bind 4 $address $port Invalid argument
$(new 5)
connect-start 5 $tcp $address $port nb=0
connect-done $tcp $address $port Success pid=$(value_of pid)
accept-done 6 $address $port Success
send 5 $tcp 5 flags=0 Success
receive 6 $tcp 2 flags=2 Success
receive 6 $tcp 3 flags=0 Success
first-byte 6 $tcp 3 flags=0 Success
receive 6 $tcp 2 flags=0 Success
send 6 $tcp 3 flags=0 Success
receive 5 $tcp 3 flags=0 Success
first-byte 5 $tcp 3 flags=0 Success
close $tcp $port
close $tcp $(value_of client_port)
$(new 5)
connect-start 5 $tcp $address $port nb=1
connect-done $tcp $address $port Success pid=$(value_of pid)
close $tcp $port
END
	diff -u "$tmp/want" <(grep -Ev '^(buffer-full|connect-return)' <<<"$OUT" | head -n "$(wc -l <"$tmp/want")") || fail "-$1: the first calls"
	cat >"$tmp/want" <<END
$(new 5)
connect-start 5 $tcp $address $closed nb=1
connect-done $tcp $address $closed Connection refused pid=$(value_of pid)
close $tcp $closed
create 5 $unix
create 6 AF_NETLINK SOCK_RAW IPPROTO_IP NETLINK pid=$(value_of pid) Success
connect-start 5 UNIX-STREAM  0 nb=0
connect-done UNIX-STREAM  0 No such file pid=$(value_of pid)
close UNIX-STREAM 0
close NETLINK 0
create -1 AF_INET SOCK_STREAM IPPROTO_RAW  pid=$(value_of pid) Unknown protocol
create 5 $unix
create 6 $unix
fd-passed sent 5 3 3
fd-passed received 6 3 $(value_of received | cut -d' ' -f2)
close UNIX-STREAM 0
close UNIX-STREAM 0
create 5 $udp
bind 5 127.0.0.1 0 Success
create 6 $udp
connect-start 6 UDP 127.0.0.1 $(value_of udp_port) nb=0
connect-done UDP 127.0.0.1 $(value_of udp_port) Success pid=$(value_of pid)$sent$received
receive 5 UDP 0 flags=0 Try again
close UDP $(value_of udp_port)
close UDP 0
END
	sed -i "s/^bind 5 127.0.0.1 0/bind 5 127.0.0.1 $(value_of udp_port)/" "$tmp/want"
	diff -u "$tmp/want" <(grep -Ev '^(buffer-full|connect-return)' <<<"$OUT" | sed -n "27,$((26 + $(wc -l <"$tmp/want")))p") ||
		fail "-$1: the other calls"
	if [ "$1" = 4 ] && [ "$(value_of uring)" != 0 ]; then
		read -r s a <<<"$(value_of uring)"
		cat >"$tmp/want" <<END
create $s AF_INET SOCK_STREAM IPPROTO_TCP TCP pid=$(value_of pid) Success
connect-start -1 TCP 127.0.0.1 $port nb=0
connect-done TCP 127.0.0.1 $port Success pid=$(value_of pid)
accept-done $a 127.0.0.1 $port Success
send -1 TCP 1 flags=0 Success
receive $a TCP 1 flags=0 Success
first-byte $a TCP 1 flags=0 Success
END
		diff -u "$tmp/want" <(tail -n 12 <<<"$OUT" | head -n 7) || fail "io_uring"
	fi
	expect_eq "$(sed -n 's/^connect-return //p' <<<"$OUT" | tr '\n' ',')" "5 $address $port Success,5 $address $port In \
progress,5 $address $closed In progress,5  0 No such file,6 127.0.0.1 $(value_of udp_port) Success," "connect-return"
	diff -u - <(tail -n 3 <<<"$OUT") <<END || fail "-$1: the last calls"
accept-done -1 $address $port Try again
close $tcp 0
close $tcp 0
END
}
check_calls 4 127.0.0.1 TCP
check_calls 6 ::1 TCPv6
