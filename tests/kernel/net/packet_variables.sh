# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# Variables of packets (pkt->x) and pkt_id: the wait in a slow queue (tbf), measured by hand, is that of the qdisc
# provider; the identity is the same at the probes of all providers; values of packets that have ended leave room for
# others, and those of packets that wait too long in too small a map are counted as drops.
need python3
since 5.12 || skip "needs atomic exchanges in BPF"
netns_new q && q=$NETNS
ip -n "$q" link add va type veth peer name vb || skip "no veth"
ip netns exec "$q" sh -c 'for f in /proc/sys/net/ipv6/conf/v[ab]/disable_ipv6; do echo 1 >$f; done'
ip -n "$q" addr add 10.78.2.1/24 dev va
ip -n "$q" link set va up
ip -n "$q" link set vb up
ip -n "$q" link set lo up
ip -n "$q" neigh add 10.78.2.2 lladdr 02:00:00:00:00:02 dev va
tc -n "$q" qdisc add dev va root tbf rate 100kbit burst 1600 limit 30000 || skip "no tbf"

# A packet of 1042 bytes takes 83 ms; the bucket has one. Text, a structure's member and a counter come along.
waits() {
	"$dwire" -qn "udp:::send /args[1]->cs_netns == $NETNS_ID/ { pkt->id = args[0]->pkt_id; }
path:::output /args[0]->pkt_netns == $NETNS_ID/ { pkt->by = execname; }
path:::enqueue /args[0]->pkt_netns == $NETNS_ID/ { pkt->at = timestamp; pkt->n++; }
qdisc:::dequeue /pkt->at/ {
	printf(\"ms=%d own=%d by=%s n=%d id=%d same=%d\\n\", (timestamp - pkt->at) / 1000000, args[4]->qd_time / 1000000, pkt->by, pkt->n,
	    args[0]->pkt_id != 0, args[0]->pkt_id == pkt->id);
}" \
		-c "ip netns exec $q sh -c 'udp_send -a 10.78.2.2 -p 7001 -n 5 -k 1000 >/dev/null; sleep 0.6'" >"$tmp/out" 2>"$tmp/err" ||
		fail "waits: $(<"$tmp/err")"
	python3 - "$tmp/out" <<'END'
import sys
rows = [dict(w.split("=") for w in line.split()) for line in open(sys.argv[1]) if line.startswith("ms=")]
for r in rows:
    if abs(int(r["ms"]) - int(r["own"])) > 1 or r["by"] != "udp_send" or (r["n"], r["id"], r["same"]) != ("1", "1", "1"):
        print("FAILED: row", r)
waits = sorted(int(r["ms"]) for r in rows)
if len(rows) not in (4, 5) or waits[-1] < 250 or not all(60 < b - a < 110 for a, b in zip(waits, waits[1:]) if b > 90):
    print("FAILED: waits of", waits, "ms")
END
}
# 32 values; 400 datagrams and 400 segments, one after the other, that are read; then 60 in the queue of a socket.
cat >"$tmp/talk.py" <<'END'
import socket, sys
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 0))
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "read":
    for i in range(400):
        s.sendto(bytes(200), u.getsockname())
        u.recv(300)
    server = socket.create_server(("127.0.0.1", 0))
    c = socket.create_connection(server.getsockname())
    a = server.accept()[0]
    for i in range(200):
        c.sendall(b"x" * 100)
        a.recv(200)
        a.sendall(b"y" * 100)
        c.recv(200)
else:
    for i in range(60):
        s.sendto(bytes(200), u.getsockname())
END
talk() { # HOW; prints the packets with a value, and then the drops
	"$dwire" -q -x dynvarsize=512 -n "path:::output /args[0]->pkt_netns == $NETNS_ID/ { pkt->at = timestamp; }
path:::socket-in /args[0]->pkt_netns == $NETNS_ID && pkt->at/ { @ = count(); } END { printa(\"%@d\", @); }" \
		-c "ip netns exec $q python3 $tmp/talk.py $1" >"$tmp/out" 2>"$tmp/err" || fail "talk: $(<"$tmp/err")"
	echo "$(<"$tmp/out") $(sed -n 's/.*: *\([0-9]*\) dynamic variable drop.*/\1/p' "$tmp/err")"
}
ended() {
	local n drops
	read -r n drops <<<"$(talk read)"
	[ "${n:-0}" -ge 800 ] || echo "FAILED: $n packets with a value"
	[ -z "$drops" ] || echo "FAILED: $drops drops of packets that have ended"
}
waiting() {
	local n drops
	read -r n drops <<<"$(talk leave)"
	[ "${n:-0}" -ge 60 ] || echo "FAILED: $n packets with a value"
	[ "${drops:-0}" -ge 26 ] && [ "$drops" -le 32 ] || echo "FAILED: ${drops:-no} drops: $(<"$tmp/err")"
}
measure waits
measure ended
measure waiting
# A script that traces one stage sees packets that begin there, each once, though the kernel uses their memory again.
once() {
	"$dwire" -q -x aggsize=4m -n "path:::queue /args[0]->pkt_netns == $NETNS_ID/ { @[args[0]->pkt_id] = count(); } END { printa(\"%d %@d\n\", @); }" \
		-c "ip netns exec $q python3 $tmp/talk.py read" >"$tmp/out" 2>"$tmp/err" || fail "once: $(<"$tmp/err")"
	awk 'NF == 2 { n++; if ($1 == 0 || $2 != 1) bad++ } END { if (n < 800 || bad) print "FAILED:", n, "packets,", bad + 0, "of them twice" }' "$tmp/out"
}
measure once
