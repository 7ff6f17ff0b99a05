# SPDX-License-Identifier: GPL-2.0-or-later
"""filters: tools with all their options, against processes (filters_world.py) that make what each filter must drop.

Input: dwire, a folder, cgroups, two namespaces, a file of Python that says of each tool what a flow is to it:
    tool(NAME, KIND, client=N, server=N, listen=N, ...)   so many events at each end of a flow of that kind
Output: a line for each thing that is wrong; exit status 1 then.
Each tool runs with all its filters over IPv4 in JSON, over IPv6 in CSV, with a filter that nothing passes, in text of 80
columns and in wide text. As each flow differs from the base in one thing, the counts are exact only if each filter works.
What is checked of a run is a thread, which waits for it; runs that want the same flows are one batch, and see them together.
DWIRE_TOOL=NAME in the environment: that tool only, and what it prints on stderr.
"""
import ast
import csv
import fcntl
import itertools
import json
import os
import re
import subprocess
import sys
import threading
import time

import filters_world as world

DWIRE, TMP, CGROUPS, NET, NET2, TABLE = sys.argv[1:7]
NOT_OPTIONS = {"-d", "--command", "--everyone", "--json", "--csv", "--csvsafe", "--program", "-h"}
NOBODY = "203.0.113.0/24,2001:db8:ffff::/48"
NAME = world.NAME.decode()
NAME_CSV = NAME.replace("\x01", "\\x01")  # a control character may reach a terminal
WEIGHTS = ("count", "writes", "segments", "connects", "retransmits")
done = open(f"{TMP}/done")
assert done.readline() == "ready\n", "the processes do not start"
pids = json.load(open(f"{TMP}/pids"))
failed = 0
BATCH = 8  # a cgroup takes 64 programs of a kind
held = open(f"{TMP}/held", "w")  # a batch's commands end when it is no longer locked
with open(f"{TMP}/hold", "w") as f:
    f.write(f"#!/bin/sh\n: >$1\nexec flock -s {TMP}/held true\n")
os.chmod(f"{TMP}/hold", 0o755)


def fail(*words):
    global failed
    failed += 1
    print(" ".join(map(str, ("FAILED:", *words))) + "\n", end="", flush=True)


def eq(got, want, *what):
    if got != want:
        fail(*what, f"got {got!r}, want {want!r}")


class Tool:
    def __init__(self, name, kind, client=0, server=0, listen=0, bind=0, once=0, measure=None, port="either", own=(), args=(),
                 linger=0, columns=80, names=True, empty=0, wide=True, on_way=False, both=False):
        self.name, self.kind, self.own, self.args = name, kind, list(own), list(args)
        self.linger, self.columns, self.names = linger, columns, names
        self.ends = {"client": client, "server": server, "listen": listen, "bind": bind, "once": once}
        self.measure = measure or weight
        self.wide, self.on_way = wide, on_way  # on_way: some of its rows are of no process
        self.both = both  # an event is of both ends: that of the client stands for it
        self.port, self.empty = port, empty  # empty: of the columns in wide text
        self.help = subprocess.run([DWIRE, name, "-h"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.options = set(re.findall(r"^  (--?[\w-]+)", self.help, re.M)) - NOT_OPTIONS
        self.ports = set(re.findall(r"^  (-[PLD]) PORT", self.help, re.M))
        self.arguments = re.findall(r"^  ([a-z]+) ", self.help, re.M)
        self.summary = "interval" in self.arguments and name != "tcpreset"  # rows are of an interval, not of a moment

    def has(self, option):
        return option in self.options


def weight(row):
    """How many events the row stands for."""
    for v in row.values():
        if isinstance(v, list):
            return sum(b["count"] for b in v)
        if isinstance(v, str) and re.fullmatch(r"-?\d+:\d+( -?\d+:\d+)*", v):  # a distribution in CSV
            return sum(int(b.split(":")[1]) for b in v.split())
    return int(next((row[k] for k in WEIGHTS if k in row), 1))


# ---- what must come of options -----------------------------------------------------------------------------------------
class Filters:
    """Values for the options that a tool has, and what they let pass."""

    def __init__(self, tool, names, base):
        self.names = [n for n in names if tool.has(n) and (n not in ("-P", "-L", "-D") or n in tool.ports)]
        self.base = base
        ports = f"{base},{base + 1}"
        self.values = {
            "-p": ",".join(str(p) for n, p in pids.items() if n != "pid"), "--netns": NET,
            "--cgroup": "/" + os.path.basename(CGROUPS) + "/a", "--container": world.ID[:12],
            "-P": ports, "-L": ports, "-D": ports, "--host": f"{world.NET4},{world.NET6}", "-4": None, "-6": None,
            "-p nobody": "1", "--host nobody": NOBODY,
        }
        self.side = tool.port

    def args(self):
        return [w for n in self.names for w in (n, self.values[n]) if w is not None]

    def passes(self, flow, family, end):
        _, client, server = world.FLOWS[flow]
        port = {"client": (client, server), "server": (server, client), "listen": (server, -1), "bind": (client, -1),
                "once": (0, 0)}[end]
        within = [p in (0, 1) for p in port]
        drops = {
            "-p": flow == "pid", "--netns": flow == "netns", "--cgroup": flow == "cgroup", "--container": flow == "container",
            "--host": flow == "host", "-4": family != 4, "-6": family != 6, "-L": not within[0], "-D": not within[1],
            "-P": not {"either": any(within), "local": within[0], "remote": within[1]}[self.side],
        }
        return not any(drops[n] for n in self.names)

    def expected(self, tool):
        if tool.both:
            return sum(per(tool, f, i, "client") for f in world.FLOWS for i in world.FAMILIES
                if self.passes(f, i, "client") or self.passes(f, i, "server"))
        flows = [(f, i, e) for f in world.FLOWS for i in world.FAMILIES for e in tool.ends]
        return sum(per(tool, f, i, e) for f, i, e in flows if self.passes(f, i, e))


def per(tool, flow, family, end):
    n = tool.ends[end]
    return n(said()[f"{flow}{family}"]) if callable(n) else n


def said():
    return here.run.said


# ---- runs --------------------------------------------------------------------------------------------------------------
here = threading.local()  # run: the last one of this thread
lock = threading.Condition()
turn = threading.Lock()  # of those that trace
waiting = []  # runs
numbers = itertools.count()
threads = []
busy = 0  # threads that do not wait
bases = {}  # by kind: the base of ports that runs get
members = {}  # by base: how many got it
next_base = 10000


def ports(kind, alone=False):
    """The base of a run's ports; runs of one base are one batch."""
    global next_base
    with lock:
        base = 0 if alone else bases.get(kind, 0)
        if not base or members[base] == BATCH:
            next_base += 4
            base = next_base
            bases[kind] = 0 if alone else base
        members[base] = members.get(base, 0) + 1
        return base


class Run:
    def __init__(self, tool, args, form, base):
        self.tool, self.base, self.over = tool, base, threading.Event()
        self.argv = [DWIRE, tool.name, *tool.own, *args, *({"json": ["--json"], "csv": ["--csv"]}.get(form, [])), *tool.args]
        self.ready, self.said, self.out = f"{TMP}/ready.{next(numbers)}", {}, ""

    def begin(self):
        self.process = subprocess.Popen([*self.argv, "--everyone", "--command", f"{TMP}/hold {self.ready}"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def begun(self):
        return os.path.exists(self.ready) or self.process.poll() is not None

    def end(self):
        try:
            out, err = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            fail(*self.argv[1:], "does not end")
            return
        err = re.sub(rb"dwire: pid \d+ has exited\n", b"", err).decode(errors="replace")
        if os.environ.get("DWIRE_TOOL"):
            print(*self.argv[1:], "\n" + out.decode(), file=sys.stderr)
        if self.process.returncode or err:
            fail(*self.argv[1:], "returned", self.process.returncode, err[:400])
        self.out = out.decode()


def run(tool, args, form="text", base=None, alone=False):
    """Output of a run while the flows are made once."""
    global busy
    here.run = Run(tool, args, form, base or ports(tool.kind, alone))
    with lock:
        waiting.append(here.run)
        busy -= 1
        lock.notify_all()
    here.run.over.wait()
    return here.run.out


def batch(runs):
    """Flows are made once all runs have begun."""
    fcntl.flock(held, fcntl.LOCK_EX)
    for r in runs:
        r.begin()
    until = time.monotonic() + 30
    while not all(r.begun() for r in runs):
        if time.monotonic() > until:
            fail(*[r.argv[1:] for r in runs if not r.begun()], "does not begin")
            break
        time.sleep(0.02)
    with open(f"{TMP}/go", "w") as go:
        go.write(f"{runs[0].tool.kind} {runs[0].base}\n")
    done.readline()
    made = json.load(open(f"{TMP}/said"))
    time.sleep(max(r.tool.linger for r in runs))
    fcntl.flock(held, fcntl.LOCK_UN)
    for r in runs:
        r.said = made
        r.end()


def largest():
    """Of the batches whose runs all wait, the largest. Where nothing else goes on, whoever waits."""
    found = {r.base: [s for s in waiting if s.base == r.base] for r in waiting}
    return max((f for b, f in found.items() if len(f) == members[b] or busy == 0), key=len, default=[])


def run_all():
    """Batches, until all threads have ended."""
    global busy, waiting
    while True:
        with lock:
            lock.wait_for(lambda: busy == 0 or len(largest()) == BATCH, timeout=0.3)
            runs = largest()
            waiting = [r for r in waiting if r not in runs]
            for kind in [k for k in bases if runs and bases[k] == runs[0].base]:
                bases[kind] = 0
        if not runs and not any(t.is_alive() for t in threads):
            return
        if runs:
            with turn:
                batch(runs)
        with lock:
            busy += len(runs)
        for r in runs:
            r.over.set()


def check(f, *args):
    """A thread that checks something."""
    def body():
        global busy
        try:
            f(*args)
        except Exception as e:  # what it got was wrong; the others go on
            fail(*args[1:], repr(e))
        with lock:
            busy -= 1
            lock.notify_all()

    global busy
    with lock:
        busy += 1
    threads.append(threading.Thread(target=body, daemon=True))
    threads[-1].start()


def rows_of(tool, args, text, form):
    try:
        if form == "json":
            rows = [json.loads(line) for line in text.splitlines()]
            if not all(isinstance(r, dict) and r for r in rows):
                raise ValueError("a row is no object")
            return rows
        table = list(csv.reader(text.splitlines(), strict=True))
        names, rest = table[0], table[1:]
        if any(len(r) != len(names) for r in rest):
            raise ValueError(f"rows are not as long as the names: {names} {[r for r in rest if len(r) != len(names)][0]}")
        return [dict(zip(names, r)) for r in rest]
    except (ValueError, csv.Error, IndexError) as e:
        fail(tool.name, *args, f"--{form}:", e, text[:300])
        return []


def check_name(tool, args, rows, form):
    want = NAME_CSV if form == "csv" else NAME
    none = {""} if form == "csv" else set()  # a row that has no such column
    for name in {r[k] for r in rows for k in ("comm", "process") if k in r and not (tool.on_way and r["pid"] in (None, ""))} - {want} - none:
        fail(tool.name, *args, f"the name of a process: {name!r} for {want!r}")


def counted(tool, names, form):
    f = Filters(tool, names, ports(tool.kind))
    rows = rows_of(tool, f.args(), run(tool, f.args(), form, f.base), form)
    eq(sum(tool.measure(r) for r in rows), f.expected(tool), tool.name, *f.args(), f"--{form}:")
    check_name(tool, f.args(), rows, form)
    return rows


def nothing(tool):
    name = "--host" if tool.has("--host") else "-p"
    if not tool.has(name):
        return
    args = ["--netns", NET, name, NOBODY if name == "--host" else "1"]
    eq(run(tool, args, "json"), "", tool.name, *args, "--json")


def check_text(tool):
    """Rows of 80 columns where addresses are short."""
    f = Filters(tool, ["--netns", "-p", "--cgroup", "--container", "--host", "-L", "-D", "-6"], ports(tool.kind))
    for line in run(tool, f.args(), base=f.base).replace("\033[H\033[J", "").splitlines():
        if len(line) > tool.columns:
            fail(tool.name, *f.args(), f"{len(line)} columns: {line}")
            break


def check_wide_text(tool):
    if not tool.wide:
        return
    wide = ["-t", "-T", "--wide"]
    f = Filters(tool, ["--netns", "-p"], ports(tool.kind))
    lines = [x for x in run(tool, [*f.args(), *wide], base=f.base).splitlines() if x]
    if tool.has("-w"):  # the others have no line of names, or only sometimes
        check_wide(tool, [*f.args(), *wide], lines)


def check_wide(tool, args, lines):
    """The names of the columns are above them, each column has something, and there is a time for -t and -T."""
    at = next((i for i, x in enumerate(lines) if re.fullmatch(r"[ A-Z_:>-]*(\(u?s\)[ A-Z_:>-]*)*", x)), None)
    if not tool.names:
        return
    if at is None:
        fail(tool.name, *args, "no names above the columns:", lines[:2])
        return
    head = lines[at]
    rows = [x for x in lines[at + 1:] if x != head and not re.fullmatch(r"\d\d:\d\d:\d\d  interval \d+|\.\.\. \d+ more|.*  load: .*", x)]
    if not rows:
        fail(tool.name, *args, "no rows")
    for option, name, form in (("-t", "TIME(s)", r"\d+\.\d{3}"),
                               ("-T", "TIME", r"\d\d:\d\d:\d\d")):
        if option == "-t" and tool.name in ("tcpsnoop", "udpsnoop"):  # seconds are what they begin with
            continue
        if not tool.summary and not (name in head.split() and all(re.search(rf"(^| ){form} ", r) for r in rows)):
            fail(tool.name, *args, f"no {name}:\n{head}\n{rows[:1]}")
    for row in rows:
        if len(row.split()) < len(head.split()) - tool.empty:
            fail(tool.name, *args, f"columns run together:\n{head}\n{row}")
            return


def check_options(tool, want):
    missing = [o for o in want.split() if not tool.has(o) and o not in tool.arguments]
    if missing:
        fail(tool.name, "has no", *missing)


FIRST = ["-p", "--netns", "--cgroup", "--container", "-L", "-D", "--host", "-4"]
SECOND = ["-p", "--netns", "--cgroup", "--container", "-P", "--host", "-6"]


def tool(name, kind, options="", once_more=True, **keys):
    only = os.environ.get("DWIRE_TOOL")
    if only and only != name:
        return
    t = Tool(name, kind, **keys)
    check_options(t, options)
    check(counted, t, FIRST, "json")
    if once_more:
        check(counted, t, SECOND, "csv")
        for f in nothing, check_text, check_wide_text:
            check(f, t)


def groups(statements):
    """Statements of which none needs a name that another group sets."""
    setter, all_groups = {}, []
    for s in statements:
        names = [n for n in ast.walk(s) if isinstance(n, ast.Name)]
        own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
        needs = [setter[n.id] for n in names if n.id in setter and n.id not in own]
        group = needs[-1] if needs else []
        if not needs:
            all_groups.append(group)
        group.append(s)
        setter.update(dict.fromkeys(own, group))
    return all_groups


def run_group(statements):
    exec(compile(ast.Module(statements, []), TABLE, "exec"), dict(globals()))


def run_table(text):
    """Definitions and what is above the last of them first, then the rest, a thread a group."""
    body = ast.parse(text, TABLE).body
    first = max((i + 1 for i, s in enumerate(body) if isinstance(s, ast.FunctionDef)), default=0)
    exec(compile(ast.Module(body[:first], []), TABLE, "exec"), globals())
    for g in groups(body[first:]):
        check(run_group, g)


with open(TABLE) as f:
    run_table(f.read())
run_all()
sys.exit(failed != 0)
