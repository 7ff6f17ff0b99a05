# SPDX-License-Identifier: GPL-2.0-or-later
"""streams: makes streams of frames (docs/STREAM.md) from events, and says what dwire merge must make of them.

An independent model: states are added up here in Python, so nothing of dwire is checked against itself.
"""
import json
import math
import random

FUNCTIONS = ("count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize", "llquantize")
LQUANTIZE = {"base": -100, "limit": 100, "step": 10}
LLQUANTIZE = {"factor": 10, "from": 0, "to": 2, "steps": 10}
BOUNDS = [k * 10**m for m in range(3) for k in range(1, 10)] + [1000]
STACKS = len(FUNCTIONS) # the number of an aggregation whose keys are stacks


def bucket(fn, v):
    """The index of the bucket of a distribution that v falls into."""
    if fn == "quantize":
        return 63 if v == 0 else 63 + abs(v).bit_length() if v > 0 else 63 - abs(v).bit_length()
    if fn == "llquantize":
        return sum(bound <= v for bound in BOUNDS)
    base, limit, step = LQUANTIZE["base"], LQUANTIZE["limit"], LQUANTIZE["step"]
    return 0 if v < base else (limit - base) // step + 1 if v >= limit else (v - base) // step + 1


def low(fn, i):
    """The least value of a bucket."""
    if fn == "quantize":
        return 0 if i == 63 else 1 << (i - 64) if i > 63 else -(1 << (62 - i))
    return LQUANTIZE["base"] + (i - 1) * LQUANTIZE["step"]


def number(v):
    """An integer as a stream has it: text beyond 2^53."""
    return v if abs(v) <= 1 << 53 else str(v)


def state(fn, values):
    """The state of an aggregation after these values."""
    if fn == "count":
        return len(values)
    if fn == "sum":
        return number(sum(values))
    if fn in ("min", "max"):
        return number(min(values) if fn == "min" else max(values))
    if fn == "avg":
        return [len(values), number(sum(values))]
    if fn == "stddev":
        return [len(values), number(sum(values)), str(sum(v * v for v in values))]
    counts = {}
    for v in values:
        counts[bucket(fn, v)] = counts.get(bucket(fn, v), 0) + 1
    return [[i, n] for i, n in sorted(counts.items())]


def towards_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shown(fn, values):
    """The number that printa() shows of it."""
    if fn == "count":
        return len(values)
    if fn == "sum":
        return sum(values)
    if fn in ("min", "max"):
        return min(values) if fn == "min" else max(values)
    mean = towards_zero(sum(values), len(values))
    if fn == "avg":
        return mean
    return math.isqrt(max(0, sum(v * v for v in values) // len(values) - mean * mean))


class Stream:
    """The frames of one session. steps: a printa() after each part of the events; else the end shows them."""

    def __init__(self, host, script="model"):
        self.session = "%016x" % random.getrandbits(64)
        self.frames = []
        self.clauses = 0
        self.add("hello", v=1, dwire="0", host=host, boot_id="", kernel="6.1", machine="x86_64", tiers=["hooks"],
                 clock={"wall": 0, "mono": 1000}, hash=script, script="", options=["quiet=1"])

    def add(self, kind, **members):
        self.frames.append(json.dumps({"s": self.session, "n": len(self.frames), "f": kind, **members}))

    def describe(self):
        """An aggregation of each function, and a clause that prints those with one number."""
        for i, fn in enumerate(FUNCTIONS):
            keys = [{"name": "k", "type": "string"}, {"type": "int", "size": 8, "signed": True}]
            extra = {"lquantize": LQUANTIZE, "llquantize": LLQUANTIZE}.get(fn, {})
            self.add("agg", agg=i, name=fn, fn=fn, keys=keys, **extra)
        self.add("agg", agg=STACKS, name="stacks", fn="count", keys=[{"type": "stack"}, {"type": "int", "size": 4}])
        actions = [{"action": "printa", "format": "%s %d %@d\n", "aggs": [i], "columns": []} for i in range(6)]
        probe = {"id": 7, "provider": "profile", "module": "", "function": "", "name": "tick-1s"}
        self.add("clause", clause=0, probe=probe, quiet=True, step=True, actions=actions)

    def states(self, events, gen=0, whole=True, keys=None):
        """The states of all aggregations after events, pairs of a key and a value."""
        for i, fn in enumerate(FUNCTIONS):
            rows = [[list(k), state(fn, v)] for k, v in by_key(events).items() if keys is None or k in keys]
            members = {"part": 0} if whole else {}
            self.add("state", agg=i, gen=gen, rows=rows, **members)
        rows = [[[{"frames": ["vmlinux`f+0x%x" % i for i in range(n)]}, n % 2], len(v)]
                for n, v in by_key([(v % 7, v) for k, v in events if keys is None or k in keys]).items()]
        if keys is None:
            self.add("state", agg=STACKS, gen=gen, rows=rows, **({"part": 0} if whole else {}))

    def step(self, number, t):
        self.add("row", clause=0, t=t, cpu=0, step=number, out=[[i] for i in range(6)])

    def end(self):
        self.add("rest", aggs=list(range(STACKS + 1)))
        self.add("end", status=0)


def by_key(events):
    """Key -> its values."""
    out = {}
    for k, v in events:
        out.setdefault(k, []).append(v)
    return out


def printed(events):
    """What the clause prints: rows by value, then by key."""
    text = ""
    for fn in FUNCTIONS[:6]:
        rows = [(shown(fn, v), k) for k, v in by_key(events).items()]
        rows.sort(key=lambda r: (r[0], r[1][0].encode(), r[1][1] & (1 << 64) - 1))
        text += "".join("%s %d %d\n" % (k[0], k[1], n) for n, k in rows)
    return text


def random_events(n):
    """Values of all sizes whose sums fit 64 bits."""
    keys = [(name, number) for name in ("curl", "nginx: worker", "ä\tb", "") for number in (-1, 0, 80, 1 << 40)]
    sizes = (1, 10, 1000, 1 << 20, 1 << 40)
    return [(random.choice(keys), random.randint(-1, 1) * random.randrange(random.choice(sizes))) for _ in range(n)]
