# SPDX-License-Identifier: GPL-2.0-or-later
# Reads rows of pktpath (path.sh) and compares them with what was sent.
import collections
import json
import sys

rows, a, b, c, more = sys.argv[1:]
packets = collections.OrderedDict()
for line in open(rows):
    if not line.startswith("{"):  # of the triggers
        continue
    row = json.loads(line)
    packets.setdefault(row["id"], []).append(row)

OUT = ["send", "output", "postrouting", "queue"]
IN = ["driver-in", "device-in", "prerouting"]
ROUTED = IN + ["forward", "postrouting", "queue", "transmit"] + IN
MORE = set(more.split())  # those that only functions show


def stages(packet):
    return [row["stage"] for row in packet if row["stage"] not in MORE]


def check(condition, text, packet=None):
    if not condition:
        print(text)
        for row in packet or []:
            print(row)
        sys.exit(1)


def of_port(port):
    return [p for p in packets.values() if p[0]["dport"] == port and p[0]["zone"] == a]


for packet in packets.values():
    total = sum(row["us"] for row in packet)
    check(abs(total - packet[-1]["total_us"]) < 0.01, "the stages' times are not the whole", packet)
    check(len({row["packet"] for row in packet}) == 1, "two numbers", packet)

# Datagrams that arrive: the first waits for its neighbour, the others for the queue.
read = of_port(7001)
check(len(read) == 4, f"{len(read)} datagrams that arrive")
for i, packet in enumerate(read):
    last = IN + ["input", "socket-in", "drop"]
    seen = stages(packet)
    queued = [s for s in seen if s in ("enqueue", "dequeue")]
    check(queued in ([], ["enqueue", "dequeue"]), "the queue", packet)
    rest = [s for s in seen if s not in queued]
    check(rest == OUT + ["transmit"] + ROUTED[:-3] + last, "stages of a datagram", packet)
    spaces = [row["zone"] for row in packet]
    del spaces[-1]
    check(spaces == sorted(spaces, key=[a, b, c].index), "namespaces in order", packet)
    check(packet[0]["comm"] == "udp_send" and packet[0]["pid"] > 0, "the sender", packet)
    check(packet[-2]["comm"].startswith("python3"), "the receiver", packet)
    check(packet[-1]["us"] > 300000, "the receiver left it unread, and ended", packet)
    check(packet[0]["saddr"] == "10.78.5.1" and packet[-1]["saddr"] == "10.78.6.2", "translation", packet)
    forward = next(row for row in packet if row["stage"] == "forward")
    check(forward["saddr"] == "10.78.5.1", "before translation", packet)
neighbour = next(row for row in read[0] if row["stage"] == "queue")  # behind neigh-wait, if that is seen
check(neighbour["us"] > 250000, "the neighbour was late", read[0])
# 100 kbit/s: 83 ms for each datagram of 1042 bytes; the bucket holds one
waits = [row["us"] for p in read[1:] for row in p if row["stage"] == "dequeue"]
check(len(waits) >= 2 and max(waits) > 100000, f"the queue's times {waits}")

# Datagrams that a rule stops.
dropped = of_port(7003)
check(len(dropped) == 2, f"{len(dropped)} datagrams that a rule stops")
for packet in dropped:
    check(stages(packet)[-4:] == IN + ["drop"], "stages of a dropped datagram", packet)
    check(packet[-1]["reason"] == "NETFILTER_DROP" and packet[-1]["zone"] == c, "the reason", packet)
    check(all(row["reason"] is None for row in packet[:-1]), "reasons before the end", packet)

# TCP: each segment that leaves arrives as the same packet, and each byte was in one that was read.
segments = of_port(7002)
check(len(segments) > 4, f"{len(segments)} segments of {sorted({p[0]['dport'] for p in packets.values()})}", segments and segments[0])
for packet in segments:
    seen = stages(packet)
    # a handshake's segments, and acknowledgments, come of no call
    check(seen[seen[0] == "send" :][: len(OUT)] == OUT[1:] + ["transmit"], "a segment leaves", packet)
    check("socket-in" in seen and seen.count("socket-in") == 1, "a segment arrives", packet)
called = [p for p in segments if p[0]["stage"] == "send"]
check(called and all(p[0]["comm"].startswith("python3") for p in called), f"{len(called)} segments of calls")
waited = [row for p in segments for row in p if row["stage"] == "read"]
check(len(waited) > 1 and all(row["comm"].startswith("python3") for row in waited), f"segments are read: {waited}")
check(max(row["us"] for row in waited) > 300000, f"the reader slept: {waited}")
