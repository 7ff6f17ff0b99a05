# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The tools of sockets against a trigger that makes each call once.
. "$here/tools/json.lib"
need python3
netns_new tools
traffic sock_calls -4
for t in sockstat sofamily soprotocol soconnect soaccept socketio socksize sormem soconnlat so1stbyte solisten udpconnect \
	tcpbind solife udplife tcpaccept tcplife; do
	tool "$t" "$t"
done
tool returned soconnect -r
tool failed soconnect -e
tool tcpends tcpconnect
tool tcpfailed tcpconnect -e
tool tcpconnect tcpconnect -a
tool summary socksize -s
tool queue tcpaccept -q
tool counts tcpconnect -c
# Options keep out what they should: ports, families, another process.
tool notthere soconnect -D 1
tool six soaccept -6
tool four soaccept -4 --host 127.0.0.0/8
# UNIX sockets of a process are of its network namespace
tool sofdsnoop sofdsnoop

check_rows <<'END'
v = said("sockstat")
uring = v["uring"] != 0
counts = {r["event"].split(":::")[1]: r["count"] for r in rows("sockstat")}
eq(counts, {"create": 12 + uring, "bind": 4, "listen": 1, "connect-start": 5 + uring, "connect-done": 5 + uring,
    "accept-done": 3 + uring, "send": 13 + uring, "receive": 4 + 1 + 11 - v["udp_lost"] + uring,
    "close": 13 + 2 * uring, "buffer-full": v["udp_lost"]} , "sockstat")
eq(sorted(only(r, "call", "comm", "family", "family_name", "count") for r in rows("sofamily")),
    [("accept", "dw_sock", 2, "AF_INET", 2 + uring), ("connect", "dw_sock", 1, "AF_UNIX", 1),
     ("connect", "dw_sock", 2, "AF_INET", 4 + uring)], "sofamily")
eq(sorted(only(r, "call", "proto_number", "proto", "module", "count") for r in rows("soprotocol")),
    [("accept", 6, "IPPROTO_TCP", "TCP", 2 + uring), ("connect", 0, "IPPROTO_IP", "UNIX-STREAM", 1),
     ("connect", 6, "IPPROTO_TCP", "TCP", 3 + uring), ("connect", 17, "IPPROTO_UDP", "UDP", 1)], "soprotocol")
v = said("returned")
eq([only(r, "pid", "comm", "family", "raddr", "rport", "result") for r in rows("returned")],
    [(v["pid"], "dw_sock", 2, "127.0.0.1", p, e) for p, e in ((v["port"], "Success"), (v["port"], "In progress"),
     (v["closed_port"], "In progress"), (v["udp_port"], "Success"))], "soconnect -r")
v = said("soconnect")
eq([only(r, "pid", "rport", "result") for r in rows("soconnect")],
    [(v["pid"], p, e) for p, e in ((v["port"], "Success"), (v["port"], "Success"),
     (v["closed_port"], "Connection refused"), (v["udp_port"], "Success")) + ((v["port"], "Success"),) * uring],
    "soconnect")
v = said("failed")
eq([only(r, "pid", "rport", "result") for r in rows("failed")], [(v["pid"], v["closed_port"], "Connection refused")],
    "soconnect -e")
v = said("tcpends")
eq([only(r, "pid", "comm", "ip", "rport", "result") for r in rows("tcpends")],
    [(v["pid"], "dw_sock", 4, p, e) for p, e in ((v["port"], "Success"), (v["port"], "Success"),
     (v["closed_port"], "Connection refused")) + ((v["port"], "Success"),) * uring], "tcpconnect: ends")
v = said("tcpfailed")
eq([only(r, "pid", "rport", "result") for r in rows("tcpfailed")], [(v["pid"], v["closed_port"], "Connection refused")],
    "tcpconnect -e")
v = said("soaccept")
a = rows("soaccept")
eq([only(r, "pid", "family", "raddr", "lport", "result") for r in a],
    [(v["pid"], 2, "127.0.0.1", v["port"], "Success")] * (2 + uring) + [(v["pid"], 2, "0.0.0.0", v["port"], "Try again")],
    "soaccept")
eq(a[0]["rport"], v["client_port"], "soaccept: the remote port")
v = said("socketio")
io = {only(r, "dir", "proto", "rport"): (r["count"], r["bytes"]) for r in rows("socketio")}
eq(io[("write", "UDP", v["udp_port"])], (10, 10000), "socketio: datagrams sent")
eq(io[("read", "UDP", 0)], (11 - v["udp_lost"], 1000 * (10 - v["udp_lost"])), "socketio: datagrams received")
eq(io[("read", "TCP", v["client_port"])], (3, 7), "socketio: the server reads, once only looking")
eq(io[("write", "UNIX-STREAM", 0)], (1, 1), "socketio: descriptors")
v = said("socksize")
size = {r["dir"]: {b["value"]: b["count"] for b in r["bytes"]} for r in rows("socksize")}
eq(size["write"], {1: 1 + uring, 2: 1, 4: 1, 512: 10}, "socksize: writes")
eq(size["read"], {1: 1 + uring, 2: 4, 512: 10 - v["udp_lost"]}, "socksize: reads")
v = said("summary")
eq({r["dir"]: only(r, "count", "total") for r in rows("summary")}, {"write": (13 + uring, 10009 + uring),
    "read": (15 + uring - v["udp_lost"], 2 + 3 + 2 + 3 + 1 + uring + 1000 * (10 - v["udp_lost"]))}, "socksize -s")
v = said("sormem")
full = [r for r in rows("sormem") if "event" in r]
eq([only(r, "event", "pid", "comm", "proto", "lport") for r in full],
    [("receive", v["pid"], "dw_sock", "UDP", v["udp_port"])] * v["udp_lost"], "sormem: what had no room")
limit = {b["value"]: b["count"] for r in rows("sormem") if r.get("what") == "rmem_limit" for b in r["bytes"]}
eq(limit[4096], 11 - v["udp_lost"], "sormem: the small buffer's limit, 4608 bytes")
lat = rows("soconnlat")
eq(sum(b["count"] for r in lat for b in r["us"]), 3 + uring, "soconnlat: connections made")
eq(sum(b["count"] for r in lat if "not waited" in r["ustack"] for b in r["us"]), 1, "soconnlat: not waited for")
eq(any("connect" in r["ustack"] and "main" in r["ustack"] for r in lat), True, "soconnlat: the stack")
v = said("so1stbyte")
one_in(rows("so1stbyte")[0]["us"], 60000, 400000, "so1stbyte")
eq(rows("so1stbyte")[0]["pid"], v["pid"], "so1stbyte: who")
v = said("solisten")
eq([only(r, "pid", "comm", "proto", "backlog", "lport", "laddr") for r in rows("solisten")],
    [(v["pid"], "dw_sock", "TCP", 7, v["port"], "127.0.0.1")], "solisten")
v = said("udpconnect")
eq([only(r, "pid", "comm", "ip", "raddr", "rport") for r in rows("udpconnect")],
    [(v["pid"], "dw_sock", 4, "127.0.0.1", v["udp_port"])], "udpconnect")
v = said("tcpbind")
eq([only(r, "pid", "ip", "laddr", "lport", "result") for r in rows("tcpbind")],
    [(v["pid"], 4, "127.0.0.1", p, e) for p, e in ((v["port"], "Success"), (v["closed_port"], "Success"),
     (v["port"], "Invalid argument"))], "tcpbind")
v = said("solife")
life = rows("solife")
eq(sorted(only(r, "proto", "dir") for r in life), sorted([("TCP", "->")] * (1 + uring) + [("TCP", "->")] +
    [("TCP", "<-")] * (2 + uring) + [("UDP", "->")]), "solife")
eq([60 <= r["ms"] < 400 for r in life if r["lport"] == v["client_port"]], [True], "solife: 60 ms")
v = said("udplife")
eq(sorted((r["lport"] == v["udp_port"], r["tx_bytes"], r["rx_bytes"], r["old"]) for r in rows("udplife")),
    [(False, 10000, 0, 0), (True, 0, 1000 * (10 - v["udp_lost"]), 0)], "udplife")
v = said("tcpconnect")
eq([only(r, "pid", "comm", "ip", "raddr", "rport") for r in rows("tcpconnect")],
    [(v["pid"], "dw_sock", 4, "127.0.0.1", p) for p in (v["port"], v["port"], v["closed_port"]) + (v["port"],) * uring],
    "tcpconnect")
v = said("counts")
eq(sorted(only(r, "rport", "connects") for r in rows("counts")),
    sorted([(v["port"], 2 + uring), (v["closed_port"], 1)]), "tcpconnect -c")
v = said("tcpaccept")
eq([only(r, "pid", "laddr", "lport") for r in rows("tcpaccept")], [(v["pid"], "127.0.0.1", v["port"])] * (2 + uring),
    "tcpaccept")
eq([only(r, "queue", "queue_max") for r in rows("queue")], [(0, 7)] * (2 + uring), "tcpaccept -q")
v = said("tcplife")
life = rows("tcplife")
eq(len(life), 5 + 2 * uring, "tcplife")
eq({r["pid"] for r in life}, {v["pid"]}, "tcplife: who")
eq([60 <= r["ms"] < 400 for r in life if v["client_port"] in (r["lport"], r["rport"])], [True, True], "tcplife: 60 ms")
eq({r["old"] for r in life}, {0}, "tcplife: none is older than the trace")
eq(rows("notthere"), [], "soconnect -D")
eq(rows("six"), [], "soaccept -6")
eq(len(rows("four")), 3 + uring, "soaccept -4 --host")
v = said("sofdsnoop")
passed = [only(r, "action", "tid", "comm", "socket", "fd") for r in rows("sofdsnoop")]
s, f = map(int, v["passed"].split())
g, n = map(int, v["received"].split())
eq(passed, [("SEND", v["pid"], "dw_sock", s, d) for d in (f, 1, f)] +
    [("RECV", v["pid"], "dw_sock", g, n + i) for i in range(3)], "sofdsnoop")
END
