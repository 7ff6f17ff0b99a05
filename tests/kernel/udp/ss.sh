# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Every datagram socket of a namespace as ss and /proc/net/udp show it: addresses, ports, state, holders, drops; and
# as its program counted: sent, read, left unread. Connected and not, groups, shared ports, small buffers, filters,
# wrong checksums, several processes. Then all of them together against the namespace's counters.
need ss python3

cat >"$tmp/sockets" <<-'END'
	# sock=COOKIE sent=N arrived=N dropped=N pid=N of each socket that sent or got anything
	import os, select, socket, struct, subprocess, sys, time
	family = socket.AF_INET6 if sys.argv[1] == "-6" else socket.AF_INET
	host, any_host, where = ("::1", "::", sys.argv[2]) if family == socket.AF_INET6 else ("127.0.0.1", "0.0.0.0", sys.argv[2])
	wrong = int(sys.argv[3])
	SO_COOKIE, SO_REUSEPORT, SO_ATTACH_FILTER = 57, 15, 26
	kinds = {}
	class S:
	    def __init__(self, bind=None, to=None, rcvbuf=0, reuse=False, refuse=False):
	        self.s = socket.socket(family, socket.SOCK_DGRAM)
	        if reuse: self.s.setsockopt(socket.SOL_SOCKET, SO_REUSEPORT, 1)
	        if rcvbuf: self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
	        if refuse: # BPF_RET 0: all is refused
	            import ctypes
	            code = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
	            self.s.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", 1, ctypes.addressof(code)))
	        if bind: self.s.bind(bind)
	        if to: self.s.connect(to)
	        self.s.setblocking(False)
	        self.cookie = struct.unpack("Q", self.s.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8))[0]
	        self.sent = self.read = self.dropped = 0
	        kinds[self.cookie] = self
	    def at(self): return self.s.getsockname()[:2]
	    def send(self, n, to=None, size=100):
	        for i in range(n):
	            self.s.sendto(b"d" * size, to) if to else self.s.send(b"d" * size)
	        self.sent += n
	    def take(self):
	        n = 0
	        while True:
	            try: self.s.recv(70000); n += 1
	            except (BlockingIOError, ConnectionRefusedError): break
	        return n
	    def tell(self, pid):
	        return "sock=%d sent=%d arrived=%d dropped=%d pid=%d" % (self.cookie, self.sent, self.read + self.dropped, self.dropped, pid)
	a = S((host, 0)); b = S(to=a.at()); b.send(7); a.read += a.take(); a.send(3, b.at()); b.read += b.take()
	c = S((any_host, 0)); d = S((host, 0)); d.send(5, (host, c.at()[1]), 0); d.send(4, (host, c.at()[1]), 9000) # left unread
	full = S((host, 0), rcvbuf=4000); e = S(to=full.at()); e.send(400); e.send(100, size=1)
	deaf = S((host, 0), refuse=True); b2 = S(to=deaf.at()); b2.send(6); deaf.dropped = 6
	group = [S((host, 0), reuse=True)]
	group += [S(group[0].at(), reuse=True) for i in range(3)]
	many = [S(to=group[0].at()) for i in range(20)]
	for m in many: m.send(3)
	if family == socket.AF_INET:
	    cast = [S(("", 0), reuse=True)]; cast.append(S(cast[0].s.getsockname(), reuse=True))
	    for s in cast: s.s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.1.2.3") + socket.inet_aton("127.0.0.1"))
	    f = S((host, 0)); f.s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("127.0.0.1"))
	    f.send(5, ("239.1.2.3", cast[0].at()[1]))
	# several datagrams in one call, which the reader gets one by one
	g = S((host, 0)); h = S(to=g.at()); h.s.send(b"s" * 1000, 0) ; h.sent += 1
	# a wrong checksum, of so many bytes that it is found out only when they are read
	broken = S((host, 0)); raw = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_UDP); raw.bind((host, 0))
	for i in range(wrong): raw.sendto(struct.pack("!HHHH", 9, broken.at()[1], 308, 0x1234 + i) + b"e" * 300, (host, 0))
	broken.dropped = wrong
	broken.read += broken.take()
	# another process uses what it inherited
	x = S((host, 0)); y = S((host, 0))
	sys.stdout.flush()
	child = os.fork()
	if not child:
	    time.sleep(0.3)
	    y.send(2, x.at()); os._exit(0)
	os.waitpid(child, 0)
	y.sent += 2
	for s in kinds.values(): # what is not told above is what the socket gave, now or later
	    if s not in (c, full, deaf, broken): s.read += s.take()
	subprocess.run(["ss", "-uanmepO"], stdout=open(where + "/ss", "w"), check=True)
	open(where + "/proc", "w").write(open("/proc/net/udp").read() + open("/proc/net/udp6").read())
	for s in (c, full): s.read += s.take()
	full.dropped = 500 - full.read
	for s in kinds.values(): print(s.tell(child if s is y else os.getpid()))
END

cat >"$tmp/compare" <<-'END'
	# ss, /proc/net/udp*, the trigger and dwire, by socket; prints what differs and how many agree
	import ipaddress, re, sys
	where = sys.argv[1]
	word = lambda line: dict(x.split("=", 1) for x in line.split() if "=" in x)
	said, inodes, unknown, same = {}, {}, {}, 0
	for line in open(where + "/trigger"):
	    if line.startswith("sock="): v = word(line); said[int(v["sock"])] = v
	for line in open(where + "/proc"):
	    w = line.split()
	    if ":" in w[1]: inodes[w[9]] = int(w[12])
	seen = {}
	for line in sys.stdin:
	    w = line.split()
	    if len(w) < 3: continue
	    v = word(line); cid = int(v["cid"])
	    if w[0] == "send" or w[0] == "receive" or w[0] == "receive-drop":
	        if cid == 0: # a checksum that was looked at when the datagram was read
	            unknown[v["lp"]] = (w[0], int(v["n"]), v["pid"]); continue
	        e = seen.setdefault(cid, {"send": 0, "receive": 0, "receive-drop": 0, "pid": set(), "at": set()})
	        e[w[0]] += int(v["n"]); e["pid"].add(v["pid"]); e["at"].add((v["la"], v["lp"], v["ra"], v["rp"]))
	def address(t): # ss's [::1]:7, 0.0.0.0%lo:7
	    h, p = t.rsplit(":", 1)
	    h = h.strip("[]").split("%")[0]
	    return h, "0" if p == "*" else p
	sockets = set()
	for line in open(where + "/ss"):
	    m = re.search(r" sk:([0-9a-f]+) ", line)
	    if not m: continue
	    w, cid = line.split(), int(m.group(1), 16)
	    sockets.add(cid)
	    drops = int(re.search(r",d(\d+)\)", line).group(1))
	    inode = re.search(r" ino:(\d+)", line).group(1)
	    t, e, bad = said[cid], seen.get(cid), []
	    if not e and t["sent"] == t["arrived"] == "0": same += 1; continue
	    if not e: print("unseen", line); continue
	    la, lp = address(w[3]); ra, rp = address(w[4])
	    if unknown.get(lp, ("", 0, ""))[::2] == ("receive-drop", "-1"): e["receive-drop"] += unknown.pop(lp)[1]
	    want = [("send", t["sent"]), ("receive", int(t["arrived"])), ("receive-drop", t["dropped"]), ("receive-drop", drops), ("receive-drop", inodes[inode])]
	    bad += ["%s %d, not %s" % (k, e[k], n) for k, n in want if e[k] != int(n)]
	    holders = re.findall(r"pid=(\d+)", line)
	    bad += ["pid %s, not %s" % (p, t["pid"]) for p in e["pid"] if p != t["pid"]]
	    if len(holders) != 1: bad.append("held by %s" % holders)
	    for a in e["at"]:
	        if (w[0] == "ESTAB") != (a[3] != "0"): continue # before it was connected, or bound
	        if a != (la if la != "*" else a[0], lp, ra if rp != "0" else a[2], rp): bad.append("at %s, not %s" % (a, (la, lp, ra, rp)))
	    if bad: print("socket", cid, w[0], w[3], w[4], "; ".join(bad))
	    else: same += 1
	if unknown: print("nobody's:", unknown)
	print("same", same, "of", len(said), len(sockets))
END

since 6.13 && wrong=4 || wrong=0 # before, one that is found out late is freed without a reason

check() { # FAMILY
	local group=Udp n what=$1
	[ "$1" = -4 ] || group=Udp6
	netns_new "ss$1"
	ip -n "$NETNS" link set lo multicast on
	ip -n "$NETNS" route add 224.0.0.0/4 dev lo
	trace_in "$NETNS" "udp:::send, udp:::receive, udp:::receive-drop /args[1]->cs_netns == $NETNS_ID/ {
			@[probename, args[1]->cs_cid, args[1]->cs_pid, args[3]->udps_laddr, args[3]->udps_lport, args[3]->udps_raddr,
			    args[3]->udps_rport] = sum(args[4]->udp_datagrams); @all[probename] = sum(args[4]->udp_datagrams); }
		END { printa(\"%s cid=%u pid=%d la=%s lp=%d ra=%s rp=%d n=%@d\n\", @); printa(\"all_%s=%@d\n\", @all); }" \
		python3 "$tmp/sockets" "$1" "$tmp" $wrong
	python3 "$tmp/compare" "$tmp" <<<"$OUT" >"$tmp/differ" || fail "$what: the comparison"
	n=$(grep -c '^sock=' "$tmp/trigger")
	expect_ge "$n" 30 "$what: sockets"
	expect_eq "$(tail -n 1 "$tmp/differ")" "same $n of $n $n" "$what: $(head -n 8 "$tmp/differ")"
	expect_eq "$(sed -n 's/^all_send=//p' <<<"$OUT")" "$(snmp "$NETNS" $group OutDatagrams)" "$what: as the kernel counts what is sent"
	expect_eq "$(sed -n 's/^all_receive-drop=//p' <<<"$OUT")" "$(snmp "$NETNS" $group InErrors)" "$what: ... thrown away"
	# all are received first: the wrong checksums too, as each has a socket
	expect_eq "$(sed -n 's/^all_receive=//p' <<<"$OUT")" \
		$(($(snmp "$NETNS" $group InDatagrams) + $(snmp "$NETNS" $group InErrors))) "$what: ... received"
}

check -4
check -6
