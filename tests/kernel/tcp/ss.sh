# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Every socket of a namespace in many conditions: what its next segment shows is what ss shows: tcpsinfo_t,
# csinfo_t, states. Unread, unsent, closed by one side, small windows and segments, losses; a listener's queue.
need ss python3 nft

cat >"$tmp/sockets" <<-'END'
	# sockets in many conditions; each that can moves when told to
	import os, signal, socket, struct, sys, time
	family = socket.AF_INET6 if sys.argv[1] == "-6" else socket.AF_INET
	host = os.environ.get("TRIG_ADDR6" if family == socket.AF_INET6 else "TRIG_ADDR4") or ("::1" if family == socket.AF_INET6 else "127.0.0.1")
	TCP = socket.IPPROTO_TCP
	slower = int(os.environ.get("DWIRE_TEST_SLOWER", 1))
	signal.alarm(20 * slower)
	signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
	keep = []
	def pair(before=None, rcvbuf=0, cc=None, mss=0):
	    l = socket.socket(family, socket.SOCK_STREAM)
	    if rcvbuf: l.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
	    if cc: l.setsockopt(TCP, socket.TCP_CONGESTION, cc)
	    l.bind((host, 0)); l.listen(5)
	    c = socket.socket(family, socket.SOCK_STREAM)
	    if mss: c.setsockopt(TCP, socket.TCP_MAXSEG, mss)
	    if cc: c.setsockopt(TCP, socket.TCP_CONGESTION, cc)
	    c.connect(l.getsockname())
	    s, _ = l.accept()
	    keep.extend((c, s)); l.close()
	    return c, s
	def talk(c, s, n, k):
	    for i in range(k):
	        c.sendall(b"q" * n); got = 0
	        while got < n: got += len(s.recv(n - got))
	        s.sendall(b"a" * (n // 2)); got = 0
	        while got < n // 2: got += len(c.recv(n // 2 - got))
	move = []
	for i, (n, k) in enumerate(((1, 0), (100, 1), (5000, 3), (200000, 4))):
	    c, s = pair(); talk(c, s, n, k); move.append((c, s)[i % 2])
	c, s = pair(cc=b"reno"); talk(c, s, 3000, 2); move.append(c)
	c, s = pair(cc=b"bbr"); talk(c, s, 30000, 5); move.append(s)
	c, s = pair(mss=700); talk(c, s, 30000, 2); move.append(c)
	c, s = pair(rcvbuf=3000); talk(c, s, 9000, 2); move.append(c)
	c, s = pair(); c.sendall(b"u" * 700); move.append(c)					# unread
	c, s = pair(); talk(c, s, 10, 1); s.setsockopt(TCP, socket.TCP_NODELAY, 1); move.append(s)
	c, s = pair(); talk(c, s, 10, 1); c.shutdown(socket.SHUT_WR); move.append(s)   # fin-wait-2, close-wait
	c, s = pair(); talk(c, s, 10, 1); s.shutdown(socket.SHUT_WR); move.append(c)
	stuck, s = pair(rcvbuf=3000); talk(stuck, s, 10, 1); stuck.setblocking(False)   # the window is closed
	try:
	    while True: stuck.send(b"c" * 1000)
	except BlockingIOError: pass
	l = socket.create_server((host, 0), family=family, backlog=7); waiting = []
	for i in range(3): waiting.append(socket.create_connection(l.getsockname()[:2]))
	time.sleep(0.25)
	for i in range(100): # until no lost segment is to be sent again; unacked is the seventh word
	    if not any(struct.unpack_from("I", s.getsockopt(TCP, socket.TCP_INFO, 32), 24)[0] for s in keep if s is not stuck): break
	    time.sleep(0.1)
	print("pid=%d" % os.getpid(), "sockets=%d" % (2 * len(move) + 1), "ready=1", sep="\n", flush=True)
	signal.sigwait([signal.SIGUSR1])
	for s in move: s.sendall(b"x")
	waiting.append(socket.create_connection(l.getsockname()[:2]))
	time.sleep(0.1 * slower)
END

# The lines of ss by the cookie of the socket, and the first event of each socket; prints what differs, and how many agree.
cat >"$tmp/compare" <<-'END'
	import re, sys
	ms = lambda t: round(float(t) * 1000)
	state = {"ESTAB": 1, "SYN-SENT": 2, "FIN-WAIT-1": 4, "FIN-WAIT-2": 5, "CLOSE-WAIT": 8, "LISTEN": 10}
	ss = {}
	for line in open(sys.argv[1]):
	    w = line.split()
	    m = re.search(r" sk:([0-9a-f]+) ", line)
	    if not m or w[0] not in state: continue
	    k = dict(x.split(":", 1) for x in w[5:] if ":" in x and not x.startswith("bbr"))
	    word = lambda name: int(re.search(name + r" (\d+)bps", line).group(1)) // 8 if name + " " in line else 0
	    mem = dict(re.match(r"([a-z]+)(\d+)", x).groups() for x in k["skmem"].strip("()").split(","))
	    mss = int(k.get("mss", 0))
	    rtt = k.get("rtt", "0/0").split("/")
	    again = k.get("retrans", "0/0").split("/")
	    e = {"st": state[w[0]], "lport": int(w[3].rsplit(":", 1)[1]), "rb": int(mem["rb"]), "sb": int(mem["tb"])}
	    if w[0] == "LISTEN":
	        e.update(aq=int(w[1]), aqmax=int(w[2]))
	    else: # ss leaves out a rto of 3 s
	        e.update(rport=int(w[4].rsplit(":", 1)[1]), mss=mss, cwnd=int(k["cwnd"]) * mss, rto=int(k.get("rto", 3000)), cc=line.split("wscale")[0].split()[-1],
	            thresh=int(k["ssthresh"]) * mss if "ssthresh" in k else 0x7fffffff,
	            srtt=ms(rtt[0]), rttvar=ms(rtt[1]), min=ms(k["minrtt"]), sent=int(k.get("bytes_sent", 0)),
	            acked=int(k.get("bytes_acked", 0)), received=int(k.get("bytes_received", 0)),
	            bretrans=int(k.get("bytes_retrans", 0)), delivered=int(k.get("delivered", 0)), lost=int(k.get("lost", 0)),
	            sacked=int(k.get("sacked", 0)), again=int(again[1]), againout=int(again[0]), out=int(k.get("unacked", 0)),
	            pace=word("pacing_rate"), rate=word("delivery_rate"), unsent=int(k.get("notsent", 0)),
	            sws=int(k["wscale"].split(",")[0]), rws=int(k["wscale"].split(",")[1]), ecn=int(" ecn " in line),
	            swnd=int(k.get("snd_wnd", 0)) >> int(k["wscale"].split(",")[0]), fin=int(w[0].startswith("FIN-WAIT")),
	            rq=int(w[1]), sq=int(w[2]))
	    ss[int(m.group(1), 16)] = e
	seen, same = set(), 0
	for line in sys.stdin:
	    if "=" not in line: continue
	    v = dict(x.split("=", 1) for x in line.split()[1:] if "=" in x)
	    cid = int(v["cid"])
	    if cid in seen or cid not in ss or (v["st"] in "47" and ss[cid]["st"] == 1): continue # the trigger ends
	    e = ss[cid]
	    if (e["st"] == 10) != (v["st"] == "10"): continue # a handshake is its listener's
	    seen.add(cid)
	    if line.startswith("send"): # what a segment changes as it leaves
	        e["sent"] += int(v["len"])
	        e["unsent"] += int(v["len"])
	        e["sq"] += int(v["len"])
	        e["rto"] = int(v["rto"])
	        if v["re"] != "0": # a timer has ended meanwhile
	            e["cwnd"] = int(v["cwnd"])
	        if e["cc"] == "bbr": # begins again after a pause
	            e["pace"] = int(v["pace"])
	    fin = e.pop("fin", 0)
	    bad = [f"{n}: ss {e[n]}, dwire {v[n]}" for n in e if str(e[n]) != v[n] and not (n == "sq" and fin)]
	    if bad: print(line.split()[0], f"cid {cid} port {v['lport']} state {v['st']}:", "; ".join(bad))
	    else: same += 1
	print("same", same, "of", len(ss), "unseen", [ss[c]["lport"] for c in ss if c not in seen and ss[c]["st"] != 1])
END

members='st=tcps_state lport=tcps_lport rport=tcps_rport mss=tcps_mss cwnd=tcps_cwnd rto=tcps_rto thresh=tcps_cwnd_ssthresh
	srtt=tcps_srtt rttvar=tcps_rttvar min=tcps_min_rtt sent=tcps_bytes_sent acked=tcps_bytes_acked received=tcps_bytes_received
	bretrans=tcps_bytes_retrans delivered=tcps_delivered lost=tcps_lost_out sacked=tcps_sacked_out again=tcps_retrans
	againout=tcps_retrans_out out=tcps_packets_out pace=tcps_pacing_rate rate=tcps_delivery_rate unsent=tcps_unsent
	sws=tcps_snd_ws rws=tcps_rcv_ws ecn=tcps_ecn swnd=tcps_swnd rb=tcps_rcvbuf sb=tcps_sndbuf rq=tcps_rcvq sq=tcps_sndq
	aq=tcps_acceptq aqmax=tcps_acceptq_max re=tcps_retransmit'
format= values=
for m in $members; do
	format+=" ${m%=*}=%u" values+=", args[3]->${m#*=}"
done

check() { # WHAT FAMILY
	local what="$1 $2" sockets
	ip netns exec "$NETNS" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0
	start_waiting ip netns exec "$NETNS" python3 "$tmp/sockets" "$2"
	ip netns exec "$NETNS" ss -tinmaeO >"$tmp/ss" 2>/dev/null
	WAITING=$(sed -n 's/^pid=//p' "$tmp/waiting") sockets=$(sed -n 's/^sockets=//p' "$tmp/waiting")
	trace_waiting "tcp:::send, tcp:::receive /args[1]->cs_netns == $NETNS_ID/ {
		printf(\"%s cid=%u pid=%d len=%d cc=%s$format\n\", probename, args[1]->cs_cid, args[1]->cs_pid,
		    args[2]->ip_plength - args[4]->tcp_offset, args[3]->tcps_cc$values); }"
	python3 "$tmp/compare" "$tmp/ss" <<<"$OUT" >"$tmp/differ" || fail "$what: the comparison"
	expect_eq "$(grep -c '^same' "$tmp/differ") $(grep -vc '^same' "$tmp/differ")" "1 0" "$what: $(head -n 5 "$tmp/differ")"
	expect_match "$(tail -n 1 "$tmp/differ")" "^same .* unseen \\[\\]$" "$what: the listener"
	expect_ge "$(sed -n 's/^same \([0-9]*\) of.*/\1/p' "$tmp/differ")" "$sockets" "$what: all sockets"
}

netns_new ss
check lo -4
ip netns exec "$NETNS" sysctl -qw net.ipv4.tcp_ecn=1 net.ipv4.tcp_sack=0
check "ECN, no SACK" -6
wire_new wire
check wire -4
# one segment in nine is lost
ip netns exec "$NETNS" nft 'add table inet l; add chain inet l i { type filter hook input priority 0; }
	add rule inet l i meta l4proto tcp tcp flags & (syn | fin) == 0 numgen inc mod 9 0 counter drop'
check "wire with losses" -6
