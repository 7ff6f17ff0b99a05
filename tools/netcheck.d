// SPDX-License-Identifier: GPL-2.0-or-later
/* netcheck: a first look at the network, and which tool to run next.
 *
 * common: owner
 * seconds         seconds = 5        how long to watch (5)
 * row: CHECK %-11s WHAT %-33s DEVICE[json] - VALUE %10d UNIT %-4s LINK[json]=link_mbps - NEXT %s
 * row verdict: SEVERITY[!json] %-8s VERDICT[!json] "%s\n         look: dwire" CHECK[json]=check %s WHAT[json]=what %s DEVICE[json]=device -
 * row verdict: VALUE[json]=value %d UNIT[json]=unit %s LINK[json]=link_mbps - NEXT %s
 * row if: CHECK %-11s WHAT %-21s DEVICE %-11.11s VALUE %@10d UNIT %-4s LINK=link_mbps %s NEXT[json] -
 */
#pragma D option aggsortrev

int64_t in, out, in_bytes, out_bytes, tcp_in, tcp_out, udp_in, udp_out;
int64_t opened, accepted, failed, closed, brief, life, syns, refused, unaccepted;
int64_t resent, timeouts, dropped, lost, mute, tail_drops, full, resets_out, resets_in, shut, no_room;
int64_t asked, unknown, slow_names, name_time;
int64_t slow_connects, connect_time, connects, slow_first, firsts, first_time, far, queued_long;
int64_t left, turns, seen;
uint64_t born[uint64_t], asked_at[uint64_t], made_at[uint64_t];
/* Who stands out: of each kind the host, port or process with the most. */
int64_t again[string], again_most, unmade[string], unmade_most, aborted[string], aborted_most, full_port;
string again_host, unmade_host, aborted_host, failed_error;
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
	say("Watching the network for %d s...\n", seconds);
}

/* ---- what is there when it starts ---- */
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
	failed_error = args[2]->sr_error;
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

tcp:::rto
/ wanted(args[1]) /
{
	timeouts++;
}

tcp:::drop
/ !counted[args[5]->drop_reason] && wanted(args[1]) /
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
/ (args[2]->ip_ver == 4 ? args[4]->ipv4_protocol : args[5]->ipv6_nexthdr) != IPPROTO_TCP &&
    !counted[args[6]->drop_reason] && wanted(args[1]) /
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

/* How bad it is, as exit status. 1 and 2 are errors of dwire itself. */
inline int share = tcp_out ? resent * 100 / tcp_out : 0;
inline int ports_bad = ports_most >= 950000 ? CRITICAL : ports_most >= 700000 ? WARNING : 0;
inline int again_bad = share >= 3 ? CRITICAL : share >= 1 ? WARNING : 0;
inline int failed_bad = failed * 10 >= connects && failed ? CRITICAL : failed ? WARNING : 0;
inline int full_bad = full ? CRITICAL : 0;
inline int files_bad = out_of_files ? CRITICAL : 0;
inline int names_bad = unknown * 10 >= asked && unknown ? CRITICAL : unknown ? WARNING : 0;
inline int slow_names_bad = slow_names ? WARNING : 0;
inline int reset_bad = resets_in > failed ? WARNING : 0;
inline int waiting_bad = waiting_all >= 100 ? WARNING : 0;
inline int room_bad = no_room ? WARNING : 0;
inline int tail_bad = tail_drops ? WARNING : 0;
inline int mute_bad = mute ? WARNING : 0;
inline int queue_bad = queued_long ? WARNING : 0;
inline int slow_bad = slow_connects ? WARNING : 0;
inline int first_bad = slow_first ? WARNING : 0;
inline int worst = ports_bad == CRITICAL || again_bad == CRITICAL || failed_bad == CRITICAL || full_bad || files_bad ||
    names_bad == CRITICAL ? CRITICAL : ports_bad || again_bad || failed_bad || names_bad || slow_names_bad || reset_bad ||
    waiting_bad || room_bad || tail_bad || mute_bad || queue_bad || slow_bad || first_bad ? WARNING : 0;

profile:::tick-1s
/ left <= 0 /
{
	exit(worst ? 2 + worst : 0);
}

/* ---- the verdicts, worst first ---- */
inline string counted_of[string what, int64_t n] = strjoin(what, lltostr(n));
inline string joined[string what, int64_t n, string most, string who, string more] =
    strjoin(strjoin(counted_of[what, n], most), strjoin(who, more));

dtrace:::END
/ ports_bad == CRITICAL /
{
	this->said = joined["", ports_most / 10000, " % of the ports to ", ports_host, " are in use"];
	row_verdict("critical", this->said, "verdict", this->said, CRITICAL, "critical", "portuse");
}

dtrace:::END
/ files_bad == CRITICAL /
{
	this->said = counted_of["accepts that found no free descriptor: ", out_of_files];
	row_verdict("critical", this->said, "verdict", this->said, CRITICAL, "critical", "soaccept");
}

dtrace:::END
/ full_bad == CRITICAL /
{
	this->said = joined["connections that found a full queue: ", full, ", last of port ", lltostr(full_port), ""];
	row_verdict("critical", this->said, "verdict", this->said, CRITICAL, "critical", "tcpsynbl");
}

dtrace:::END
/ failed_bad == CRITICAL /
{
	this->said = joined["failed connects: ", failed, ", most to ", unmade_host, strjoin(": ", failed_error)];
	row_verdict("critical", this->said, "verdict", this->said, CRITICAL, "critical", "soconnect -e");
}

dtrace:::END
/ again_bad == CRITICAL /
{
	this->said = joined["", share, " % of segments are sent again, most to ", again_host, ""];
	row_verdict("critical", this->said, "verdict", this->said, CRITICAL, "critical", strjoin("tcpretrans --host ", again_host));
}

dtrace:::END
/ names_bad == CRITICAL /
{
	this->said = counted_of["failed lookups of names: ", unknown];
	row_verdict("critical", this->said, "verdict", this->said, CRITICAL, "critical", "gethostlatency");
}

dtrace:::END
/ ports_bad == WARNING /
{
	this->said = joined["", ports_most / 10000, " % of the ports to ", ports_host, " are in use"];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "portuse");
}

dtrace:::END
/ failed_bad == WARNING /
{
	this->said = joined["failed connects: ", failed, ", most to ", unmade_host, strjoin(": ", failed_error)];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "soconnect -e");
}

dtrace:::END
/ again_bad == WARNING /
{
	this->said = joined["", share, " % of segments are sent again, most to ", again_host, ""];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", strjoin("tcpretrans --host ", again_host));
}

dtrace:::END
/ names_bad == WARNING /
{
	this->said = counted_of["failed lookups of names: ", unknown];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "gethostlatency");
}

dtrace:::END
/ reset_bad == WARNING /
{
	this->said = joined["connections that were reset: ", resets_in, ", most by ", aborted_host, ""];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", strjoin("tcpreset --host ", aborted_host));
}

dtrace:::END
/ tail_bad == WARNING /
{
	this->said = counted_of["packets dropped in devices' queues: ", tail_drops];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "skbdrop");
}

dtrace:::END
/ room_bad == WARNING /
{
	this->said = counted_of["full buffers of sockets: ", no_room];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "sormem");
}

dtrace:::END
/ mute_bad == WARNING /
{
	this->said = counted_of["neighbours that do not answer: ", mute];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "neighsnoop");
}

dtrace:::END
/ waiting_bad == WARNING /
{
	this->said = joined["connections not closed here, but there: ", waiting_all, ", most of ", waiting_name, ""];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "ss --state CLOSE_WAIT");
}

dtrace:::END
/ slow_names_bad == WARNING /
{
	this->said = counted_of["lookups of 100 ms and more: ", slow_names];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "gethostlatency");
}

dtrace:::END
/ slow_bad == WARNING /
{
	this->said = counted_of["connects of 100 ms and more: ", slow_connects];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "soconnlat");
}

dtrace:::END
/ first_bad == WARNING /
{
	this->said = counted_of["first bytes after 500 ms and more: ", slow_first];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "so1stbyte");
}

dtrace:::END
/ queue_bad == WARNING /
{
	this->said = counted_of["packets over 5 ms in a queue: ", queued_long];
	row_verdict("warning", this->said, "verdict", this->said, WARNING, "warning", "qdisclat");
}

dtrace:::END
/ worst == 0 /
{
	say("Nothing stands out.\n");
}

dtrace:::END
{
	this->s = seconds - left > 0 ? seconds - left : 1;
	header();
	row("traffic", "packets received", in / this->s, "/s", "");
	row("traffic", "packets sent", out / this->s, "/s", "");
	row("traffic", "payload received", in_bytes / 1024 / this->s, "KB/s", "");
	row("traffic", "payload sent", out_bytes / 1024 / this->s, "KB/s", "");
	row("traffic", "TCP segments received", tcp_in / this->s, "/s", "");
	row("traffic", "TCP segments sent", tcp_out / this->s, "/s", "");
	row("traffic", "UDP datagrams received", udp_in / this->s, "/s", "");
	row("traffic", "UDP datagrams sent", udp_out / this->s, "/s", "");
	if (tool_text) {
		trunc(@received, 3);
		trunc(@sent, 3);
	}
	normalize(@received, 1024 * this->s);
	normalize(@sent, 1024 * this->s);
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
		row("connections", "SYNs without a connection", this->half, "", next[this->half > 10 * this->s, "tcpsnoop"]);
	if (!tool_text || closed)
		row("connections", "opened and ended in this time", closed, "", "");
	if (!tool_text || closed)
		row("connections", "... their mean life", closed ? life / closed : 0, "ms", "");
	if (!tool_text || brief)
		row("connections", "... shorter than 100 ms", brief, "", next[brief > 10 * this->s, "tcplife"]);
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
	say("All else of connections, losses, names and latency is 0.\n");
}
