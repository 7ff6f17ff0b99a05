# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# Options that only some tools have, and intervals (filters.py).
. "$here/tools/filters.lib"
matrix_begin
matrix_run <<'PY'
import shutil

HERE = 2 * (len(world.FLOWS) - 1)  # flows in the namespace, over both families


def own(name, kind, *args, form="json"):
    t = Tool(name, kind)
    argv = ["--netns", NET, *args] if t.has("--netns") else list(args)
    text = run(t, argv, form)
    return text if form == "text" else rows_of(t, argv, text, form)


def intervals(some):
    runs = {}
    for n in some:
        argv = [DWIRE, n, *(["tbf"] if n == "qdisclat" else []), "1", "2"]
        runs[n] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for n, r in runs.items():
        try:
            r.communicate(timeout=15)
            eq(r.returncode, 0, n, "1 2")
        except subprocess.TimeoutExpired:
            r.kill()
            fail(n, "1 2 does not end")


def all_have(rows, key, test, *what):
    eq([r.get(key) for r in rows if not (key in r and test(r[key]))], [], *what, key)
    eq(bool(rows), True, *what, "has rows")


def clock(s):
    return re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d", s)


# Times in JSON and CSV
rows = own("tcpconnect", "tcp", "-t", "-T", "-U", "-w")
eq(len(rows), HERE, "tcpconnect -tTUw")
all_have(rows, "time", clock, "tcpconnect -T")
all_have(rows, "time_s", lambda n: 0 <= n < 20, "tcpconnect -t")
all_have(rows, "uid", lambda n: n == 0, "tcpconnect -U")
all_have(rows, "lport", lambda n: here.run.base <= n < here.run.base + 4, "tcpconnect -w")
all_have(own("superping", "ping", "-T"), "time", clock, "superping -T")
# Summaries: no times, names of their own
rows = own("tcpconnect", "tcp", "-c", "-t", form="csv")
eq(sum(int(r["connects"]) for r in rows), HERE, "tcpconnect -c --csv")
eq(sum("more" not in r for r in own("tcpconnect", "tcp", "-c", "-n", "1")), 1, "tcpconnect -c -n 1")
rows = own("tcpretrans", "again", "-c", "-l", form="csv")
eq(sum(int(r["retransmits"]) for r in rows), sum(v["retransmits"] for f, v in said().items() if "netns" not in f),
   "tcpretrans -c -l --csv")
head = own("tcpretrans", "again", "-c", "-t", form="text").splitlines()[1].split()
eq(head, ["LADDR:LPORT", "RADDR:RPORT", "RETRANSMITS"], "tcpretrans -c -t")
eq({r["kind"] for r in own("tcpretrans", "again")} - {"R>"}, set(), "tcpretrans without -l")
lines = own("tcpdrop", "again", form="text").splitlines()
at = [i for i, line in enumerate(lines) if re.match(r"\d\d:", line)]
eq(lines[0].split()[-2:], ["DADDR:DPORT", "STATE"], "tcpdrop: names")
eq([lines[i] for i in at if len(lines[i]) > 80 and "4:5678" not in lines[i]], [], "tcpdrop: lines of 80 columns")
below = [(lines[i + 1], lines[i + 2]) for i in at]
eq([b for b in below if not re.fullmatch(r"\([A-Z|]+\) [A-Z_0-9]+", b[0]) or "`" not in b[1]], [], "tcpdrop: reason, stack")
eq(len(at), sum(v["drops"] for f, v in said().items() if "netns" not in f), "tcpdrop: rows of text")
rows = own("socksize", "tcp", "-s", form="csv")
eq({r["dir"]: int(r["total"]) for r in rows}, dict.fromkeys(("write", "read"), HERE * (world.REQUEST + world.ANSWER)), "socksize -s")
for name in "socketio", "so1stbyte":
    eq(sum("more" not in r for r in own(name, "tcp", "-n", "1")), 1, name, "-n 1")
    eq(len(own(name, "tcp")) > 1, True, name, "without -n")
eq(sum(b["count"] for r in own("tcprtt", "tcp", "-H") for b in r["us"]) >= HERE, True, "tcprtt -H")
eq(sum("more" not in r for r in own("tcprtt", "tcp", "-n", "1")), 1, "tcprtt -n 1")
rows = own("tcpretrans", "again", "-s", "-l")
eq(len({(r["laddr"], r["seq"]) for r in rows}), HERE, "tcpretrans -s: one segment of each flow, each time the same")
# Sockets
eq(len(own("tcpconnect", "tcp", "-u", "0")), HERE, "tcpconnect -u 0")
eq(len(own("tcpconnect", "tcp", "-u", "12345")), 0, "tcpconnect -u 12345")
eq(len(own("tcpconnect", "tcp", "-u", "0", "-c")), HERE, "tcpconnect -u 0 -c")
eq(len(own("sofdsnoop", "passed", "-n", "nobody")), 0, "sofdsnoop -n nobody")
eq(len(own("sofdsnoop", "passed", "-n", NAME)), 2 * HERE, "sofdsnoop -n", NAME)
eq([r["result"] for r in own("tcpconnect", "tcp")], ["Success"] * HERE, "tcpconnect: results")
eq(len(own("tcpconnect", "tcp", "-a")), HERE, "tcpconnect -a")
eq(own("soconnect", "tcp", "-e"), [], "soconnect -e, where none fails")
eq(len(own("soconnect", "tcp", "-r")), HERE, "soconnect -r")
all_have(own("tcpaccept", "tcp", "-q"), "queue_max", lambda n: n == 5, "tcpaccept -q")
all_have(own("tcpdrop", "again"), "stack", lambda s: "tcp_v" in s, "tcpdrop")
eq({"stack" in r for r in own("tcpdrop", "again", "-q")}, {False}, "tcpdrop -q")
dot = own("tcplife", "tcp", "--dot", form="text").splitlines()
eq((dot[0], dot[-1], sum("->" in line for line in dot)), ("digraph tcplife {", "}", 2 * HERE),
   "tcplife --dot: who connects to what, and what that is of")
if shutil.which("dot"):
    made = subprocess.run(["dot", "-Tplain"], input="\n".join(dot), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    eq((made.returncode, made.stderr, made.stdout.count("\nedge ")), (0, "", 2 * HERE), "tcplife --dot: as Graphviz reads it")
# Names
eq(len(own("dnssnoop", "dns", "-q")), 2 * HERE, "dnssnoop -q")
eq(len(own("dnssnoop", "dns", "-m", "10")), HERE, "dnssnoop -m 10: answers after 20 ms")
eq(len(own("dnssnoop", "dns", "-m", "5000")), 0, "dnssnoop -m 5000")
eq(len(own("dnssnoop", "dns", "-x")), 0, "dnssnoop -x")
eq(len(own("dnssnoop", "dns", "-s")), HERE, "dnssnoop -s")
eq(len(own("gethostlatency", "lookup", "-e")), 0, "gethostlatency -e")
eq(len(own("gethostlatency", "lookup", "-m", "5000")), 0, "gethostlatency -m")
all_have(own("gethostlatency", "lookup", "-x"), "func", lambda s: s == "getaddrinfo", "gethostlatency -x")
# Packets and devices
eq(sorted(r["way"] for r in own("ipecn", "ecn", "-a")), ["from"] * HERE + ["to"] * HERE, "ipecn -a")
eq({r["device"] for r in own("netsize", "udp", "-D")}, {"va", "vb"}, "netsize -D")
eq({r["device"] for r in own("netsize", "udp", "-D", "-i", "va")}, {"va"}, "netsize -i va")
eq(own("nettxlat", "udp", "-4", "-i", "vb"), [], "nettxlat -i vb, which sends no IPv4")
eq({r["device"] for r in own("nettxlat", "udp", "-4", "-D")}, {"va"}, "nettxlat -D")
if "DWIRE_NO_QUEUE" not in os.environ:
    eq({(r["qdisc"], r["device"]) for r in own("qdisclat", "udp", "-D")}, {("tbf", "va")}, "qdisclat -D")
    eq(own("qdisclat", "udp", "-i", "vb"), [], "qdisclat -i vb")
rows = [r for r in own("skbdrop", "again", "-s", "1") if "stack" in r]
all_have(rows, "stack", lambda s: s.count(";") == 0, "skbdrop -s 1")
eq(len([r for r in own("skbdrop", "again", "-n", "1") if "stack" in r]), 1, "skbdrop -n 1")
eq(len(own("netcheck", "tcp", "1")) > 10, True, "netcheck")
# Screens: the one at the end has all
for name, kind in ("tcptop", "tcp"), ("udptop", "udp"):
    t = Tool(name, kind, args=["60"])
    for args, clears in ((["-n", "1"], True), (["-C", "-S", "-n", "1"], False)):
        text = run(t, ["--netns", NET, *args], alone=True)
        eq(("\033[H\033[J" in text, "load:" in text), (False, clears), name, *args, "no screen, tells the load")
        eq(len([line for line in text.splitlines() if re.search(r" \d+\.\d +\d+\.\d$", line)]), 1, name, *args)
# Intervals: two reports of a second, and it ends; several tools at once.
names = re.findall(r"^  ([\w-]+) ", subprocess.run([DWIRE, "help"], stdout=subprocess.PIPE, text=True, check=True).stdout, re.M)
waits = [n for n in names if "interval" in Tool(n, "").arguments and not n.startswith("qdisc-")]
eq(len(waits) >= 17, True, "tools with an interval", waits)
for i in range(0, len(waits), 9):
    with turn:
        intervals(waits[i:i + 9])
PY

# No tool is forgotten: no device scans here, skblife, softnet and bqllat have no filters, pacinglat needs what paces,
# ss and portuse see what is there before a flow (ss.sh, portuse.sh).
for name in $("$dwire" help | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p' | grep -vxE 'ieee80211scan|skblife|softnet|ss|portuse|bqllat|pacinglat'); do
	grep -q "\"$name\"" "$here"/tools/filters_*.sh || [[ $name == qdisc-* ]] || fail "no test of all options of $name"
done
