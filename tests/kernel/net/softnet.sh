# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 90
# softnet: packets, squeezes and backlogs of the CPUs' softirqs against /proc/net/softnet_stat, and the time from a driver
# to a socket against a chain of rules that takes long.
need python3
need jq
netns_new slow
ns=$NETNS
ip -n "$ns" link set lo up
budget=$(</proc/sys/net/core/netdev_budget)
weight=$(</proc/sys/net/core/dev_weight)
at_exit 'echo "$budget" >/proc/sys/net/core/netdev_budget; echo "$weight" >/proc/sys/net/core/dev_weight'

counted() { # COLUMN: of all CPUs
	python3 -c 'import sys; print(sum(int(line.split()[int(sys.argv[1])], 16) for line in open("/proc/net/softnet_stat")))' "$1"
}
softnet() { # COMMAND: its rows of CPUs in $tmp/rows; DONE, SQUEEZED: the kernel's counts, from outside
	local n p s
	p=$(counted 0) s=$(counted 2)
	printf '#!/bin/bash\n%s\n' "$1" >"$tmp/run"
	chmod +x "$tmp/run"
	"$dwire" softnet --json --everyone --command "$tmp/run" >"$tmp/out" 2>"$tmp/err" || fail "softnet: $(<"$tmp/err")"
	DONE=$(($(counted 0) - p)) SQUEEZED=$(($(counted 2) - s))
	grep '^{' "$tmp/out" >"$tmp/rows"
	for n in polled squeezed; do
		printf -v "$n" %s "$(jq -s "map(select(.runs).$n) | add" "$tmp/rows")"
	done
}

packets() { # each datagram is a packet of the backlog
	softnet "ip netns exec $ns udp_echo -4 -n 2000"
	echo "$polled packets of $DONE"
	((polled >= 4000 && polled <= DONE && squeezed <= SQUEEZED)) || echo "FAILED: $polled packets of $DONE, $squeezed squeezes of $SQUEEZED"
}
measure packets

squeezes() { # a CPU stops after each packet
	echo 1 >/proc/sys/net/core/netdev_budget
	softnet "ip netns exec $ns udp_echo -4 -n 500"
	echo "$budget" >/proc/sys/net/core/netdev_budget
	echo "$squeezed squeezes of $SQUEEZED"
	# 1000 packets; others may stop too, before the trace begins
	((squeezed >= 900 && squeezed <= SQUEEZED)) || echo "FAILED: $squeezed squeezes of $SQUEEZED"
}
measure squeezes

# Sockets: the rules of a chain take most of the time of a round.
python3 - >"$tmp/rules" <<'END'
print("table ip slow { chain in { type filter hook input priority 0;")
for port in range(1, 4001):
    print(f"udp dport 7799 udp sport {port} drop")
print("}; }")
END
ip netns exec "$ns" nft -f "$tmp/rules" || skip "no nft"
cat >"$tmp/rounds.py" <<'END'
import os, socket, sys, time
a, b = socket.socket(2, 2), socket.socket(2, 2)
a.bind(("127.0.0.1", 7799))
open("/proc/self/comm", "w").write("slow_reader")
times = []
for _ in range(50):
    began = time.monotonic_ns()
    b.sendto(b"x", ("127.0.0.1", 7799))
    a.recv(10)
    times.append(time.monotonic_ns() - began)
print(f"best={min(times) // 1000}", file=open(sys.argv[1], "w"))
END
slow() {
	softnet "exec ip netns exec $ns python3 $tmp/rounds.py $tmp/said"
	local best p50 packets
	best=$(sed -n 's/^best=//p' "$tmp/said")
	p50=$(jq -s 'map(select(.comm == "slow_reader").socket_p50_us) | max // 0' "$tmp/rows")
	packets=$(jq -s 'map(select(.comm == "slow_reader").packets) | add // 0' "$tmp/rows")
	echo "$p50 us to the socket, $best us a round"
	((packets == 50 && p50 >= best / 2)) || echo "FAILED: $packets packets, $p50 us to the socket, $best us a round"
}
measure slow

# Backlogs: each CPU's fills while it is busy with the rules. A process on one CPU sends more than the other one takes, polls
# take one packet, and the kernel's own count is read when all are sent.
rps=/sys/class/net/lo/queues/rx-0/rps_cpus
if [ "$(nproc)" -lt 2 ] || [ "$(awk '{ print NF; exit }' /proc/net/softnet_stat)" -lt 13 ] ||
	! ip netns exec "$ns" sh -c "echo 2 >$rps" 2>/dev/null; then
	echo "no backlog of another CPU, or the kernel does not count it: not tested"
	exit $failed
fi
cat >"$tmp/burst.py" <<'END'
import os, socket, sys, time
a, b = socket.socket(2, 2), socket.socket(2, 2)
a.bind(("127.0.0.1", 7799))
os.sched_setaffinity(0, {0})
def backlog():
    return next(int(v[11], 16) for v in map(str.split, open("/proc/net/softnet_stat")) if int(v[12], 16) == 1)
b.sendto(b"x", ("127.0.0.1", 7799))
a.recv(10)
time.sleep(0.1)
for _ in range(150):
    b.sendto(b"x", ("127.0.0.1", 7799))
n = backlog()
for _ in range(150):
    a.recv(10)
print(f"backlog={n}", file=open(sys.argv[1], "w"))
END
backlog() {
	echo 1 >/proc/sys/net/core/dev_weight
	softnet "exec ip netns exec $ns python3 $tmp/burst.py $tmp/said"
	echo "$weight" >/proc/sys/net/core/dev_weight
	local there seen
	there=$(sed -n 's/^backlog=//p' "$tmp/said")
	seen=$(jq -s 'map(select(.runs and .cpu == 1).backlog_max) | max // 0' "$tmp/rows")
	echo "$seen packets in the backlog, $there when all were sent"
	# those of others wait there, too
	((there >= 50 && seen >= there && seen <= 250)) || echo "FAILED: $seen packets in the backlog, $there when all were sent"
}
measure backlog
