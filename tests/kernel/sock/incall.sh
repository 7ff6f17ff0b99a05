# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# A connection that a process waits for ends in its call, another one in an interrupt (so_incall). tcpconnect, soconnect
# and soconnlat know whose both are, and need no owner service for that; neither does a predicate that holds in calls only.
need python3
netns_new incall
cat >"$tmp/connect.py" <<'E2'
import os, select, socket
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(9)
for blocking in True, False:
    for port in listener.getsockname()[1], 1:  # made, refused
        s = socket.socket()
        s.setblocking(blocking)
        s.connect_ex(("127.0.0.1", port))
        poll = select.epoll()
        poll.register(s, select.EPOLLOUT)
        poll.poll(2)
        s.close()
print("pid", os.getpid(), sep="=")
E2
trace_in "$NETNS" 'sock:::connect-start, sock:::connect-done /args[0]->so_ip/ {
	printf("%s %d %s\n", probename, args[0]->so_incall,
	    args[0]->so_incall ? args[1]->cs_pid == $target ? "its process" : "another" : "-"); }' python3 "$tmp/connect.py"
diff -u - <(grep . <<<"$OUT" | sort | uniq -c | awk '{ $1 = $1 } 1') <<'END' || fail "calls and interrupts"
2 connect-done 0 -
2 connect-done 1 its process
4 connect-start 1 its process
END
for t in tcpconnect soconnect; do
	ip netns exec "$NETNS" "$dwire" $t --cost --everyone --command "python3 $tmp/connect.py" >"$tmp/out" 2>"$tmp/err" \
		</dev/null || fail "$t: $(<"$tmp/err")"
	pid=$(sed -n 's/^pid=//p' "$tmp/out")
	rows=$(awk -v pid="$pid" '$1 == pid && $2 == "python3" { print $NF }' "$tmp/out" | LC_ALL=C sort | uniq -c | awk '{ print $1 $2 }' | xargs)
	[ "$rows" = '2Success 2refused' ] || fail "$t: $rows of $pid: $(<"$tmp/out")"
	! grep 'owners of sockets' "$tmp/err" || fail "$t runs the owner service"
done
for which in "" --failed; do
	ip netns exec "$NETNS" "$dwire" soconnlat $which --json --cost --everyone --command "python3 $tmp/connect.py" \
		>"$tmp/out" 2>"$tmp/err" </dev/null || fail "soconnlat: $(<"$tmp/err")"
	rows=$(sed -n 's/.*"comm":"python3","ustack":"\(.\).*"count":\([0-9]*\)}.*/\1 \2/p' "$tmp/out" | LC_ALL=C sort | xargs)
	expect_match "$rows" '^\( 1 [^(] 1$' "soconnlat $which: $(<"$tmp/out")"
	! grep 'owners of sockets' "$tmp/err" || fail "soconnlat runs the owner service"
done
for calls in "" '/args[0]->so_incall/'; do
	timeout 20 "$dwire" -x cost -q -n "sock:::connect-done $calls { trace(args[1]->cs_pid); } tick-1s { exit(0); }" \
		>"$tmp/out" 2>&1 || fail "$calls: $(<"$tmp/out")"
	expect_eq "$(grep -c 'owners of sockets' "$tmp/out")" "$([ "$calls" ] && echo 0 || echo 1)" "owner service, $calls"
done
