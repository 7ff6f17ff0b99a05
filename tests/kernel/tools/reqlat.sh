# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# reqlat: answers, counted and timed by the processes that ask and serve; requests in parts, a lost request, a server
# that speaks first, a connection that is older than the trace.
. "$here/tools/json.lib"
need python3 nft
netns_new turns
cat >"$tmp/turns.py" <<'END'
import math, os, signal, socket, subprocess, sys, time
family = socket.AF_INET6 if "-6" in sys.argv else socket.AF_INET
here = "::1" if "-6" in sys.argv else "127.0.0.1"
DELAYS = [0.001] * 32 + [0.02] * 7 + [0.12]

def name(n): open("/proc/self/comm", "w").write(n)
def nft(*rule): subprocess.run(["nft", *rule], check=True)
def now(): return time.monotonic_ns() // 1000

listener = socket.create_server((here, 0), family=family)
port = listener.getsockname()[1]
server = os.fork()
if not server:
    name("turn_server")
    c, _ = listener.accept()
    c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    c.sendall(b"welcome")  # no answer: nobody asked
    for delay in [0] + DELAYS:
        question = b""
        while not question.endswith(b"."):
            question = c.recv(100) or os._exit(1)
        time.sleep(delay)
        c.sendall(b"first of ")
        c.sendall(b"the answer.")
    c.recv(1)
    os._exit(0)
name("turn_client")
c = socket.create_connection((here, port))
c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
c.recv(100)
if "-w" in sys.argv:
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    print("ready=1", flush=True)
    signal.sigwait([signal.SIGUSR1])
nft("add", "table", "inet", "turns")
nft("add", "chain", "inet", "turns", "in", "{ type filter hook input priority 0; }")
nft("add", "rule", "inet", "turns", "in", "tcp", "dport", str(port), "drop")
times = []
for i in range(len(DELAYS) + 1):
    begin = now()
    if i == 0:  # the request is lost: it comes with a retransmission
        c.sendall(b"question, end.")
        time.sleep(0.2)
        nft("delete", "table", "inet", "turns")
    else:
        c.sendall(b"question, ")
        if i % 10 == 5:
            time.sleep(0.004)
        c.sendall(b"end.")
    answer = c.recv(100)
    times.append(now() - begin)
    while not answer.endswith(b"the answer."):
        answer += c.recv(100)
c.close()
os.waitpid(server, 0)
def quantile(v, percent): return sorted(v)[math.ceil(len(v) * percent / 100) - 1]
print(f"pid={os.getpid()}\nserver={server}\nport={port}\nhere={here}\nanswers={len(times)}\nmax={max(times)}")
for q in 50, 95, 99:
    print(f"asks{q}={quantile(times, q)}\nslept{q}={int(quantile([0] + DELAYS, q) * 1e6)}")
END
# A server that closes connections without an answer, from which the kernel gives the memory of its sockets to later ones.
cat >"$tmp/mute.py" <<'END'
import os, socket, time
BATCH = 64
listener = socket.create_server(("127.0.0.1", 0), backlog=BATCH)
server = os.fork()
def name(n): open("/proc/self/comm", "w").write(n)
if not server:
    name("mute_server")
    for answer in [b""] * BATCH + [b"answer"] * BATCH:
        c = listener.accept()[0]
        c.recv(100)
        c.sendall(answer)
        c.close()
    os._exit(0)
name("mute_client")
old = []
for i in range(2):
    conns = [socket.create_connection(listener.getsockname()) for _ in range(BATCH)]
    for c in old:
        c.close()
    for c in conns:
        c.sendall(b"question")
        while c.recv(100):
            pass
    old = conns
    if i == 0:
        time.sleep(0.6)
os.waitpid(server, 0)
print(f"pid={os.getpid()}\nserver={server}\nanswers={BATCH}")
END
traffic python3 "$tmp/mute.py"
tool mute reqlat
for six in -4 -6; do
	traffic python3 "$tmp/turns.py" "$six"
	tool "turns$six" reqlat
	tool "slow$six" reqlat -m 50
done
start_waiting ip netns exec "$NETNS" python3 "$tmp/turns.py" -4
traffic_waiting
tool old reqlat
wait "$WAITING"

check_rows <<'END'
def least(us): # of the bucket of a time
    step = max(1, (1 << us.bit_length()) // 16)
    return us // step * step
for label in "turns-4", "turns-6", "old":
    v, r = said(label), {row["side"]: row for row in rows(label)}
    eq(sorted(r), ["asks", "serves"], f"{label}: sides")
    eq(only(r["asks"], "comm", "pid", "raddr", "port", "answers"),
        ("turn_client", v["pid"], v["here"], v["port"], v["answers"]), f"{label}: who asks")
    eq(only(r["serves"], "comm", "pid", "raddr", "port", "answers"),
        ("turn_server", v["server"], v["here"], v["port"], v["answers"]), f"{label}: who serves")
    for q in 50, 95, 99:
        asks, serves = r["asks"][f"p{q}_us"], r["serves"][f"p{q}_us"]
        eq(least(v[f"slept{q}"]) <= serves <= asks <= v[f"asks{q}"], True,
            f"{label}: p{q}: {v[f'slept{q}']}, {serves}, {asks}, {v[f'asks{q}']}")
    eq(200000 <= r["asks"]["max_us"] <= v["max"], True, f"{label}: a lost request: {r['asks']['max_us']}, {v['max']}")
    eq(120000 <= r["serves"]["max_us"] < 200000, True, f"{label}: the slowest answer: {r['serves']['max_us']}")
v, mute = said("mute"), [row for row in rows("mute") if row.get("comm", "").startswith("mute_")]
eq(sorted(only(row, "comm", "pid", "side", "answers") for row in mute),
    sorted([("mute_client", v["pid"], "asks", v["answers"]), ("mute_server", v["server"], "serves", v["answers"])]), "mute: answers")
eq(max(row["max_us"] for row in mute) < 500000, True, f"mute: times of {[row['max_us'] for row in mute]}")
for label in "slow-4", "slow-6":
    v = said(label)
    slow = [only(row, "comm", "side", "port") for row in rows(label)]
    eq(slow, [("turn_client", "asks", v["port"]), ("turn_server", "serves", v["port"]), ("turn_client", "asks", v["port"])],
        f"{label}: the lost request and the slowest answer")
END
