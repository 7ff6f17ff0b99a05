# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# tcpreset: resets by side, reason and owner, as many as the kernel counts. sotrace: the life of a connection that loses a
# segment, fills its peer's buffer, and is reset; retransmissions as the socket counts them.
. "$here/tools/json.lib"
need python3 nft
netns_new story
for mode in unread late; do
	traffic tcp_reset -6 -m $mode -n 4
	before=$(snmp "$NETNS" Tcp OutRsts)
	tool $mode tcpreset
	echo "outrsts=$(($(snmp "$NETNS" Tcp OutRsts) - before))" >>"$tmp/$mode.said"
	tool "count-$mode" tcpreset -c
done
cat >"$tmp/life.py" <<'END'
import os, socket, struct, subprocess, time
def nft(*rule): subprocess.run(["nft", *rule], check=True)
def retransmitted(s): return struct.unpack_from("I", s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 100)[0]
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
listener.bind(("127.0.0.1", 0))
listener.listen()
port = listener.getsockname()[1]
c = socket.create_connection(("127.0.0.1", port))
s, _ = listener.accept()
begin = time.monotonic_ns()
nft("add", "table", "inet", "story")
nft("add", "chain", "inet", "story", "in", "{ type filter hook input priority 0; }")
nft("add", "rule", "inet", "story", "in", "tcp", "dport", str(port), "drop")
c.send(b"lost")
while retransmitted(c) < 3:
    time.sleep(0.02)
nft("delete", "table", "inet", "story")
s.recv(10)
resent = retransmitted(c)
c.setblocking(False)
try:
    while True:
        c.send(b"x" * 65536)
except BlockingIOError:
    pass
time.sleep(0.3)
s.close()  # with data that nobody read
while True:
    try:
        c.send(b"x")
        time.sleep(0.01)
    except BlockingIOError:
        pass
    except OSError:
        break
print(f"pid={os.getpid()}\nport={port}\nresent={resent}")
print(f"ms={(time.monotonic_ns() - begin) // 1000000}")
END
traffic python3 "$tmp/life.py"
tool life sotrace
# A connection that is older than the trace: nobody knows since when.
cat >"$tmp/older.py" <<'END'
import signal, socket, struct
listener = socket.create_server(("127.0.0.1", 0))
c = socket.create_connection(listener.getsockname())
s, _ = listener.accept()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print("ready=1", flush=True)
signal.sigwait([signal.SIGUSR1])
c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
c.close()
END
start_waiting ip netns exec "$NETNS" python3 "$tmp/older.py"
traffic_waiting
tool older sotrace
wait "$WAITING"

check_rows <<'END'
reasons = {"unread": ("TCP_ABORT_ON_CLOSE", "ECONNRESET"), "late": ("TCP_TIMEWAIT_SOCKET", "EPIPE")}
for mode, (sent, got) in reasons.items():
    v, c = said(mode), said(f"count-{mode}")
    who = ("dw_reset", v["pid"]) if mode == "unread" else (None, None)
    eq(sorted(only(r, "way", "comm", "pid", "reason") for r in rows(mode)),
        sorted([("got", "dw_reset", v["pid"], got), ("sent", *who, sent)] * v["rsts"]), f"{mode}: each reset")
    eq(sum(r["way"] == "sent" for r in rows(mode)), v["outrsts"], f"{mode}: as the kernel counts")
    eq(sorted(only(r, "way", "comm", "port", "reason", "resets") for r in rows(f"count-{mode}")),
        sorted([("got", "dw_reset", c["port"], got, c["rsts"]), ("sent", who[0], c["port"], sent, c["rsts"])]), f"{mode}: counts")
v = said("life")
asks = [r for r in rows("life") if r["rport"] == v["port"]]
serves = [r for r in rows("life") if r["lport"] == v["port"]]
eq(len(asks) + len(serves), len(rows("life")), "one connection")
eq({r["pid"] for r in asks + serves}, {v["pid"]}, "its owner")
def events(of, *names): return [r["event"] for r in of if r["event"] in names]
eq(asks[0]["event"], "connect-request", "its begin")
for of, event in ((asks, "connect-established"), (serves, "accept-established")):
    made = [r["detail"].split() for r in of if r["event"] == event]
    eq([(d[0], int(d[1]) > 0, d[2]) for d in made], [("rtt", True, "us")], f"{event}: {made}")
eq(sum(r["event"] == "resend" and r["detail"].endswith(" of 1") for r in asks), v["resent"], "sent again")
timeouts = [int(r["detail"].split()[1]) for r in asks if r["event"] == "rto"]
eq(len(timeouts) >= 2 and timeouts[0] >= 200 and all(b == 2 * a for a, b in zip(timeouts, timeouts[1:])), True, f"timeouts: {timeouts}")
eq(len(events(serves, "zero-window-sent")) >= 1 and len(events(asks, "zero-window-received")) >= 1, True, "a closed window")
eq([r["detail"] for r in serves if r["event"] == "reset-sent"], ["TCP_ABORT_ON_CLOSE"], "the reset")
eq([r["detail"] for r in asks if r["event"] == "reset-received"], ["ECONNRESET"], "the reset arrives")
ends = [r["ms"] for r in asks + serves if r["detail"].endswith(">CLOSE") or r["event"].startswith("reset-")]
eq(len(ends) == 4 and max(ends) - min(ends) < 100 and 1000 < min(ends) <= v["ms"] + 100, True, f"the end: {ends}, {v['ms']}")
older = [r["event"] for r in rows("older") if r["ms"] < 1000]
eq(sorted(older), ["reset-received", "reset-sent", "state-change", "state-change"],
    f"a connection older than the trace: {[r['ms'] for r in rows('older')]}")
END
