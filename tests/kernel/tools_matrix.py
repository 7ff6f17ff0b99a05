"""tools_matrix: tools with all their options, against processes (tools_world.py) that make what each filter must drop.

Input: dwire, a folder, cgroups, two namespaces, a file of Python that says of each tool what a flow is to it:
    tool(NAME, KIND, client=N, server=N, listen=N, ...)   so many events at each end of a flow of that kind
Output: a line for each thing that is wrong; exit status 1 then.
Each tool runs with all its filters over IPv4 in JSON, over IPv6 in CSV, with a filter that nothing passes, in text of 80
columns and in wide text. As each flow differs from the base in one thing, the counts are exact only if each filter works.
DWIRE_TOOL=NAME in the environment: that tool only, and what it prints on stderr.
"""
import csv
import json
import os
import re
import subprocess
import sys

import tools_world as world

DWIRE, TMP, CGROUPS, NET, NET2, TABLE = sys.argv[1:7]
NOT_OPTIONS = {"-d", "--command", "--json", "--csv", "--program", "-h"}
NOBODY = "203.0.113.0/24,2001:db8:ffff::/48"
NAME = world.NAME.decode()
NAME_CSV = NAME.replace("\x01", "\\x01")  # a control character may reach a terminal
WEIGHTS = ("count", "writes", "segments", "connects", "retransmits")
done = open(f"{TMP}/done")
assert done.readline() == "ready\n", "the processes do not start"
pids = json.load(open(f"{TMP}/pids"))
failed = 0
base_port = 10000
with open(f"{TMP}/round", "w") as f:
    f.write(f"#!/bin/sh\necho $1 $2 >{TMP}/go\nread x <{TMP}/done\nexec sleep ${{3:-0}}\n")
os.chmod(f"{TMP}/round", 0o755)


def fail(*words):
    global failed
    failed += 1
    print("FAILED:", *words, flush=True)


def eq(got, want, *what):
    if got != want:
        fail(*what, f"got {got!r}, want {want!r}")


class Tool:
    def __init__(self, name, kind, client=0, server=0, listen=0, bind=0, once=0, measure=None, port="either", own=(), args=(),
                 linger=0, tables=False, columns=80, names=True, empty=0):
        self.name, self.kind, self.own, self.args = name, kind, list(own), list(args)
        self.linger, self.tables, self.columns, self.names = linger, tables, columns, names
        self.ends = {"client": client, "server": server, "listen": listen, "bind": bind, "once": once}
        self.measure = measure or weight
        self.port, self.empty = port, empty  # empty: of the columns in wide text
        self.help = subprocess.run([DWIRE, name, "-h"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.options = set(re.findall(r"^  (--?[\w-]+)", self.help, re.M)) - NOT_OPTIONS
        self.ports = set(re.findall(r"^  (-[PLD]) PORT", self.help, re.M))
        self.arguments = re.findall(r"^  ([a-z]+) ", self.help, re.M)

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
        flows = [(f, i, e) for f in world.FLOWS for i in world.FAMILIES for e in tool.ends]
        return sum(per(tool, f, i, e) for f, i, e in flows if self.passes(f, i, e))


def per(tool, flow, family, end):
    n = tool.ends[end]
    return n(said()[f"{flow}{family}"]) if callable(n) else n


def said():
    return json.load(open(f"{TMP}/said"))


# ---- runs --------------------------------------------------------------------------------------------------------------
def ports():
    global base_port
    base_port += 4
    return base_port


def run(tool, args, form="text", base=None):
    """Output of a run while the flows are made once."""
    command = f"{TMP}/round {tool.kind} {base or ports()} {tool.linger}"
    argv = [DWIRE, tool.name, *tool.own, *args, *({"json": ["--json"], "csv": ["--csv"]}.get(form, [])), *tool.args]
    try:
        r = subprocess.run([*argv, "--command", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=20, check=False)
    except subprocess.TimeoutExpired:
        fail(*argv[1:], "does not end")
        return ""
    err = re.sub(rb"dwire: pid \d+ has exited\n", b"", r.stderr).decode(errors="replace")
    if os.environ.get("DWIRE_TOOL"):
        print(*argv[1:], "\n" + r.stdout.decode(), file=sys.stderr)
    if r.returncode or err:
        fail(*argv[1:], "returned", r.returncode, err[:400])
    return r.stdout.decode()


def rows_of(tool, args, text, form):
    try:
        if form == "json":
            rows = [json.loads(line) for line in text.splitlines()]
            if not all(isinstance(r, dict) and r for r in rows):
                raise ValueError("a row is no object")
            return rows
        table = list(csv.reader(text.splitlines(), strict=True))
        names, rest = table[0], table[1:]
        if not tool.tables and any(len(r) != len(names) for r in rest):
            raise ValueError(f"rows are not as long as the names: {names} {[r for r in rest if len(r) != len(names)][0]}")
        return [dict(zip(names, r)) for r in rest]
    except (ValueError, csv.Error, IndexError) as e:
        fail(tool.name, *args, f"--{form}:", e, text[:300])
        return []


def check_name(tool, args, rows, form):
    want = NAME_CSV if form == "csv" else NAME
    for name in {r[k] for r in rows for k in ("comm", "process") if k in r} - {want}:
        fail(tool.name, *args, f"the name of a process: {name!r} for {want!r}")


def counted(tool, names, form):
    f = Filters(tool, names, ports())
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
    """Rows of 80 columns where addresses are short, and neat where they are not."""
    f = Filters(tool, ["--netns", "-p", "--cgroup", "--container", "--host", "-L", "-D", "-6"], ports())
    for line in run(tool, f.args(), base=f.base).replace("\033[H\033[J", "").splitlines():
        if len(line) > tool.columns:
            fail(tool.name, *f.args(), f"{len(line)} columns: {line}")
            break
    wide = [o for o in ("-t", "-T", "-w") if tool.has(o)]
    if not wide:
        return
    f = Filters(tool, ["--netns", "-p"], ports())
    lines = [x for x in run(tool, [*f.args(), *wide], base=f.base).splitlines() if x]
    check_wide(tool, [*f.args(), *wide], lines)


def check_wide(tool, args, lines):
    """The names of the columns are above them, each column has something, and there is a time for -t and -T."""
    at = next((i for i, x in enumerate(lines) if re.fullmatch(r"[ A-Z_:>-]*(\(u?s\)[ A-Z_:>-]*)*", x)), None)
    if not tool.names:
        return
    if at is None:
        fail(tool.name, *args, "no names above the columns:", lines[:2])
        return
    head, rows = lines[at], lines[at + 1:]
    if not rows:
        fail(tool.name, *args, "no rows")
    for option, name, form in (("-t", "TIME" if tool.name == "tcplife" else "TIME(s)", r"\d+\.\d{3}"),
                               ("-T", "TIME", r"\d\d:\d\d:\d\d")):
        form = r"\d\d:\d\d:\d\d" if name == "TIME" else form
        if option in args and not (name in head.split() and all(re.search(rf"(^| ){form} ", r) for r in rows)):
            fail(tool.name, *args, f"no {name}:\n{head}\n{rows[:1]}")
    for row in rows:
        if "-w" in args and len(row.split()) < len(head.split()) - tool.empty:
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
        return None
    t = Tool(name, kind, **keys)
    check_options(t, options)
    counted(t, FIRST, "json")
    if not once_more:
        return t
    counted(t, SECOND, "csv")
    nothing(t)
    check_text(t)
    return t


with open(TABLE) as f:
    exec(compile(f.read(), TABLE, "exec"))
sys.exit(failed != 0)
