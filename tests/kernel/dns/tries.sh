# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# How long a process waited counts from its first try: over another socket, another server, an error, TCP.
need python3
netns_new dnstries
cat >"$tmp/tries.py" <<'END'
import socket, struct, time

from packets import dns_query


def server(at):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((at, 53))
    return s


def ask(number, name, to, flags, wait, kind=1, n=0):
    """From a new socket; flags None: no answer."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.sendto(dns_query(number, name, kind), (to.getsockname()))
    q, who = to.recvfrom(512)
    time.sleep(wait)
    if flags is not None:
        to.sendto(q[:2] + struct.pack(">H", flags) + q[4:] + b"x" * n, who)
        s.recv(512)
    s.close()


a, b = server("127.0.0.1"), server("127.0.0.2")
ask(1, b"retry.example", a, None, 0.15)      # no answer
ask(2, b"rEtry.example", a, 0x8182, 0.05)    # SERVFAIL
ask(3, b"other.example", b, 0x8180, 0)       # a lookup in between
ask(4, b"retry.example", b, 0x8180, 0, 28)   # another type
ask(5, b"retry.example", b, 0x8180, 0, 1, 9) # found
ask(6, b"retry.example", b, 0x8180, 0)       # a new lookup
# truncated: by TCP then
ask(7, b"large.example", a, 0x8380, 0.1)
listener = socket.create_server(("127.0.0.1", 53))
c = socket.create_connection(("127.0.0.1", 53))
c.sendall(struct.pack(">H", 31) + dns_query(8, b"large.example"))
s = listener.accept()[0]
q = s.recv(100)
s.sendall(q[:4] + struct.pack(">H", 0x8183) + q[6:])
c.recv(100)
END
trace_in "$NETNS" 'dns:::response /args[1]->cs_netns == '"$NETNS_ID"' && args[4]->dns_recv/ {
	printf("%d %s %s %d %d\n", args[4]->dns_id, args[4]->dns_name, args[4]->dns_rcodestr, args[4]->dns_time / 1000000,
	    args[4]->dns_waited / 1000000); }
dns:::response /args[1]->cs_netns == '"$NETNS_ID"' && !args[4]->dns_recv && args[4]->dns_waited/ { printf("a server waits\n"); }
' python3 "$tmp/tries.py"
# number, name, result, what the server took, what the process waited: within 45 ms
rounded() {
	awk '{ for (i = 4; i <= 5; i++) $i = int(($i + 5) / 50) * 50; print }'
}
expect_eq "$(grep . <<<"$OUT" | rounded)" "2 retry.example SERVFAIL 50 200
3 other.example NOERROR 0 0
4 retry.example NOERROR 0 0
5 retry.example NOERROR 0 200
6 retry.example NOERROR 0 0
7 large.example NOERROR 100 100
8 large.example NXDOMAIN 0 100" "tries"

"$dwire" dnssnoop --netns "$NETNS" -m 140 --everyone --command "ip netns exec $NETNS python3 $tmp/tries.py" >"$tmp/out" 2>"$tmp/err" ||
	fail "dnssnoop: $(<"$tmp/err")"
expect_eq "$(awk '/example/ { print $4, $6, int(($5 + 5) / 50) * 50 }' "$tmp/out")" "none retry.example 150
SERVFAIL retry.example 200
NOERROR retry.example 200" "dnssnoop: $(<"$tmp/out")"
