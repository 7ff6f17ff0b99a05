# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# ss: sockets of all kinds and states against /proc/net of their namespace, owners against the processes that hold them,
# bytes and times against TCP_INFO; filters; a process that has gone; more sockets than a ring has room for.
need python3 nft
netns_new open
cat >"$tmp/open.py" <<'END'
import json, os, socket, struct, subprocess, sys, time

def tcp(family, port, backlog=8):
    s = socket.socket(family, socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", port))
    s.listen(backlog)
    return s

def pair(listener):
    c = socket.socket(listener.family, socket.SOCK_STREAM)
    c.connect(listener.getsockname())
    return c, listener.accept()[0]

keep = []
l4, l6 = tcp(socket.AF_INET, 5001), tcp(socket.AF_INET6, 5002)
keep += [l4, l6]
a, b = pair(l4)                     # unread data
a.sendall(b"x" * 5000)
keep += [a, b]
c6, d6 = pair(l6)                   # read data, over IPv6
d6.sendall(b"y" * 777)
c6.recv(1000)
keep += [c6, d6]
e, f = pair(l4)                     # CLOSE_WAIT here, FIN_WAIT2 there
e.shutdown(socket.SHUT_WR)
keep += [e, f]
g, h = pair(l4)                     # TIME_WAIT
g.close()
h.close()
w = socket.socket()                 # connected, not accepted
w.connect(("127.0.0.1", 5001))
keep.append(w)
n, m = pair(l4)                     # unacknowledged, sent again
keep += [n, m]
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 5003))
v = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
v.connect(("127.0.0.1", 5003))
v.send(b"z" * 100)
u6 = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
u6.bind(("::", 5004))
keep += [u, v, u6]
if os.fork() == 0:                  # a process whose socket is its alone
    open("/proc/self/comm", "w").write("open_child")
    x = socket.socket()
    x.bind(("127.0.0.1", 5005))
    x.listen(3)
    print("child", os.getpid(), os.fstat(x.fileno()).st_ino, flush=True)
    time.sleep(50)
    os._exit(0)
o = socket.socket()                 # a socket without a process: FIN_WAIT2
o.connect(("127.0.0.1", 5001))
nft = lambda *r: subprocess.run(["nft", *r], check=True)
nft("add", "table", "inet", "open")
nft("add", "chain", "inet", "open", "in", "{ type filter hook input priority 0; }")
nft("add", "rule", "inet", "open", "in", "tcp", "dport", "5001", "tcp", "sport", str(n.getsockname()[1]), "drop")
nft("add", "rule", "inet", "open", "in", "tcp", "dport", "5009", "drop")
n.send(b"q" * 321)
s = socket.socket()                 # SYN_SENT
s.setblocking(False)
s.connect_ex(("127.0.0.1", 5009))
keep.append(s)
nft("add", "rule", "inet", "open", "in", "tcp", "sport", "5001", "tcp", "dport", "5010", "drop")
r = socket.socket()                 # SYN_RECV: its SYN-ACK is lost
r.bind(("127.0.0.1", 5010))
r.setblocking(False)
r.connect_ex(("127.0.0.1", 5001))
keep.append(r)
o.close()
time.sleep(1)
for k in keep:
    info = b""
    if k.type == socket.SOCK_STREAM:
        info = k.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 232)
    # tcpi_rtt, tcpi_total_retrans, tcpi_bytes_acked, tcpi_bytes_received: include/uapi/linux/tcp.h
    t = [struct.unpack_from("I", info, 68)[0], struct.unpack_from("I", info, 100)[0], struct.unpack_from("Q", info, 120)[0],
         struct.unpack_from("Q", info, 128)[0]] if info else []
    print("mine", os.getpid(), os.fstat(k.fileno()).st_ino, *t, flush=True)
open("/proc/self/comm", "w").write("open_test")
print("ready", flush=True)
time.sleep(50)
END
ip netns exec "$NETNS" python3 "$tmp/open.py" >"$tmp/said" 2>"$tmp/err" &
for ((i = 0; i < 400; i++)); do
	grep -qs ready "$tmp/said" && break
	sleep 0.05
done
grep -q ready "$tmp/said" || fail "the trigger: $(<"$tmp/err")"

"$dwire" ss -a --json --netns "$NETNS" >"$tmp/ss.json" 2>"$tmp/err" || fail "ss: $(<"$tmp/err")"
expect_eq "$(<"$tmp/err")" "" "ss on stderr"
ip netns exec "$NETNS" bash -c 'cd /proc/net; grep -H : tcp tcp6 udp udp6' >"$tmp/proc"
cat >"$tmp/check.py" <<'END'
import json, socket, struct, sys
tmp = sys.argv[1]
def eq(got, want, what):
    if got != want:
        print(f"FAILED: {what}: got {got!r}, want {want!r}")
STATES = "? ESTABLISHED SYN_SENT SYN_RECV FIN_WAIT1 FIN_WAIT2 TIME_WAIT CLOSE CLOSE_WAIT LAST_ACK LISTEN CLOSING SYN_RECV".split()
def address(hexes):
    raw = b"".join(struct.pack("=I", int(hexes[i:i + 8], 16)) for i in range(0, len(hexes), 8))
    return socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw)
want = []
for line in open(f"{tmp}/proc"):
    proto, _, rest = line.partition(":")
    f = rest.split()
    if f[0] == "sl":
        continue
    (la, lp), (ra, rp) = f[1].split(":"), f[2].split(":")
    state = STATES[int(f[3], 16)]
    if proto.startswith("udp") and state == "CLOSE":
        state = "UNCONNECTED"
    tx, rx = (int(x, 16) for x in f[4].split(":"))
    want.append((proto[:3], state, address(la), int(lp, 16), address(ra), int(rp, 16), rx,
                 None if state == "LISTEN" else tx, int(f[9])))
rows = [json.loads(line) for line in open(f"{tmp}/ss.json")]
got = [(r["proto"], r["state"], r["laddr"], r["lport"], r["raddr"], r["rport"], r["recvq"],
        None if r["state"] == "LISTEN" else r["sendq"], r["inode"]) for r in rows]
key = lambda t: tuple(str(x) for x in t)
eq(sorted(got, key=key), sorted(want, key=key), "sockets")
states = {r["state"] for r in rows}
eq({"ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT2", "TIME_WAIT", "CLOSE_WAIT", "LISTEN", "UNCONNECTED"} - states, set(),
   "states that are missing")
by_inode = {r["inode"]: r for r in rows if r["inode"]}
for line in open(f"{tmp}/said"):
    f = line.split()
    if f[0] not in ("mine", "child"):
        continue
    r = by_inode[int(f[2])]
    eq((r["pid"], r["comm"]), (int(f[1]), "open_child" if f[0] == "child" else "open_test"), f"the owner of {r}")
    if len(f) > 3 and r["state"] not in ("LISTEN", "SYN_SENT"):
        eq((r["rtt_us"], r["sent"], r["received"]), (int(f[3]), int(f[5]), int(f[6])), f"TCP_INFO of {r}")
        eq(r["retrans"] >= int(f[4]), True, f"segments sent again of {r}: {f[4]}")
for r in rows:  # what the kernel does not count is unknown, not 0
    if r["proto"] == "udp" or r["state"] == "LISTEN":
        eq([r[k] for k in ("sent", "received", "retrans", "rtt_us", "idle_ms", "cwnd")], [None] * 6, f"unknown of {r}")
eq(max(r["retrans"] or 0 for r in rows) > 0, True, "a segment that was sent again")
for r in rows:  # what nobody holds has no owner, or the one that it had
    if not r["inode"] and r["state"] in ("TIME_WAIT", "FIN_WAIT2"):
        eq((r["pid"], r["comm"], r["uid"]), (None, None, None), f"the owner of {r}")
listener = [r for r in rows if r["lport"] == 5001 and r["state"] == "LISTEN"][0]
eq((listener["recvq"], listener["sendq"]), (2, 8), "connections that wait, and how many may")
END
python3 "$tmp/check.py" "$tmp" >"$tmp/checked" 2>&1 || fail "check.py: $(<"$tmp/checked")"
! grep -q . "$tmp/checked" || fail "$(<"$tmp/checked")"

rows() { "$dwire" ss --json --netns "$NETNS" "$@" | wc -l; }
expect_eq "$(rows -l)" 5 "sockets that listen or are not connected"
expect_eq "$(rows -lt)" 3 "... of TCP"
expect_eq "$(rows -lt -p open_child)" 1 "... of a process"
expect_eq "$(rows -au -P 5003)" 2 "of UDP with a port"
expect_eq "$(rows --state CLOSE_WAIT)" 2 "in a state"
expect_eq "$(rows -a -6)" "$(awk '/^(tcp6|udp6):/ && !/local/' "$tmp/proc" | wc -l)" "over IPv6"
expect_eq "$(rows -a --host 203.0.113.0/24)" 0 "of a host that is not there"
expect_eq "$("$dwire" ss -ac --netns "$NETNS" --json | sed -n 's/.*"sockets":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')" "$(rows -a)" \
	"sockets by process and state"
expect_eq "$("$dwire" ss -l --netns "$NETNS" | awk 'length > 80')" "" "lines of more than 80 columns"
expect_match "$("$dwire" ss -a --netns "$NETNS" --state TIME_WAIT)" ' - - .* TIME_WAIT ' "nobody's socket"

# Records of more sockets than a ring of this size has room for at once.
ip netns exec "$NETNS" python3 -c '
import socket, time
s = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for i in range(900)]
for i, x in enumerate(s):
    x.bind(("127.0.0.2", 10000 + i))
print("many", flush=True)
time.sleep(50)' >"$tmp/many" &
many=$!
for ((i = 0; i < 400; i++)); do
	grep -q many "$tmp/many" && break
	sleep 0.05
done
expect_eq "$("$dwire" -x bufsize=64k -qn 'sockets:::udp-open / args[0]->os_laddr == "127.0.0.2" / { printf("%s %d %s\n",
	args[0]->os_laddr, args[0]->os_lport, args[1]->cs_execname); } sockets:::done { exit(0); }' 2>&1 | sort -u | grep -c '^127')" 900 \
	"sockets of a small ring"
# shellcheck disable=SC2046 # a list of numbers
kill $many $(awk '/^(mine|child)/ { print $2 }' "$tmp/said" | sort -u)
wait
