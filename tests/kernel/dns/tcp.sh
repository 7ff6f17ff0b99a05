# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# DNS over TCP: each message once, for the client and the server, also on a connection that stays and where a response
# takes several segments. DNS on other ports where the user asks for it.
need python3
netns_new dnstcp
cat >"$tmp/dns.py" <<'END'
import socket, struct, threading, time

from packets import dns_query


def answer(q, flags=0x8180):
    return q[:2] + struct.pack(">H", flags) + q[4:]


def whole(m):
    return struct.pack(">H", len(m)) + m


def serve(listener):
    s = listener.accept()[0]
    for size in 0, 0, 3000:
        m = s.recv(2000)[2:]
        time.sleep(0.03)
        all = whole(answer(m) + bytes(i % 251 for i in range(size)))
        s.sendall(all[:1000])
        time.sleep(0.01)
        s.sendall(all[1000:])
    s.recv(10)


listener = socket.create_server(("127.0.0.1", 53))
server = threading.Thread(target=serve, args=(listener,))
server.start()
c = socket.create_connection(("127.0.0.1", 53))
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for i, name in enumerate((b"One.example", b"two.example", b"big.example")):
    c.sendall(whole(dns_query(100 + i, name, 28 if i else 1)))
    got = c.recv(4000)
    while len(got) < 2 + struct.unpack(">H", got[:2])[0]:
        got += c.recv(4000)
c.close()
server.join()

# not DNS, though at its port; and DNS at another port
listener = socket.create_server(("127.0.0.2", 53))
c = socket.create_connection(("127.0.0.2", 53))
c.sendall(b"GET / HTTP/1.1\r\nHost: not.example\r\n\r\n")
listener.accept()[0].recv(100)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 5353))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
v.sendto(dns_query(7, b"other.example"), ("127.0.0.1", 5353))
m, who = u.recvfrom(500)
u.sendto(answer(m), who)
v.recv(500)
time.sleep(0.05)
END
# ms: 1 for the server's 30 ms, in a slow machine some more
latest=50
! slow_machine || latest=400
clause='dns::: /args[1]->cs_netns == '"$NETNS_ID"'/ {
	printf("%s %s %s tcp=%d in=%d id=%d len=%d ms=%d %s %d>%d\n", args[4]->dns_name, probename, args[4]->dns_typestr, args[4]->dns_tcp,
	    args[4]->dns_recv, args[4]->dns_id, args[4]->dns_length, args[4]->dns_time >= 25000000 && args[4]->dns_time < '"$latest"'000000 ? 1 : args[4]->dns_time / 1000000, args[1]->cs_execname,
	    args[3]->udp_dport == 53 ? 1 : 0, args[3]->udp_sport == 53 ? 1 : 0); }'
over_tcp='big.example query AAAA tcp=1 in=0 id=102 len=29 ms=0 python3 1>0
big.example query AAAA tcp=1 in=1 id=102 len=29 ms=0 python3 1>0
big.example response AAAA tcp=1 in=0 id=102 len=3029 ms=1 python3 0>1
big.example response AAAA tcp=1 in=1 id=102 len=3029 ms=1 python3 0>1
one.example query A tcp=1 in=0 id=100 len=29 ms=0 python3 1>0
one.example query A tcp=1 in=1 id=100 len=29 ms=0 python3 1>0
one.example response A tcp=1 in=0 id=100 len=29 ms=1 python3 0>1
one.example response A tcp=1 in=1 id=100 len=29 ms=1 python3 0>1
two.example query AAAA tcp=1 in=0 id=101 len=29 ms=0 python3 1>0
two.example query AAAA tcp=1 in=1 id=101 len=29 ms=0 python3 1>0
two.example response AAAA tcp=1 in=0 id=101 len=29 ms=1 python3 0>1
two.example response AAAA tcp=1 in=1 id=101 len=29 ms=1 python3 0>1'
names='big.example one.example two.example ' all_names='big.example one.example other.example two.example '
since 6.2 || names='' all_names='other.example '
if [ "${DWIRE_TEST_TIER:-hooks}" != hooks ] || ! since 6.2; then
	over_tcp= # functions cannot read the pages in which TCP has what a process of this machine sends
	want_told='^dwire: up to [0-9]+ probe firings? missed in dns:.*\(recursion\)$'
fi
trace_in "$NETNS" "$clause" python3 "$tmp/dns.py"
expect_eq "$(grep . <<<"$OUT" | sort)" "$over_tcp" "over TCP"

trace_in "$NETNS" "#pragma D option dnsports=8053,5353
$clause" python3 "$tmp/dns.py"
expect_eq "$(grep other <<<"$OUT" | sort | cut -d' ' -f2-6)" "query A tcp=0 in=0 id=7
query A tcp=0 in=1 id=7
response A tcp=0 in=0 id=7
response A tcp=0 in=1 id=7" "another port"
expect_eq "$(grep . <<<"$OUT" | grep -v other | sort)" "$over_tcp" "... besides 53"

since 5.17 || return 0 # dnssnoop needs bpf_loop()
snoop() {
	"$dwire" dnssnoop --netns "$NETNS" --everyone --command "ip netns exec $NETNS python3 $tmp/dns.py" "$@" 2>"$tmp/err" >"$tmp/out" ||
		fail "dnssnoop: $(<"$tmp/err")"
	grep -o '[a-z]*\.example' "$tmp/out" | sort | tr '\n' ' '
}
expect_eq "$(snoop)" "$names" "dnssnoop"
expect_eq "$(snoop --port 5353)" "$all_names" "dnssnoop --port"
