// SPDX-License-Identifier: GPL-2.0-or-later
/* ss: the sockets that are open now: owner, state, queues, traffic.
 *
 * common: sockets interval walks live
 * -t,--tcp         tcp = 0      only TCP
 * -u,--udp         udp = 0      only UDP
 * -l,--listening   listen = 0   only sockets that listen, or are not connected
 * -a,--all         all = 0      those and the connected ones
 * -w,--wide        wide = 0     all columns
 * -c,--count       counts = 0   count by process and state; or by other columns, with --by
 * --state STATE    state = ""   only this state, as the column STATE shows it
 * row: PROTO %-5s PID[!json] %7s PID=pid[json] %d COMM[!json] %-12.12s COMM=comm[json] %s STATE %-11s
 * row: RECV-Q=recvq %6d SEND-Q=sendq %6d LADDR[wide] %15s|%39s LPORT %5d RADDR %15s|%39s RPORT %-5d
 * row: ZONE[wide] %-10s CONTAINER[wide] %#-12s UID[wide] %#5d SENT[wide] %#10d RECEIVED[wide] %#10d RETRANS[wide] %#7d
 * row: DROPS[wide] %5d RTT_US[wide] %#7d IDLE_MS[wide] %#8d CWND[wide] %#4d CC[wide] %-7s INODE[wide] %d
 * row counts: COMM %-16s STATE %-11s SOCKETS %@7d RECV-Q=recvq %@10d SEND-Q=sendq %@10d
 * row local: PROTO %-5s PID %7s COMM %-12.12s STATE %-11s RECV-Q %6d SEND-Q %6d LADDR %15s LPORT %d
 */
inline int local = listen && tool_text && wide == 0 && counts == 0;

dtrace:::BEGIN
/ local == 0 && counts == 0 /
{
	header();
}

dtrace:::BEGIN
/ local /
{
	header_local();
}

sockets:::tcp-open, sockets:::udp-open
/ (tcp == udp || (args[0]->os_protocol == IPPROTO_TCP) == tcp) &&
  (all || args[0]->os_listens == listen) && (state == "" || args[0]->os_statename == state) &&
  wanted(args[1], args[0]->os_lport, args[0]->os_rport, args[0]->os_laddr, args[0]->os_raddr) /
{
	this->mine = 1;
	this->pid = args[1]->cs_pid < 0 ? "-" : lltostr(args[1]->cs_pid);
	this->comm = args[1]->cs_pid < 0 ? "-" : args[1]->cs_execname;
	/* what is left of a connection in TIME_WAIT has neither an inode nor a user */
	this->uid = args[1]->cs_pid < 0 && args[0]->os_inode == 0 ? (int64_t)-1 : (int64_t)args[1]->cs_uid;
	/* of UDP, of listeners and of TIME_WAIT the kernel keeps no such numbers; a connection's window is never 0 */
	this->flow = args[0]->os_cwnd != 0;
}

sockets:::tcp-open, sockets:::udp-open
/ this->mine && local == 0 && counts == 0 /
{
	row(args[0]->os_proto, this->pid, args[1]->cs_pid, this->comm, args[1]->cs_execname, args[0]->os_statename,
	    args[0]->os_rcvq, args[0]->os_sndq, args[0]->os_laddr, args[0]->os_lport, args[0]->os_raddr, args[0]->os_rport,
	    args[1]->cs_zonename, args[1]->cs_container, this->uid, this->flow ? (int64_t)args[0]->os_sent : (int64_t)-1,
	    this->flow ? (int64_t)args[0]->os_received : (int64_t)-1,
	    this->flow ? (int64_t)args[0]->os_retrans : (int64_t)-1, args[0]->os_drops,
	    this->flow && args[0]->os_srtt != 0 ? (int64_t)args[0]->os_srtt : (int64_t)-1,
	    this->flow ? (int64_t)args[0]->os_idle : (int64_t)-1, this->flow ? (int64_t)args[0]->os_cwnd : (int64_t)-1,
	    args[0]->os_cc, args[0]->os_inode);
}

sockets:::tcp-open, sockets:::udp-open
/ this->mine && local /
{
	row_local(args[0]->os_proto, this->pid, this->comm, args[0]->os_statename, args[0]->os_rcvq, args[0]->os_sndq,
	    args[0]->os_laddr, args[0]->os_lport);
}

/* Counted are bytes; the queues of a listener are connections. */
sockets:::tcp-open, sockets:::udp-open
/ this->mine && counts &&
  wanted(args[1], args[0]->os_lport, args[0]->os_rport, args[0]->os_laddr, args[0]->os_raddr) /
{
	@sockets[this->comm, args[0]->os_statename] = count();
	@received[this->comm, args[0]->os_statename] = sum(args[0]->os_state == TCP_STATE_LISTEN ? 0 : args[0]->os_rcvq);
	@sent[this->comm, args[0]->os_statename] = sum(args[0]->os_state == TCP_STATE_LISTEN ? 0 : args[0]->os_sndq);
}

sockets:::done
/ counts /
{
	header_counts();
	rows_counts(@sockets, @received, @sent);
	trunc(@sockets);
	trunc(@received);
	trunc(@sent);
}

/* above the next report */
sockets:::done
/ interval && tool_reports + 1 != count /
{
	say("\n%#T  interval %d\n", walltimestamp, tool_reports + 2);
}

sockets:::done
/ interval && tool_reports + 1 != count && local == 0 && counts == 0 /
{
	header();
}

sockets:::done
/ interval && tool_reports + 1 != count && local /
{
	header_local();
}
