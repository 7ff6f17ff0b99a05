# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# How long a process waited counts from its first try: over another socket, another server, an error, TCP.
need python3
netns_new dnstries
slower=1
! slow_machine || slower=4
cat >"$tmp/tries.py" <<END
import socket, struct, time

from packets import dns_query

first = {}  # when a lookup's first try was sent: not before, not after


def server(at):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((at, 53))
    return s


def now():
    return time.monotonic() * 1000


def sent(lookup, send):
    """Sends a try; when."""
    began = now()
    send()
    when = began, now()
    first.setdefault(lookup, when)
    return when


def answered(number, lookup, when, answer, ends):
    """Tells the least and the most that the server took, and that the process waited, in ms."""
    least = now()
    answer()
    most = now()
    waited = first.pop(lookup) if ends else first[lookup]
    print(f"times={number} {least - when[1]} {most - when[0]} {least - waited[1]} {most - waited[0]}", flush=True)


def ask(number, name, to, flags, wait, kind=1, n=0):
    """From a new socket; flags None: no answer."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    lookup = name.lower(), kind
    when = sent(lookup, lambda: s.sendto(dns_query(number, name, kind), (to.getsockname())))
    q, who = to.recvfrom(512)
    time.sleep(wait * $slower)
    if flags is None:
        answered(number, lookup, when, s.close, False)
        return

    def answer():
        to.sendto(q[:2] + struct.pack(">H", flags) + q[4:] + b"x" * n, who)
        s.recv(512)

    answered(number, lookup, when, answer, flags == 0x8180)
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
when = sent((b"large.example", 1), lambda: c.sendall(struct.pack(">H", 31) + dns_query(8, b"large.example")))
s = listener.accept()[0]
q = s.recv(100)
answered(8, (b"large.example", 1), when, lambda: (s.sendall(q[:4] + struct.pack(">H", 0x8183) + q[6:]), c.recv(100)), True)
END
trace_in "$NETNS" 'dns:::response /args[1]->cs_netns == '"$NETNS_ID"' && args[4]->dns_recv/ {
	printf("%d %s %s %d %d\n", args[4]->dns_id, args[4]->dns_name, args[4]->dns_rcodestr, args[4]->dns_time / 1000000,
	    args[4]->dns_waited / 1000000); }
dns:::response /args[1]->cs_netns == '"$NETNS_ID"' && !args[4]->dns_recv && args[4]->dns_waited/ { printf("a server waits\n"); }
' python3 "$tmp/tries.py"
by_tcp=$'\n8 large.example NXDOMAIN'
if [ "${DWIRE_TEST_TIER:-hooks}" != hooks ] || ! since 6.2; then
	by_tcp= # functions cannot read the pages in which TCP has what a process of this machine sends
fi
expect_eq "$(awk 'NF { print $1, $2, $3 }' <<<"$OUT")" "2 retry.example SERVFAIL
3 other.example NOERROR
4 retry.example NOERROR
5 retry.example NOERROR
6 retry.example NOERROR
7 large.example NOERROR$by_tcp" "tries"
times() { # FILE: the trigger's
	sed -n 's/^times=//p' "$1"
}
expect_eq "$(times "$tmp/trigger" | wc -l)" 8 "the trigger's times"
expect_eq "$(awk 'NR == FNR { for (i = 2; i <= 5; i++) v[$1, i] = $i; next }
	NF && !($4 >= int(v[$1, 2]) && $4 <= v[$1, 3] && $5 >= int(v[$1, 4]) && $5 <= v[$1, 5])' <(times "$tmp/trigger") - <<<"$OUT")" "" \
	"what the server took, and what the process waited (< the trigger: $(times "$tmp/trigger"))"

since 5.17 || return 0 # its conditions need more than older kernels' verifiers take without bpf_loop()
"$dwire" dnssnoop --netns "$NETNS" -m $((140 * slower)) --everyone --command "ip netns exec $NETNS python3 $tmp/tries.py" >"$tmp/out" \
	2>"$tmp/err" || fail "dnssnoop: $(<"$tmp/err")"
expect_eq "$(times "$tmp/out" | wc -l)" 8 "dnssnoop: the trigger's times"
times "$tmp/out" | awk 'NR == FNR { least[$1] = $4; most[$1] = $5; next }
	$6 == "retry.example" { id = $4 == "none" ? 1 : $4 == "SERVFAIL" ? 2 : 5
		print $4, ($5 >= least[id] - 0.001 && $5 <= most[id] ? "right" : least[id] " to " most[id]) }' - "$tmp/out" >"$tmp/got"
expect_eq "$(<"$tmp/got")" "none right
SERVFAIL right
NOERROR right" "dnssnoop: $(<"$tmp/out")"
