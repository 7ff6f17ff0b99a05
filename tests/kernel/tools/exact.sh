# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Bytes, packets and sockets that tools print equal the trigger's own counts, over IPv4, IPv6, and IPv6 sockets that serve
# IPv4 (mapped addresses).
. "$here/tools/json.lib"
need python3
netns_new tools

# Each way two connections, with four messages of 2048 bytes there and back, and five datagrams of 1024 bytes there and
# back. Then a second passes, so that an interval ends.
{
	printf '#!/bin/sh\nexec >%s\n' "$tmp/trigger"
	for way in "4 -4" "6 -6" "m -4 -m"; do
		printf 'ip netns exec %s tcp_echo %s -n 2 -c 4 -k 2048 | sed s/^/tcp%s_/\n' "$NETNS" "${way#* }" "${way%% *}"
		printf 'ip netns exec %s udp_echo %s -n 5 -k 1024 | sed s/^/udp%s_/\n' "$NETNS" "${way#* }" "${way%% *}"
	done
	printf 'sleep 1.2\n'
} >"$tmp/traffic"
chmod +x "$tmp/traffic"
for t in udpsnoop udplife tcplife tcpio tcpsnoop socketio tcpwin tcpbind solife sormem so1stbyte tcpaccept; do
	begin_tool "$t" "$t"
done
begin_tool tcptop tcptop -n 1000
begin_tool udptop udptop -n 1000
begin_tool socksize socksize -s
all_tools

check_rows <<'END'
from collections import Counter, defaultdict
v = said("tcptop")
ways = {"4": ("127.0.0.1", "127.0.0.1", "0.0.0.0"), "6": ("::1", "::1", "::"), "m": ("127.0.0.1", "::", "::")}
sides = ("client", "server")
def total(table, kind):  # by way and side: whose port it is
    n = defaultdict(int)
    for key, value in table:
        n[key] += value
    return n
def both(f):
    return {(w, s): f(w, s) for w in ways for s in sides}
def of(prefix, key):
    return both(lambda w, s: v[f"{prefix}{w}_{s}_{key}"])
# Whose row it is: its process; and the addresses that it must have.
pids = {v[f"{p}{w}_{s}_pid"]: (p, w, s) for p in ("tcp", "udp") for w in ways for s in sides}
def own(label, proto):
    found = defaultdict(list)
    for r in rows(label):
        p, w, s = pids.get(r.get("pid"), ("", "", ""))
        if p == proto:
            found[w, s].append(r)
    return found
def sums(label, proto, key, factor=1):
    return {k: factor * sum(r[key] for r in l) for k, l in own(label, proto).items()}
for label, proto in (("tcptop", "tcp"), ("tcplife", "tcp"), ("udptop", "udp")):
    eq(sums(label, proto, "tx_bytes"), of(proto, "bytes_out"), f"{label}: bytes sent")
    eq(sums(label, proto, "rx_bytes"), of(proto, "bytes_in"), f"{label}: bytes received")
    eq({k: {(r["laddr"], r["raddr"]) for r in l} for k, l in own(label, proto).items()},
        both(lambda w, s: {(ways[w][0],) * 2}), f"{label}: addresses")
eq({k: len(l) for k, l in own("tcplife", "tcp").items()}, of("tcp", "connections"), "tcplife: connections")
eq(len(rows("tcplife")), 12, "tcplife: no other")
life = own("udplife", "udp")
eq({k: [only(r, "tx_bytes", "rx_bytes") for r in l] for k, l in life.items()},
    both(lambda w, s: [(v[f"udp{w}_{s}_bytes_out"], v[f"udp{w}_{s}_bytes_in"])]), "udplife: bytes")
eq({k: l[0]["lport"] for k, l in life.items()},
    both(lambda w, s: v[f"udp{w}_{'client_' * (s == 'client')}port"]), "udplife: ports")
eq({k: l[0]["laddr"] for k, l in life.items()}, both(lambda w, s: ways[w][s == "server"]), "udplife: addresses")
for label, proto, packets in (("tcpsnoop", "tcp", "data_segs"), ("udpsnoop", "udp", "datagrams")):
    for arrow, way in (("->", "out"), ("<-", "in")):
        data = {k: [r["bytes"] for r in l if r["dir"] == arrow and r["bytes"]] for k, l in own(label, proto).items()}
        eq({k: sum(l) for k, l in data.items()}, of(proto, f"bytes_{way}"), f"{label}: bytes {way}")
        eq({k: len(l) for k, l in data.items()}, of(proto, f"{packets}_{way}"), f"{label}: packets {way}")
# tcpio has no process: by the server's port.
ports = {v[f"tcp{w}_port"]: w for w in ways}
for arrow, way in (("->", "out"), ("<-", "in")):
    io = [(ports[r["lport"]], r["bytes"], r["laddr"]) for r in rows("tcpio") if r["dir"] == arrow and r["lport"] in ports]
    for w in ways:
        eq(sum(n for p, n, _ in io if p == w), v[f"tcp{w}_server_bytes_{way}"], f"tcpio: {w}: bytes {way}")
        eq(len([n for p, n, _ in io if p == w and n]), v[f"tcp{w}_server_data_segs_{way}"], f"tcpio: {w}: segments {way}")
        eq({a for p, n, a in io if p == w}, {ways[w][0]}, f"tcpio: {w}: addresses")
for kind, way in (("write", "out"), ("read", "in")):
    for proto, packets in (("tcp", "data_segs"), ("udp", "datagrams")):
        io = {k: [r for r in l if r["dir"] == kind] for k, l in own("socketio", proto).items()}
        eq({k: sum(r["bytes"] for r in l) for k, l in io.items()}, of(proto, f"bytes_{way}"), f"socketio: {proto} {way}")
        if kind == "write" or proto == "udp":
            eq({k: sum(r["count"] for r in l) for k, l in io.items()}, of(proto, f"{packets}_{way}"),
                f"socketio: {proto}: calls {way}")
        eq({k: {r["proto"] for r in l} for k, l in io.items()},
            both(lambda w, s: {proto.upper() + ("v6" if w == "6" or (w, s) == ("m", "server") else "")}), "socketio: protocol")
    size = {r["comm"]: r for r in rows("socksize") if r["dir"] == kind}
    for s in sides:
        for proto, name in (("tcp", v[f"tcp4_{s}_name"]), ("udp", v[f"udp4_{s}_name"][:15])):
            want = sum(v[f"{proto}{w}_{s}_bytes_{way}"] for w in ways)
            eq(size[name]["total"], want, f"socksize: {name} {kind}")
            eq(size[name]["average"], size[name]["total"] // size[name]["count"], f"socksize: {name}: average")
eq({k: [only(r, "ip", "laddr", "lport", "result") for r in l] for k, l in own("tcpbind", "tcp").items()},
    {(w, "server"): [(4 if w == "4" else 6, "::" if w == "m" else ways[w][0], v[f"tcp{w}_port"], "Success")] for w in ways},
    "tcpbind")
eq({k: [only(r, "ip", "raddr") for r in l] for k, l in own("tcpaccept", "tcp").items()},
    {(w, "server"): [(6 if w == "6" else 4, ways[w][0])] * 2 for w in ways}, "tcpaccept")
sock = own("solife", "tcp")
eq({k: len(l) for k, l in sock.items()}, of("tcp", "connections"), "solife: connections")
eq({k: {r["dir"] for r in l} for k, l in sock.items()}, both(lambda w, s: {"->" if s == "client" else "<-"}), "solife: who began")
eq({k: {(r["laddr"], r["raddr"]) for r in l} for k, l in sock.items()}, both(lambda w, s: {(ways[w][0],) * 2}),
    "solife: addresses")
# Each system call that reads: the messages, and the ends that the servers see.
calls = sum(r["count"] for r in rows("socketio") if r["dir"] == "read")
for what in ("rmem_alloc", "rmem_limit"):
    n = sum(b["count"] for r in rows("sormem") if r.get("what") == what for b in r["bytes"])
    eq(calls <= n <= calls + 6, True, f"sormem: {what}: {n} for {calls} reads")
eq({pids[r["pid"]][1:]: sum(b["count"] for b in r["us"]) for r in rows("so1stbyte")},
    {(w, "client"): v[f"tcp{w}_client_connections"] for w in ways}, "so1stbyte: connections")
win = rows("tcpwin")
eq(Counter(r["laddr"] for r in win if r["event"] == "new"), {"127.0.0.1": 8, "::1": 4}, "tcpwin: connections")
eq(sum(v[f"tcp{w}_{s}_data_segs_in"] for w in ways for s in sides) <= len([r for r in win if r["event"] == "rcv"]) <=
    sum(v[f"tcp{w}_{s}_segs_in"] for w in ways for s in sides), True, "tcpwin: segments")
END
