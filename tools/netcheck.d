// SPDX-License-Identifier: GPL-2.0-or-later
/* netcheck: a first look at the network, and which tool to run next.
 *
 * common: owner
 * seconds         seconds = 5        how long to watch (5)
 * row: CHECK %-11s WHAT %-33s DEVICE[json] - VALUE %10d UNIT %-4s LINK[json]=link_mbps - NEXT %s
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

inline int ms = 1000000;
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
}

sock:::connect-start
/ args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP && wanted(args[1]) /
{
	asked_at[args[0]->so_addr] = timestamp;
}

sock:::connect-done
/ asked_at[args[0]->so_addr] /
{
	this->ms = (timestamp - asked_at[args[0]->so_addr]) / ms;
	asked_at[args[0]->so_addr] = 0;
	connects++;
	connect_time += this->ms;
	slow_connects += this->ms >= 100;
	failed += args[2]->sr_errno != 0;
	made_at[args[0]->so_addr] = args[2]->sr_errno ? 0 : timestamp;
}

sock:::first-byte
/ made_at[args[0]->so_addr] /
{
	this->ms = (timestamp - made_at[args[0]->so_addr]) / ms;
	made_at[args[0]->so_addr] = 0;
	firsts++;
	first_time += this->ms;
	slow_first += this->ms >= 500;
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
	name_time += args[1]->lkp_latency / ms;
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

profile:::tick-1s
/ left <= 0 /
{
	exit(0);
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
		row("names", "... their mean time", asked ? name_time / asked : 0, "ms", "");
	if (!tool_text || slow_names)
		row("names", "... of 100 ms and more", slow_names, "", next[slow_names, "gethostlatency"]);
	if (!tool_text || connects)
		row("latency", "mean time to connect", connects ? connect_time / connects : 0, "ms", "");
	if (!tool_text || slow_connects)
		row("latency", "connects of 100 ms and more", slow_connects, "", next[slow_connects, "soconnlat"]);
	if (!tool_text || firsts)
		row("latency", "mean time to the first byte", firsts ? first_time / firsts : 0, "ms", "");
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
