# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Segments that are sent again, of buffers that the device is to cut (GSO), where one in ten buffers is lost: every probe and
# tool counts segments, as many as the kernel's TcpRetransSegs. What is lost, in a queue or at a filter, netcheck counts in
# one row each.
# timeout: 150
need python3
need tc
need nft
wire_new again
ip netns exec "$NETNS" sysctl -qw net.ipv6.conf.va.disable_ipv6=1 net.ipv6.conf.vb.disable_ipv6=1
tc -n "$NETNS" qdisc add dev va root tbf rate 20mbit burst 70kb limit 150kb || skip "no tbf"
ip netns exec "$NETNS" nft -f - <<-END || skip "no nft"
	table netdev t {
		chain c {
			type filter hook ingress device vb priority 0;
			numgen random mod 10 == 0 counter drop
		}
	}
END
lost() {
	ip netns exec "$NETNS" nft list ruleset | sed -n 's/.*counter packets \([0-9]*\) .*/\1/p'
}
cat >"$tmp/bulk.py" <<'END'
import socket, sys, threading, time
server = socket.create_server(("10.99.0.1", 0))
end = time.monotonic() + float(sys.argv[1])
def flow():
    s = socket.create_connection(server.getsockname())
    s.settimeout(0.2)
    while time.monotonic() < end:
        try:
            s.send(b"x" * (1 << 18))
        except TimeoutError:
            pass
    s.close()
def sink():
    s, _ = server.accept()
    while s.recv(1 << 20):
        pass
threads = [threading.Thread(target=f) for f in [flow, sink] * 6]
for t in threads: t.start()
for t in threads: t.join()
time.sleep(float(sys.argv[2])) # for the last segments
END
last_segments=0.7 longest=10 # seconds
! slow_machine || { last_segments=6 longest=60; }
# A measurement, by itself. Among thousands of segments one may come while process 1 runs, which some kernels hide from
# tracing programs (see run-kernel): once more, at most four times.
probes() {
	last=$(snmp "$NETNS" Tcp RetransSegs)
	trace_in "$NETNS" "tcp:::retransmit /args[1]->cs_netns == $NETNS_ID/ { @a = sum(args[5]->rt_segs); @b = count(); }
tcp:::resend /args[1]->cs_netns == $NETNS_ID/ { @c = sum(args[5]->re_segs); }
mib:::tcpRetransSegs /args[1]->cs_netns == $NETNS_ID/ { @d = sum(args[0]); }
END { printa(\"retransmit %@d\n\", @a); printa(\"buffers %@d\n\", @b); printa(\"resend %@d\n\", @c); printa(\"mib %@d\n\", @d); }" \
		python3 "$tmp/bulk.py" 1.5 $last_segments
	want=$(snmp "$NETNS" Tcp RetransSegs)
	want=$((want - last))
	expect_ge "$want" 50 "segments sent again"
	expect_ge "$want" $(($(sed -n 's/^buffers //p' <<<"$OUT") + 10)) "... of buffers with several segments"
	for n in retransmit resend mib; do expect_eq "$(sed -n "s/^$n //p" <<<"$OUT")" "$want" "$n"; done
}
measure probes

tool() { # its rows in $tmp/json; SENT the kernel's count; DROPPED the queue's, LOST the filter's
	local before before_lost
	before_lost=$(lost)
	last=$(snmp "$NETNS" Tcp RetransSegs)
	before=$(tc -n "$NETNS" -s qdisc show dev va | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p')
	printf '#!/bin/bash\nexec ip netns exec %q python3 %q 1.5 %s\n' "$NETNS" "$tmp/bulk.py" $last_segments >"$tmp/run"
	chmod +x "$tmp/run"
	"$dwire" "$@" --json --netns "$NETNS" --everyone --command "$tmp/run" >"$tmp/json" 2>"$tmp/err" || fail "$1: $(<"$tmp/err")"
	SENT=$(($(snmp "$NETNS" Tcp RetransSegs) - last))
	DROPPED=$(($(tc -n "$NETNS" -s qdisc show dev va | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p') - before))
	LOST=$(($(lost) - before_lost))
}
row() { # WHAT of netcheck
	python3 -c '
import json, sys
for row in map(json.loads, open(sys.argv[1])):
    if row.get("what") == sys.argv[2] and row["check"] != "verdict": print(row["value"])' "$tmp/json" "$1"
}
count_rows() { # the sum of a member of the rows
	python3 -c '
import json, sys
print(sum(r.get(sys.argv[2], 0) for r in map(json.loads, open(sys.argv[1]))))' "$tmp/json" "$1"
}
counted() {
	tool tcpretrans -c -l
	expect_eq "$(count_rows retransmits)" "$SENT" "tcpretrans -c -l"
}
listed() {
	tool tcpretrans -l
	expect_eq "$(count_rows segs)" "$SENT" "tcpretrans -l: the column SEGS"
}
checked() {
	tool netcheck $longest
	expect_eq "$(row "segments sent again")" "$SENT" "netcheck"
	expect_eq "$(row "drops in devices' queues")" "$DROPPED" "netcheck: what the queue drops"
	expect_ge "$DROPPED" 1 "what the queue drops"
	# Segments that came twice are dropped, too.
	expect_ge "$(row "TCP segments dropped")" "$LOST" "netcheck: what the filter drops"
	expect_le "$(row "TCP segments dropped")" $((LOST + SENT)) "netcheck: what the filter drops"
	expect_eq "$(row "other packets dropped")" 0 "netcheck: each loss in one row"
}
measure counted
measure listed
! since 6.1 || measure checked # what netcheck needs

# A connection that is closed with data that nobody has read is no unusual loss.
cat >"$tmp/close.py" <<'END'
import socket, time
server = socket.create_server(("127.0.0.1", 0))
for n in range(3):
    c = socket.create_connection(server.getsockname())
    s, _ = server.accept()
    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    u.bind(("127.0.0.1", 0))
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
    u.sendto(b"unread", u.getsockname())
    c.send(b"unread")
    time.sleep(0.05)
    for x in s, c, u, raw:
        x.close()
END
trace_in "$NETNS" "skb:::drop { @[args[5]->drop_reason] = count(); }" python3 "$tmp/close.py"
closed=QUEUE_PURGE
grep -qa SKB_DROP_REASON_QUEUE_PURGE /sys/kernel/btf/vmlinux || closed=NOT_SPECIFIED # before Linux 6.6
since 5.17 || closed= # no reasons
expect_match "$OUT" "$closed +[1-9]" "what a close throws away"
printf '#!/bin/bash\nexec ip netns exec %q python3 %q\n' "$NETNS" "$tmp/close.py" >"$tmp/run"
"$dwire" skbdrop --json --everyone --command "$tmp/run" >"$tmp/json" 2>"$tmp/err" || fail "skbdrop: $(<"$tmp/err")"
expect_eq "$(grep -c QUEUE_PURGE "$tmp/json")" 0 "skbdrop: what a close throws away"
