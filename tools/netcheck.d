// SPDX-License-Identifier: GPL-2.0-or-later
/* netcheck: a first look at the network, and which tool to run next.
 *
 * common: owner
 * seconds         seconds = 5        how long to watch (5)
 * row: CHECK %-11s ID[json] - SEVERITY[json] - WHAT %-33s MOST[json] - DEVICE[json] - VALUE %10d RATE[json] -
 * row: SHARE[json] - OF[json] - UNIT %-4s LINK[json]=link_mbps - NEXT %s
 * row part: CHECK[json] %s ID[json] %s SEVERITY %-8s WHAT %s MOST[json] %s DEVICE[json] -
 * row part: VALUE "-- %d" RATE "at %d.%d" SHARE "/s, %d.%d" OF "%% of %d"
 * row part: UNIT[json] - LINK[json]=link_mbps - LOOK[!json] "\n         %slook: dwire" NEXT %s
 * row event: CHECK[json] %s ID[json] %s SEVERITY %-8s WHAT %s MOST[json] %s DEVICE[json] -
 * row event: VALUE "-- %d" RATE "at %d.%d" SHARE[json] - OF[json] -
 * row event: UNIT[json] - LINK[json]=link_mbps - LOOK[!json] "/s\n         %slook: dwire" NEXT %s
 * row state: CHECK[json] %s ID[json] %s SEVERITY %-8s WHAT %s MOST[json] %s DEVICE[json] -
 * row state: VALUE[json] %d RATE[json] - SHARE "-- %d.%d" OF[json] %d
 * row state: UNIT[json] - LINK[json]=link_mbps - LOOK[!json] "%%\n         %slook: dwire" NEXT %s
 * row if: CHECK %-11s ID[json] - SEVERITY[json] - WHAT %-21s MOST[json] - DEVICE %-11.11s VALUE %@10d RATE[json] -
 * row if: SHARE[json] - OF[json] - UNIT %-4s LINK=link_mbps %s NEXT[json] -
 * column LOOK: the command that shows more
 */
#pragma D option aggsortrev

int64_t in, out, in_bytes, out_bytes, tcp_in, tcp_out, udp_in, udp_out;
int64_t opened, accepted, failed, closed, brief, life, syns, refused, unaccepted;
int64_t resent, timeouts, dropped, lost, mute, tail_drops, full, resets_out, resets_in, shut, no_room;
int64_t asked, unknown, slow_names, name_time;
int64_t slow_connects, connect_time, connects, slow_first, firsts, first_time, far, queued_long;
int64_t unread, left, turns, seen, lasted, watched, no_port, stuck;
uint64_t born[uint64_t], asked_at[uint64_t], made_at[uint64_t];
/* Who stands out: of each kind the host, port or process with the most. */
int64_t again[string], again_most, unmade[string], unmade_most, aborted[string], aborted_most, full_port;
string stuck_host, no_port_host;
uint32_t una[uint64_t];
int big[uint64_t];
string again_host, unmade_host, aborted_host;
int failed_errno;	/* its text comes at the end: in a clause each of 40 texts is a path that the verifier walks */
int64_t ports[string, string, uint16_t], ports_most, ports_port, waiting[string], waiting_all, waiting_most, out_of_files;
string ports_host, waiting_name;

inline int ms = 1000000;
inline int us = 1000;
inline int WARNING = 1;
inline int CRITICAL = 2;
/* What to run next, where there is something that it would show. */
/* Losses that have a row of their own, and what goes with its socket. */
inline int counted[string reason] = strstr(reason, "QDISC") != NULL || strstr(reason, "RCVBUF") != NULL ||
    reason == "TCP_LISTEN_OVERFLOW" || reason == "QUEUE_PURGE";
inline string next[int sign, string tool] = sign ? tool : "";

dtrace:::BEGIN
{
	left = seconds;
	unread = 1;
	say("Watching the network for %d s...\n", seconds);
}

/* ---- what is there when it starts ---- */
sockets:::done
{
	unread = 0;
}

sockets:::tcp-open
/ args[0]->os_listens == 0 && args[0]->os_lport >= args[0]->os_port_first && args[0]->os_lport <= args[0]->os_port_last &&
  wanted(args[1]) /
{
	ports[args[0]->os_laddr, args[0]->os_raddr, args[0]->os_rport] += 1000000 /
	    (args[0]->os_port_last - args[0]->os_port_first + 1);
	this->ports = ports[args[0]->os_laddr, args[0]->os_raddr, args[0]->os_rport];
}

sockets:::tcp-open
/ this->ports > ports_most /
{
	ports_most = this->ports;
	ports_host = args[0]->os_raddr;
	ports_port = args[0]->os_rport;
}

sockets:::tcp-open
/ args[0]->os_state == TCP_STATE_CLOSE_WAIT && wanted(args[1]) /
{
	waiting_all++;
	waiting[args[1]->cs_execname]++;
	this->waiting = waiting[args[1]->cs_execname];
}

sockets:::tcp-open
/ this->waiting > waiting_most /
{
	waiting_most = this->waiting;
	waiting_name = args[1]->cs_execname;
}

/* ---- what it does ---- */
ip:::receive
/ wanted(args[1]) /
{
	in++;
	in_bytes += args[2]->ip_plength;
}

ip:::send
/ wanted(args[1]) /
{
	out++;
	out_bytes += args[2]->ip_plength;
}

tcp:::receive
/ wanted(args[1]) /
{
	tcp_in++;
	far += args[3]->tcps_srtt > 200 * 1000;
	syns += (args[4]->tcp_flags & (TH_SYN | TH_ACK)) == TH_SYN;
}

tcp:::send
/ wanted(args[1]) /
{
	tcp_out++;
}

udp:::receive
/ wanted(args[1]) /
{
	udp_in++;
}

udp:::send
/ wanted(args[1]) /
{
	udp_out++;
}

net:::receive
/ !args[3]->if_local && wanted_netns(args[1]) /
{
	@received["devices", "received", args[3]->if_name, "KB/s", args[3]->if_speed] = sum(args[4]->net_len);
}

net:::transmit
/ !args[3]->if_local && wanted_netns(args[1]) /
{
	@sent["devices", "sent", args[3]->if_name, "KB/s", args[3]->if_speed] = sum(args[4]->net_len);
}

/* ---- connections ---- */
tcp:::connect-established
/ wanted(args[1]) /
{
	opened++;
	born[args[1]->cs_cid] = timestamp;
}

tcp:::accept-established
/ wanted(args[1]) /
{
	accepted++;
}

tcp:::state-change
/ args[3]->tcps_state == TCP_STATE_CLOSED || args[3]->tcps_state == TCP_STATE_TIME_WAIT /
{
	this->ends = 1;
}

tcp:::detach
{
	this->ends = 1;
}

tcp:::state-change, tcp:::detach
/ this->ends && born[args[1]->cs_cid] /
{
	this->ms = (timestamp - born[args[1]->cs_cid]) / ms;
	born[args[1]->cs_cid] = 0;
	closed++;
	life += this->ms;
	brief += this->ms < 100;
}

/* Not that there was nothing to accept, or a signal. */
sock:::accept-done
/ args[0]->so_ip && args[2]->sr_errno != 0 && args[2]->sr_errno != EAGAIN && args[2]->sr_errno != EINTR && wanted(args[1]) /
{
	unaccepted++;
	out_of_files += args[2]->sr_errno == EMFILE || args[2]->sr_errno == ENFILE;
}

sock:::connect-start
/ args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP && wanted(args[1]) /
{
	asked_at[args[0]->so_addr] = timestamp;
}

sock:::connect-done
/ asked_at[args[0]->so_addr] /
{
	this->us = (timestamp - asked_at[args[0]->so_addr]) / us;
	asked_at[args[0]->so_addr] = 0;
	connects++;
	connect_time += this->us;
	slow_connects += this->us >= 100000;
	this->failed = args[2]->sr_errno != 0;
	failed += args[2]->sr_errno != 0;
	made_at[args[0]->so_addr] = args[2]->sr_errno ? 0 : timestamp;
}

sock:::connect-done
/ this->failed /
{
	unmade[args[0]->so_raddr]++;
	this->unmade = unmade[args[0]->so_raddr];
}

sock:::connect-done
/ this->failed && this->unmade > unmade_most /
{
	unmade_most = this->unmade;
	unmade_host = args[0]->so_raddr;
	failed_errno = args[2]->sr_errno;
}

sock:::connect-done
/ args[0]->so_ip && args[2]->sr_errno == EADDRNOTAVAIL && wanted(args[1]) /
{
	no_port++;
	no_port_host = args[0]->so_raddr;
}

sock:::first-byte
/ made_at[args[0]->so_addr] /
{
	this->us = (timestamp - made_at[args[0]->so_addr]) / us;
	made_at[args[0]->so_addr] = 0;
	firsts++;
	first_time += this->us;
	slow_first += this->us >= 500000;
}

sock:::close
/ made_at[args[0]->so_addr] /
{
	made_at[args[0]->so_addr] = 0;
}

/* ---- losses ---- */
tcp:::retransmit
/ wanted(args[1]) /
{
	resent += args[5]->rt_segs;
	again[args[3]->tcps_raddr] += args[5]->rt_segs;
	this->again = again[args[3]->tcps_raddr];
}

tcp:::retransmit
/ this->again > again_most /
{
	again_most = this->again;
	again_host = args[3]->tcps_raddr;
}

/* A segment of full size that is sent again and again, while the peer acknowledges nothing more. */
tcp:::retransmit
/ wanted(args[1]) && args[5]->rt_bytes > 0 && args[5]->rt_bytes >= args[3]->tcps_mss && args[3]->tcps_mss != 0 /
{
	big[args[1]->cs_cid] = una[args[1]->cs_cid] == args[3]->tcps_suna ? big[args[1]->cs_cid] + 1 : 1;
	una[args[1]->cs_cid] = args[3]->tcps_suna;
	this->big = big[args[1]->cs_cid];
}

tcp:::retransmit
/ this->big == 3 /
{
	stuck++;
	stuck_host = args[3]->tcps_raddr;
}

tcp:::rto
/ wanted(args[1]) /
{
	timeouts++;
}

tcp:::drop
/ wanted(args[1]) && !counted[args[5]->drop_reason] /
{
	dropped++;
}

tcp:::listen-drop
/ wanted(args[1]) /
{
	full++;
	full_port = args[3]->tcps_lport;
}

tcp:::reset-sent
/ wanted(args[1]) /
{
	resets_out++;
	refused += args[4]->tcp_seq == 0;	/* it answers a SYN */
}

tcp:::reset-received
/ wanted(args[1]) /
{
	resets_in++;
	aborted[args[3]->tcps_raddr]++;
	this->aborted = aborted[args[3]->tcps_raddr];
}

tcp:::reset-received
/ this->aborted > aborted_most /
{
	aborted_most = this->aborted;
	aborted_host = args[3]->tcps_raddr;
}

tcp:::zero-window-received
/ wanted(args[1]) /
{
	shut++;
}

sock:::buffer-full
/ wanted(args[1]) /
{
	no_room++;
}

qdisc:::drop
/ wanted(args[1]) /
{
	tail_drops++;
}

/* What the kinds above do not count. */
ip:::drop
/ wanted(args[1]) && (args[2]->ip_ver == 4 ? args[4]->ipv4_protocol : args[5]->ipv6_nexthdr) != IPPROTO_TCP &&
    !counted[args[6]->drop_reason] /
{
	lost++;
}

neigh:::failed
/ wanted(args[1]) /
{
	mute++;
}

/* ---- names, queues ---- */
resolver:::lookup-done
/ wanted_here(args[0]) /
{
	asked++;
	unknown += args[1]->lkp_result != 0;
	name_time += args[1]->lkp_latency / us;
	slow_names += args[1]->lkp_latency >= 100 * ms;
}

qdisc:::dequeue
/ args[4]->qd_time > 5 * ms && wanted(args[1]) /
{
	queued_long++;
}

/* ---- what tracing itself misses: turns of process 1 that begin, and none that ends ---- */
sched:::off-cpu
/ args[1]->pr_pid == 1 /
{
	turns++;
}

sched:::off-cpu
/ pid == 1 /
{
	seen++;
}

profile:::tick-1s
{
	left--;
}

/* ---- the kernel's own counters (D.md, netcounter()) ---- */
inline int64_t grew[int64_t a] = a > 0 ? a : 0;
inline int64_t ct_lost = grew[netcounter_moved("stat.nf_conntrack.drop")] +
    grew[netcounter_moved("stat.nf_conntrack.early_drop")];
inline int64_t ct_now = netcounter("sysctl.net.netfilter.nf_conntrack_count");
inline int64_t ct_most = netcounter("sysctl.net.netfilter.nf_conntrack_max");
inline int64_t neigh_full = grew[netcounter_moved("stat.arp_cache.table_fulls")] +
    grew[netcounter_moved("stat.ndisc_cache.table_fulls")];
inline int64_t arp_now = netcounter("stat.arp_cache.entries");
inline int64_t arp_most = netcounter("sysctl.net.ipv4.neigh.default.gc_thresh3");
inline int64_t nd_now = netcounter("stat.ndisc_cache.entries");
inline int64_t nd_most = netcounter("sysctl.net.ipv6.neigh.default.gc_thresh3");
inline int64_t mem_now = netcounter("sockstat.TCP.mem");
inline int64_t mem_most = netcounter("sysctl.net.ipv4.tcp_mem[2]");
inline int64_t mem_lost = grew[netcounter_moved("TcpExtTCPAbortOnMemory")];
inline int64_t mem_press = grew[netcounter_moved("TcpExtTCPMemoryPressures")];
inline int64_t orphans_now = netcounter("sockstat.TCP.orphan");
inline int64_t orphans_most = netcounter("sysctl.net.ipv4.tcp_max_orphans");
inline int64_t open_now = netcounter("sysctl.fs.file-nr[0]");
inline int64_t open_most = netcounter("sysctl.fs.file-nr[2]");
inline int64_t cpu_in = grew[netcounter_moved("softnet.processed")];
inline int64_t cpu_lost = grew[netcounter_moved("softnet.dropped")];
inline int64_t squeezed = grew[netcounter_moved("softnet.time_squeeze")];
inline int64_t dev_in = grew[netcounter_moved("dev.rx_packets")];
inline int64_t dev_lost = grew[netcounter_moved("dev.rx_drop")];
inline int64_t dev_wrong = grew[netcounter_moved("dev.rx_errs")] + grew[netcounter_moved("dev.rx_fifo")] +
    grew[netcounter_moved("dev.tx_errs")];
inline int64_t udp_all = grew[netcounter_moved("UdpInDatagrams")] + grew[netcounter_moved("UdpInErrors")] +
    grew[netcounter_moved("Udp6InDatagrams")] + grew[netcounter_moved("Udp6InErrors")];
inline int64_t udp_full = grew[netcounter_moved("UdpRcvbufErrors")] + grew[netcounter_moved("Udp6RcvbufErrors")];
inline int64_t udp_wrong = grew[netcounter_moved("UdpInErrors")] + grew[netcounter_moved("Udp6InErrors")] - udp_full;
inline int64_t tcp_all = grew[netcounter_moved("TcpInSegs")];
inline int64_t tcp_full = grew[netcounter_moved("TcpExtTCPBacklogDrop")] + grew[netcounter_moved("TcpExtTCPRcvQDrop")] +
    grew[netcounter_moved("TcpExtRcvPruned")] + grew[netcounter_moved("TcpExtOfoPruned")];
inline int64_t squashed = grew[netcounter_moved("TcpExtPruneCalled")] + grew[netcounter_moved("TcpExtTCPRcvCollapsed")];
inline int64_t cookies = grew[netcounter_moved("TcpExtSyncookiesSent")];
inline int64_t no_syns = grew[netcounter_moved("TcpExtTCPReqQFullDrop")];
inline int64_t no_waits = grew[netcounter_moved("TcpExtTCPTimeWaitOverflow")];
inline int64_t mtu_failed = grew[netcounter_moved("TcpExtTCPMTUPFail")];
inline int64_t too_big = grew[netcounter_moved("Icmp6InPktTooBigs")];
inline int64_t rate[int64_t n] = n / lasted;
inline int64_t rate10[int64_t n] = n * 10 / lasted % 10;
/* Thousandths of the whole; 0 if either is not known. */
inline int64_t share[int64_t n, int64_t whole] = n > 0 && whole > 0 ? n * 1000 / whole : 0;

/* Who has most of it. */
inline string most_ports = strjoin("to ", ports_host);
inline string most_no_port = strjoin("last to ", no_port_host);
inline string most_full_queue = strjoin("last of port ", lltostr(full_port));
inline string most_failed_connects = strjoin(strjoin("most to ", unmade_host), strjoin(": ", sock_error_string[failed_errno]));
inline string most_resent = strjoin("most to ", again_host);
inline string most_stuck = strjoin("MTU of the path? last to ", stuck_host);
inline string most_reset = strjoin("most by ", aborted_host);
inline string most_close_wait = strjoin("most of ", waiting_name);
/* How bad it is. 1 and 2 as exit status are errors of dwire itself. */
inline int bad_ports = ports_most >= 950000 ? CRITICAL : ports_most >= 700000 ? WARNING : 0;
inline int bad_no_port = no_port ? CRITICAL : 0;
inline int bad_descriptors = out_of_files ? CRITICAL : 0;
inline int bad_files = share[open_now, open_most] >= 950 ? CRITICAL : share[open_now, open_most] >= 800 ? WARNING : 0;
inline int bad_full_queue = full ? CRITICAL : 0;
inline int bad_conntrack_lost = ct_lost ? CRITICAL : 0;
inline int bad_conntrack = share[ct_now, ct_most] >= 950 ? CRITICAL : share[ct_now, ct_most] >= 800 ? WARNING : 0;
inline int bad_neighbours_lost = neigh_full ? CRITICAL : 0;
inline int bad_arp = share[arp_now, arp_most] >= 950 ? CRITICAL : share[arp_now, arp_most] >= 800 ? WARNING : 0;
inline int bad_ndisc = share[nd_now, nd_most] >= 950 ? CRITICAL : share[nd_now, nd_most] >= 800 ? WARNING : 0;
inline int bad_memory_lost = mem_lost ? CRITICAL : 0;
inline int bad_memory = share[mem_now, mem_most] >= 950 ? CRITICAL :
    share[mem_now, mem_most] >= 700 || mem_press ? WARNING : 0;
inline int bad_failed_connects = failed && failed * 10 >= connects ? CRITICAL : failed ? WARNING : 0;
inline int bad_resent = resent * 100 >= tcp_out * 3 && resent ? CRITICAL :
    resent * 100 >= tcp_out && resent ? WARNING : 0;
inline int bad_stuck = stuck ? CRITICAL : 0;
inline int bad_failed_lookups = unknown && unknown * 10 >= asked ? CRITICAL : unknown ? WARNING : 0;
inline int bad_reset = resets_in > failed ? WARNING : 0;
inline int bad_cpu_lost = cpu_lost ? WARNING : 0;
inline int bad_squeezed = squeezed >= 10 * lasted ? WARNING : 0;
inline int bad_device_wrong = dev_wrong ? WARNING : 0;
inline int bad_device_lost = dev_lost * 1000 >= dev_in && dev_lost ? WARNING : 0;
inline int bad_tail = tail_drops ? WARNING : 0;
inline int bad_udp_full = udp_full ? WARNING : 0;
inline int bad_udp_wrong = udp_wrong > 0 ? WARNING : 0;
inline int bad_tcp_full = tcp_full ? WARNING : 0;
inline int bad_buffers = no_room && !udp_full && !tcp_full ? WARNING : 0;
inline int bad_cookies = cookies + no_syns ? WARNING : 0;
inline int bad_time_wait = no_waits ? WARNING : 0;
inline int bad_orphans = share[orphans_now, orphans_most] >= 800 ? WARNING : 0;
inline int bad_mtu = too_big + mtu_failed ? WARNING : 0;
inline int bad_neighbours = mute ? WARNING : 0;
inline int bad_close_wait = waiting_all >= 100 ? WARNING : 0;
inline int bad_slow_lookups = slow_names ? WARNING : 0;
inline int bad_slow_connects = slow_connects ? WARNING : 0;
inline int bad_slow_answers = slow_first ? WARNING : 0;
inline int bad_queued = queued_long ? WARNING : 0;
int worst;

profile:::tick-1s
/ left <= 0 /
{
	watched = 1;
	exit(0);
}

/* ---- the verdicts, worst first ---- */
dtrace:::END
{
	lasted = seconds - left > 0 ? seconds - left : 1;
}

dtrace:::END
/ bad_ports == CRITICAL /
{
	row_state("verdict", "ports", "critical",
	    "ports in use", most_ports, ports_most / 1000, share[ports_most / 1000, 1000] / 10,
	    share[ports_most / 1000, 1000] % 10, 1000, strjoin(most_ports, "; "), "portuse");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_no_port /
{
	row_event("verdict", "no-port", "critical",
	    "connects that found no free port", most_no_port, no_port,
	    rate[no_port], rate10[no_port], strjoin(most_no_port, "; "), "portuse");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_descriptors /
{
	row_part("verdict", "descriptors", "critical",
	    "accepts that found no free descriptor", "", out_of_files,
	    rate[out_of_files], rate10[out_of_files], share[out_of_files, accepted + unaccepted] / 10,
	    share[out_of_files, accepted + unaccepted] % 10, accepted + unaccepted,
	    "", "soaccept");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_files == CRITICAL /
{
	row_state("verdict", "files", "critical",
	    "open files of the machine", "", open_now, share[open_now, open_most] / 10,
	    share[open_now, open_most] % 10, open_most, "", "ss");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_full_queue /
{
	row_part("verdict", "full-queue", "critical",
	    "connections that found a full queue", most_full_queue, full,
	    rate[full], rate10[full], share[full, syns] / 10,
	    share[full, syns] % 10, syns,
	    strjoin(most_full_queue, "; "), "tcpsynbl");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_conntrack_lost /
{
	row_event("verdict", "conntrack-lost", "critical",
	    "packets, conntrack table full", "", ct_lost,
	    rate[ct_lost], rate10[ct_lost], "", "skbdrop");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_conntrack == CRITICAL /
{
	row_state("verdict", "conntrack", "critical",
	    "conntrack table in use", "", ct_now, share[ct_now, ct_most] / 10,
	    share[ct_now, ct_most] % 10, ct_most, "", "ss");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_neighbours_lost /
{
	row_event("verdict", "neighbours-lost", "critical",
	    "new neighbours, table full", "", neigh_full,
	    rate[neigh_full], rate10[neigh_full], "", "neighsnoop");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_arp == CRITICAL /
{
	row_state("verdict", "arp", "critical",
	    "IPv4 neighbour table in use", "", arp_now, share[arp_now, arp_most] / 10,
	    share[arp_now, arp_most] % 10, arp_most, "", "neighsnoop");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_ndisc == CRITICAL /
{
	row_state("verdict", "ndisc", "critical",
	    "IPv6 neighbour table in use", "", nd_now, share[nd_now, nd_most] / 10,
	    share[nd_now, nd_most] % 10, nd_most, "", "neighsnoop");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_memory_lost /
{
	row_event("verdict", "memory-lost", "critical",
	    "connections lost for want of memory", "", mem_lost,
	    rate[mem_lost], rate10[mem_lost], "", "ss");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_memory == CRITICAL /
{
	row_state("verdict", "memory", "critical",
	    "memory of TCP (tcp_mem) in use", "", mem_now, share[mem_now, mem_most] / 10,
	    share[mem_now, mem_most] % 10, mem_most, "", "ss");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_failed_connects == CRITICAL /
{
	row_part("verdict", "failed-connects", "critical",
	    "failed connects", most_failed_connects, failed,
	    rate[failed], rate10[failed], share[failed, connects] / 10,
	    share[failed, connects] % 10, connects,
	    strjoin(most_failed_connects, "; "), "soconnect -e");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_resent == CRITICAL /
{
	row_part("verdict", "resent", "critical",
	    "segments sent again", most_resent, resent,
	    rate[resent], rate10[resent], share[resent, tcp_out] / 10,
	    share[resent, tcp_out] % 10, tcp_out,
	    strjoin(most_resent, "; "), strjoin("tcpretrans --host ", again_host));
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_stuck /
{
	row_event("verdict", "stuck", "critical",
	    "connections stuck on full-size segments", most_stuck, stuck,
	    rate[stuck], rate10[stuck], strjoin(most_stuck, "; "), strjoin("tcpretrans --host ", stuck_host));
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_failed_lookups == CRITICAL /
{
	row_part("verdict", "failed-lookups", "critical",
	    "failed lookups of names", "", unknown,
	    rate[unknown], rate10[unknown], share[unknown, asked] / 10,
	    share[unknown, asked] % 10, asked,
	    "", "gethostlatency");
	worst = worst > CRITICAL ? worst : CRITICAL;
}

dtrace:::END
/ bad_ports == WARNING /
{
	row_state("verdict", "ports", "warning",
	    "ports in use", most_ports, ports_most / 1000, share[ports_most / 1000, 1000] / 10,
	    share[ports_most / 1000, 1000] % 10, 1000, strjoin(most_ports, "; "), "portuse");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_files == WARNING /
{
	row_state("verdict", "files", "warning",
	    "open files of the machine", "", open_now, share[open_now, open_most] / 10,
	    share[open_now, open_most] % 10, open_most, "", "ss");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_conntrack == WARNING /
{
	row_state("verdict", "conntrack", "warning",
	    "conntrack table in use", "", ct_now, share[ct_now, ct_most] / 10,
	    share[ct_now, ct_most] % 10, ct_most, "", "ss");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_arp == WARNING /
{
	row_state("verdict", "arp", "warning",
	    "IPv4 neighbour table in use", "", arp_now, share[arp_now, arp_most] / 10,
	    share[arp_now, arp_most] % 10, arp_most, "", "neighsnoop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_ndisc == WARNING /
{
	row_state("verdict", "ndisc", "warning",
	    "IPv6 neighbour table in use", "", nd_now, share[nd_now, nd_most] / 10,
	    share[nd_now, nd_most] % 10, nd_most, "", "neighsnoop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_memory == WARNING /
{
	row_state("verdict", "memory", "warning",
	    "memory of TCP (tcp_mem) in use", "", mem_now, share[mem_now, mem_most] / 10,
	    share[mem_now, mem_most] % 10, mem_most, "", "ss");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_failed_connects == WARNING /
{
	row_part("verdict", "failed-connects", "warning",
	    "failed connects", most_failed_connects, failed,
	    rate[failed], rate10[failed], share[failed, connects] / 10,
	    share[failed, connects] % 10, connects,
	    strjoin(most_failed_connects, "; "), "soconnect -e");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_resent == WARNING /
{
	row_part("verdict", "resent", "warning",
	    "segments sent again", most_resent, resent,
	    rate[resent], rate10[resent], share[resent, tcp_out] / 10,
	    share[resent, tcp_out] % 10, tcp_out,
	    strjoin(most_resent, "; "), strjoin("tcpretrans --host ", again_host));
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_failed_lookups == WARNING /
{
	row_part("verdict", "failed-lookups", "warning",
	    "failed lookups of names", "", unknown,
	    rate[unknown], rate10[unknown], share[unknown, asked] / 10,
	    share[unknown, asked] % 10, asked,
	    "", "gethostlatency");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_reset /
{
	row_part("verdict", "reset", "warning",
	    "connections that were reset", most_reset, resets_in,
	    rate[resets_in], rate10[resets_in], share[resets_in, opened + accepted] / 10,
	    share[resets_in, opened + accepted] % 10, opened + accepted,
	    strjoin(most_reset, "; "), strjoin("tcpreset --host ", aborted_host));
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_cpu_lost /
{
	row_part("verdict", "cpu-lost", "warning",
	    "packets that found a CPU's queue full", "", cpu_lost,
	    rate[cpu_lost], rate10[cpu_lost], share[cpu_lost, cpu_in] / 10,
	    share[cpu_lost, cpu_in] % 10, cpu_in,
	    "", "skbdrop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_squeezed /
{
	row_event("verdict", "squeezed", "warning",
	    "turns of softirq that were too short", "", squeezed,
	    rate[squeezed], rate10[squeezed], "", "pktlat");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_device_wrong /
{
	row_part("verdict", "device-wrong", "warning",
	    "errors and overruns of devices", "", dev_wrong,
	    rate[dev_wrong], rate10[dev_wrong], share[dev_wrong, dev_in] / 10,
	    share[dev_wrong, dev_in] % 10, dev_in,
	    "", "skbdrop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_device_lost /
{
	row_part("verdict", "device-lost", "warning",
	    "received packets that devices dropped", "", dev_lost,
	    rate[dev_lost], rate10[dev_lost], share[dev_lost, dev_in] / 10,
	    share[dev_lost, dev_in] % 10, dev_in,
	    "", "skbdrop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_tail /
{
	row_part("verdict", "tail", "warning",
	    "packets dropped in devices' queues", "", tail_drops,
	    rate[tail_drops], rate10[tail_drops], share[tail_drops, out] / 10,
	    share[tail_drops, out] % 10, out,
	    "", "skbdrop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_udp_full /
{
	row_part("verdict", "udp-full", "warning",
	    "datagrams that found a full buffer", "", udp_full,
	    rate[udp_full], rate10[udp_full], share[udp_full, udp_in] / 10,
	    share[udp_full, udp_in] % 10, udp_in,
	    "", "sormem");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_udp_wrong /
{
	row_part("verdict", "udp-wrong", "warning",
	    "datagrams with errors", "", udp_wrong,
	    rate[udp_wrong], rate10[udp_wrong], share[udp_wrong, udp_all] / 10,
	    share[udp_wrong, udp_all] % 10, udp_all,
	    "", "skbdrop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_tcp_full /
{
	row_part("verdict", "tcp-full", "warning",
	    "segments that found a full buffer", "", tcp_full,
	    rate[tcp_full], rate10[tcp_full], share[tcp_full, tcp_all] / 10,
	    share[tcp_full, tcp_all] % 10, tcp_all,
	    "", "sormem");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_buffers /
{
	row_event("verdict", "buffers", "warning",
	    "full buffers of sockets", "", no_room,
	    rate[no_room], rate10[no_room], "", "sormem");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_cookies /
{
	row_part("verdict", "cookies", "warning",
	    "SYNs with cookies, or dropped", "", cookies + no_syns,
	    rate[cookies + no_syns], rate10[cookies + no_syns], share[cookies + no_syns, syns] / 10,
	    share[cookies + no_syns, syns] % 10, syns,
	    "", "tcpsynbl");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_time_wait /
{
	row_event("verdict", "time-wait", "warning",
	    "connections without room for TIME_WAIT", "", no_waits,
	    rate[no_waits], rate10[no_waits], "", "portuse");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_orphans /
{
	row_state("verdict", "orphans", "warning",
	    "connections without a process in use", "", orphans_now, share[orphans_now, orphans_most] / 10,
	    share[orphans_now, orphans_most] % 10, orphans_most, "", "ss");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_mtu /
{
	row_event("verdict", "mtu", "warning",
	    "packets that are too big for the path", "", too_big + mtu_failed,
	    rate[too_big + mtu_failed], rate10[too_big + mtu_failed], "", "tcpretrans");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_neighbours /
{
	row_event("verdict", "neighbours", "warning",
	    "neighbours that do not answer", "", mute,
	    rate[mute], rate10[mute], "", "neighsnoop");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_close_wait /
{
	row_event("verdict", "close-wait", "warning",
	    "connections not closed here, but there", most_close_wait, waiting_all,
	    rate[waiting_all], rate10[waiting_all], strjoin(most_close_wait, "; "), "ss --state CLOSE_WAIT");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_slow_lookups /
{
	row_part("verdict", "slow-lookups", "warning",
	    "lookups of 100 ms and more", "", slow_names,
	    rate[slow_names], rate10[slow_names], share[slow_names, asked] / 10,
	    share[slow_names, asked] % 10, asked,
	    "", "gethostlatency");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_slow_connects /
{
	row_part("verdict", "slow-connects", "warning",
	    "connects of 100 ms and more", "", slow_connects,
	    rate[slow_connects], rate10[slow_connects], share[slow_connects, connects] / 10,
	    share[slow_connects, connects] % 10, connects,
	    "", "soconnlat");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_slow_answers /
{
	row_part("verdict", "slow-answers", "warning",
	    "first bytes after 500 ms and more", "", slow_first,
	    rate[slow_first], rate10[slow_first], share[slow_first, firsts] / 10,
	    share[slow_first, firsts] % 10, firsts,
	    "", "so1stbyte");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ bad_queued /
{
	row_part("verdict", "queued", "warning",
	    "packets over 5 ms in a queue", "", queued_long,
	    rate[queued_long], rate10[queued_long], share[queued_long, out] / 10,
	    share[queued_long, out] % 10, out,
	    "", "qdisclat");
	worst = worst > WARNING ? worst : WARNING;
}

dtrace:::END
/ worst == 0 /
{
	say("Healthy: nothing stands out.\n");
}

dtrace:::END
/ watched /
{
	exit(worst ? 2 + worst : 0);
}

dtrace:::END
{
	header();
	row("traffic", "packets received", in / lasted, "/s", "");
	row("traffic", "packets sent", out / lasted, "/s", "");
	row("traffic", "payload received", in_bytes / 1024 / lasted, "KB/s", "");
	row("traffic", "payload sent", out_bytes / 1024 / lasted, "KB/s", "");
	row("traffic", "TCP segments received", tcp_in / lasted, "/s", "");
	row("traffic", "TCP segments sent", tcp_out / lasted, "/s", "");
	row("traffic", "UDP datagrams received", udp_in / lasted, "/s", "");
	row("traffic", "UDP datagrams sent", udp_out / lasted, "/s", "");
	if (tool_text) {
		trunc(@received, 3);
		trunc(@sent, 3);
	}
	normalize(@received, 1024 * lasted);
	normalize(@sent, 1024 * lasted);
	rows_if(@received);
	rows_if(@sent);
	row("connections", "TCP opened", opened, "", "");
	row("connections", "TCP accepted", accepted, "", "");
	if (!tool_text || failed)
		row("connections", "TCP failed to open", failed, "", next[failed, "soconnect -e"]);
	if (!tool_text || unaccepted)
		row("connections", "accepts that failed", unaccepted, "", next[unaccepted, "soaccept"]);
	this->half = syns - accepted - refused > 0 ? syns - accepted - refused : 0;
	if (!tool_text || this->half)
		row("connections", "SYNs without a connection", this->half, "", next[this->half > 10 * lasted, "tcpsnoop"]);
	if (!tool_text || closed)
		row("connections", "opened and ended in this time", closed, "", "");
	if (!tool_text || closed)
		row("connections", "... their mean life", closed ? life / closed : 0, "ms", "");
	if (!tool_text || brief)
		row("connections", "... shorter than 100 ms", brief, "", next[brief > 10 * lasted, "tcplife"]);
	if (!tool_text || resent)
		row("losses", "segments sent again", resent, "", next[resent * 100 > tcp_out, "tcpretrans"]);
	if (!tool_text || timeouts)
		row("losses", "retransmission timeouts", timeouts, "", next[timeouts, "tcpretrans"]);
	if (!tool_text || dropped)
		row("losses", "TCP segments dropped", dropped, "", next[dropped, "tcpdrop"]);
	if (!tool_text || full)
		row("losses", "full listen queues", full, "", next[full, "tcpsynbl"]);
	if (!tool_text || resets_out)
		row("losses", "resets sent", resets_out, "", next[resets_out * 100 > tcp_out, "tcpsnoop"]);
	if (!tool_text || resets_in)
		row("losses", "connections reset by others", resets_in, "", next[resets_in, "tcpstates"]);
	if (!tool_text || shut)
		row("losses", "closed receive windows", shut, "", next[shut, "tcpwin"]);
	if (!tool_text || no_room)
		row("losses", "full socket buffers", no_room, "", next[no_room, "sormem"]);
	if (!tool_text || tail_drops)
		row("losses", "drops in devices' queues", tail_drops, "", next[tail_drops, "skbdrop"]);
	if (!tool_text || lost)
		row("losses", "other packets dropped", lost, "", next[lost * 100 > in + out, "skbdrop"]);
	if (!tool_text || mute)
		row("losses", "neighbours that do not answer", mute, "", next[mute, "neighsnoop"]);
	if (!tool_text || ct_lost)
		row("losses", "conntrack table full", ct_lost, "", next[ct_lost, "skbdrop"]);
	if (!tool_text || neigh_full)
		row("losses", "neighbour table full", neigh_full, "", next[neigh_full, "neighsnoop"]);
	if (!tool_text || cpu_lost)
		row("losses", "drops in CPUs' queues", cpu_lost, "", next[cpu_lost, "skbdrop"]);
	if (!tool_text || squeezed)
		row("losses", "softirq out of time", squeezed, "", next[squeezed, "pktlat"]);
	if (!tool_text || dev_lost)
		row("losses", "drops of devices", dev_lost, "", next[dev_lost, "skbdrop"]);
	if (!tool_text || dev_wrong)
		row("losses", "errors of devices", dev_wrong, "", next[dev_wrong, "skbdrop"]);
	if (!tool_text || udp_full)
		row("losses", "datagrams beyond buffers", udp_full, "", next[udp_full, "sormem"]);
	if (!tool_text || tcp_full)
		row("losses", "segments beyond buffers", tcp_full, "", next[tcp_full, "sormem"]);
	if (!tool_text || squashed)
		row("losses", "received data squeezed together", squashed, "", next[squashed, "sormem"]);
	if (!tool_text || cookies)
		row("losses", "SYN cookies", cookies, "", next[cookies, "tcpsynbl"]);
	if (!tool_text || asked)
		row("names", "lookups", asked, "", "");
	if (!tool_text || unknown)
		row("names", "... failed", unknown, "", next[unknown, "gethostlatency"]);
	if (!tool_text || asked)
		row("names", "... their mean time", asked ? name_time / asked : 0, "us", "");
	if (!tool_text || slow_names)
		row("names", "... of 100 ms and more", slow_names, "", next[slow_names, "gethostlatency"]);
	if (!tool_text || connects)
		row("latency", "mean time to connect", connects ? connect_time / connects : 0, "us", "");
	if (!tool_text || slow_connects)
		row("latency", "connects of 100 ms and more", slow_connects, "", next[slow_connects, "soconnlat"]);
	if (!tool_text || firsts)
		row("latency", "mean time to the first byte", firsts ? first_time / firsts : 0, "us", "");
	if (!tool_text || slow_first)
		row("latency", "first bytes after 500 ms and more", slow_first, "", next[slow_first, "so1stbyte"]);
	if (!tool_text || far)
		row("latency", "segments from over 200 ms away", far, "", next[far * 10 > tcp_in, "tcprtt"]);
	if (!tool_text || queued_long)
		row("latency", "packets over 5 ms in a queue", queued_long, "", next[queued_long, "qdisclat"]);
	this->hidden = turns > 5 && !seen ? turns : 0;
	if (!tool_text || this->hidden)
		row("tracing", "turns of process 1 not traced", this->hidden, "", "");
	if (!tool_text || unread)
		row("tracing", "reading of sockets unfinished", unread, "", "");
	say("All else of connections, losses, names and latency is 0.\n");
}
