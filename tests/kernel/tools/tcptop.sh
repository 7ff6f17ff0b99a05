# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# tcptop compares what TCP itself has counted: a connection that is older than the trace has only the bytes since then,
# whether it ends or stays open; one that begins and ends between two walks has all of its own, and so has one at the
# same address in memory; each byte is in one interval, also in the last, unfinished one. The same without CAP_SYS_ADMIN,
# by segments. And -x walkend.
. "$here/tools/json.lib"
need python3
netns_new top
mkfifo "$tmp/go" "$tmp/done" "$tmp/bye"
cat >"$tmp/talk.py" <<'END'
import os, signal, socket, sys, time
os.chdir(sys.argv[1])
signal.alarm(50)
listener = socket.create_server(("127.0.0.1", 0))
def pair():
    c = socket.create_connection(listener.getsockname())
    return c, listener.accept()[0]
sent = {}
def send(name, a, b, n):
    a.sendall(bytes(n))
    got = 0
    while got < n:
        got += len(b.recv(n))
    port = a.getsockname()[1]
    sent[name] = port, sent.get(name, (0, 0))[1] + n
stays, ends = pair(), pair()
send("before", *stays, 30000)
send("before", *ends, 40000)
print("ready", flush=True)
open("go").read()
for n in range(6):                    # over several intervals
    send("stays", *stays, 1000)
    send("ends", *ends, 2000)
    time.sleep(0.25)
for s in ends:
    s.close()
for n in range(20):                   # they come at addresses that others have left
    p = pair()
    send(f"short{n}", *p, 4000 + n)
    for s in p:
        s.close()
send("stays", *stays, 5)              # in the unfinished interval
for name, (port, n) in sent.items():
    print(f"{name}_port={port}\n{name}={n}", flush=True)
open("done", "w").close()
open("bye").read()                    # stays is open when the trace ends
END
printf '#!/bin/sh\n: >%q\ncat %q\n' "$tmp/go" "$tmp/done" >"$tmp/traffic"
printf '#!/bin/sh\nexec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin %q "$@"\n' "$dwire" >"$tmp/weak"
chmod +x "$tmp/traffic" "$tmp/weak"
top() { # LABEL
	local talker
	ip netns exec "$NETNS" python3 "$tmp/talk.py" "$tmp" >"$tmp/trigger" &
	talker=$!
	until grep -qs ready "$tmp/trigger"; do sleep 0.1; done
	tool "$1" tcptop -n 1000 0.4
	: >"$tmp/bye"
	wait $talker
}
top walks
# Where perf events are for CAP_SYS_ADMIN alone (Debian's kernels), dwire says that it has a clock of its own.
tool_told='tick probes are fired by a timer of dwire'
dwire=$tmp/weak top segments
expect_match "$("$dwire" tcptop --program)" 'walkend' "walks"
[[ $("$tmp/weak" tcptop --program) != *walkend* ]] || fail "walks without CAP_SYS_ADMIN"
check_rows <<'END'
from collections import Counter
for label in "walks", "segments":
    v = said(label)
    got, want, parts = Counter(), Counter(), Counter()
    for r in rows(label):
        parts[r["lport"]] += 1
        got[r["lport"], "out"] += r["tx_bytes"]
        got[r["rport"], "in"] += r["rx_bytes"]
    for name in ["stays", "ends"] + [f"short{n}" for n in range(20)]:
        want[v[f"{name}_port"], "out"] = want[v[f"{name}_port"], "in"] = v[name]
    eq({k: n for k, n in got.items() if k in want}, dict(want), f"{label}: bytes since the trace began")
    eq(sum(got.values()), sum(want.values()), f"{label}: no other bytes")
    eq(parts[v["stays_port"]] > 2 and parts[v["ends_port"]] > 2, True, f"{label}: rows in several intervals: {parts}")
END

# Another walk after exit(), without sockets:::done; what other probes do is over by then.
walked() { # OPTION…: walks ended, listeners of the namespace walked over, the last one, ticks, as END sees them
	"$dwire" -q "$@" -n 'sockets:::tcp-open / args[1]->cs_netns == $1 && args[0]->os_listens / { n++; seen = args[2]->tcps_lport; }
		sockets:::done { done++; } tick-50ms { ticks++; } tick-50ms / ticks == 3 / { exit(0); }
		END { printf("%d %d %d %d\n", done, n, seen, ticks); }' "$NETNS_ID"
}
ip netns exec "$NETNS" python3 -c 'import socket, time; s = socket.create_server(("127.0.0.1", 7707)); time.sleep(50)' &
listener=$!
until [ -n "$(ip netns exec "$NETNS" ss -Hltn)" ]; do sleep 0.1; done
expect_eq "$(walked)" "1 1 7707 3" "one walk"
expect_eq "$(walked -x walkend)" "1 2 7707 3" "-x walkend"
kill $listener
