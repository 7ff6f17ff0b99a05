// SPDX-License-Identifier: GPL-2.0-or-later
/* pktpath: the way of packets through the kernel, stage by stage.
 *
 * common: sockets packets
 * -n PACKETS   packets = 0   end after this many packets
 * -i DEVICE    device = ""   only packets that pass this device
 * --flags FLAG,...  tool_flags = words  only with these flags of TCP: SYN+ACK,RST,!PSH
 * row: ID=id[json] %d PKT=packet %3d STAGE %-11s USECS=us %6d.%03d TOTAL_US=total_us[wide] %7d.%03d
 * row: ZONE[wide] %-12s DEVICE %-8.8s PID[wide] %#7d COMM[wide] %#-16s FLAGS[wide] %02x PROTO[wide] %-5s
 * row: SOURCE:PORT=saddr:sport %+15s:%-5d|%+39s:%-5d DEST:PORT=daddr:dport %+15s:%-5d|%+39s:%-5d
 * row: CLONE[wide] %5d CT[wide] %#-11s OSOURCE:PORT=osaddr:osport[wide] %#15s:%#-5d|%#39s:%#-5d
 * row: ODEST:PORT=odaddr:odport[wide] %#15s:%#-5d|%#39s:%#-5d RSOURCE:PORT=rsaddr:rsport[wide] %#15s:%#-5d|%#39s:%#-5d
 * row: RDEST:PORT=rdaddr:rdport[wide] %#15s:%#-5d|%#39s:%#-5d NAT[wide] %#-9s CTSTATE[wide] %#-11s
 * row: VERDICT[wide] %#-10s BY[wide] %#-16s HOOK[json] %#s REASON[json] %#s
 * row: FAMILY=nf_family[wide] %#-6s TABLE[wide] %#-12s CHAIN[wide] %#-12s RULE[wide] %#6d
 * row: ACT[wide] %#-8s PROG[wide] %#-16s LIMIT=limit_bytes[wide] %#7d INFLIGHT=inflight_bytes[wide] %#8d HELD_US=held_us[wide] %#7d
 */
#pragma D option dynvarsize=16m

/* The compiler knows the stage of each probe: a clause whose predicate excludes a stage costs nothing there. A packet is
 * found at a stage that gives it its identity. Its call is seen before the first of the three at which it may begin. */

/* Numbers of the packets that are followed, by their identity. The newest PATH_KEPT of them are remembered. */
inline int PATH_KEPT = 8192;
uint64_t number[uint64_t];
uint64_t kept[uint64_t];
uint64_t found;
uint64_t last;		/* when a stage was printed */

/* A packet's buffers are numbered as they are seen, from 1 on; all but the first are clones, or parts. */
uint64_t clones[uint64_t];	/* of a packet: how many buffers */
uint64_t whose[uintptr_t];	/* of a buffer: its packet's identity */
uint64_t clone[uintptr_t];	/* its number */
uint64_t at[uintptr_t];		/* when it was seen last; 0: not yet */

/* In text a clone's stages stand to the right of those of the first buffer: +, ++, +++ for the second to the fourth. */
inline string indented[int depth, string stage] = tool_text == 0 || depth <= 1 ? stage :
    depth == 2 ? strjoin("+ ", stage) : depth == 3 ? strjoin("++ ", stage) : strjoin("+++ ", stage);
inline string drop_text[string reason, string hook] = hook == "" ? reason : strjoin(strjoin(reason, " at "), hook);

/* The near end of a packet that comes is its destination. */
inline int near_port[int comes, int from, int to] = comes ? to : from;
inline string near_addr[int comes, string from, string to] = comes ? to : from;

dtrace:::BEGIN
{
	header();
}

path:::
/ (args[4]->path_stage <= DW_PATH_DROP || args[4]->path_stage == DW_PATH_TCP_OUT || args[4]->path_stage == DW_PATH_UDP_OUT) &&
  args[4]->path_id != 0 && number[args[4]->path_id] == 0 && (packets == 0 || found < packets) &&
  (device == "" || args[3]->if_name == device) &&
  wanted(args[1], near_port[args[0]->pkt_recv, args[4]->path_sport, args[4]->path_dport],
    near_port[args[0]->pkt_recv, args[4]->path_dport, args[4]->path_sport],
    near_addr[args[0]->pkt_recv, args[2]->ip_saddr, args[2]->ip_daddr],
    near_addr[args[0]->pkt_recv, args[2]->ip_daddr, args[2]->ip_saddr], args[4]->path_flags) /
{
	found++;
	number[kept[found % PATH_KEPT]] = 0;
	clones[kept[found % PATH_KEPT]] = 0;
	kept[found % PATH_KEPT] = args[4]->path_id;
	number[args[4]->path_id] = found;
	this->called = args[4]->path_last == "send";
}

path:::
/ args[4]->path_stage != DW_PATH_SEND && number[args[4]->path_id] != 0 && whose[args[0]->pkt_addr] != args[4]->path_id /
{
	clones[args[4]->path_id]++;
	whose[args[0]->pkt_addr] = args[4]->path_id;
	clone[args[0]->pkt_addr] = clones[args[4]->path_id];
	at[args[0]->pkt_addr] = 0;
}

path:::
/ args[4]->path_stage != DW_PATH_SEND && number[args[4]->path_id] != 0 /
{
	this->clone = clone[args[0]->pkt_addr];
	this->ns = at[args[0]->pkt_addr] != 0 ? timestamp - at[args[0]->pkt_addr] : args[4]->path_time;
	at[args[0]->pkt_addr] = timestamp;
	this->reason = "";
	this->nat = args[4]->path_ct != "" && args[4]->path_ct != "UNTRACKED";
	this->stage = indented[this->clone, args[4]->path_stagestr];
}

path:::drop
/ number[args[4]->path_id] != 0 /
{
	this->reason = args[5]->drop_reason;
	this->stage = tool_text ? indented[this->clone, strjoin("drop: ", drop_text[args[5]->drop_reason, args[4]->path_hook])] : "drop";
}

/* The call that sent it was before the packet: it stands above the first stage, but not in a file of packets. */
path:::
/ (args[4]->path_stage == DW_PATH_OUTPUT || args[4]->path_stage == DW_PATH_TCP_OUT || args[4]->path_stage == DW_PATH_UDP_OUT) &&
  this->called && tool_capture == 0 /
{
	row(args[4]->path_id, number[args[4]->path_id], "send", 0, 0, 0, 0, args[0]->pkt_zonename, "", args[1]->cs_pid,
	    args[1]->cs_execname, args[4]->path_flags, args[4]->path_protostr, args[2]->ip_saddr, args[4]->path_sport,
	    args[2]->ip_daddr, args[4]->path_dport, this->clone, "", "", -1, "", -1, "", -1, "", -1, "", "", "", "", "", "", "", "", "", -1, "", "", -1, -1, -1);
}

path:::
/ args[4]->path_stage != DW_PATH_SEND && number[args[4]->path_id] != 0 /
{
	last = timestamp;
	row(args[4]->path_id, number[args[4]->path_id], this->stage, this->ns / 1000,
	    this->ns % 1000, args[4]->path_total / 1000, args[4]->path_total % 1000,
	    args[0]->pkt_zonename, args[3]->if_name, args[4]->path_stagestr == "read" ? pid : args[1]->cs_pid,
	    args[4]->path_stagestr == "read" ? curpsinfo->pr_fname : args[1]->cs_execname, args[4]->path_flags,
	    args[4]->path_protostr, args[2]->ip_saddr, args[4]->path_sport, args[2]->ip_daddr, args[4]->path_dport,
	    this->clone, args[4]->path_ct, args[4]->path_osaddr,
	    this->nat ? args[4]->path_osport : -1, args[4]->path_odaddr, this->nat ? args[4]->path_odport : -1,
	    args[4]->path_rsaddr, this->nat ? args[4]->path_rsport : -1, args[4]->path_rdaddr, this->nat ? args[4]->path_rdport : -1,
	    args[4]->path_nat, args[4]->path_ctstate, args[4]->path_verdict, args[4]->path_by,
	    args[4]->path_hook, this->reason, args[4]->path_family, args[4]->path_table, args[4]->path_chain,
	    args[4]->path_rule, args[4]->path_act, args[4]->path_prog, args[4]->path_limit, args[4]->path_inflight,
	    args[4]->path_stagestr == "dequeue" ? (int64_t)args[4]->path_held / 1000 : -1);
}

/* A frame that an XDP program in a driver drops, sends or redirects never becomes a packet, so it has this row alone. Its
 * number in JSON is made as identities are. A frame that is passed begins at driver-in. The probe is a pattern because
 * some kernels do not have path:::xdp. */
inline string xdp_text[string verdict, string program] = program == "" ? verdict : strjoin(strjoin(verdict, " by "), program);

path:::xd*
/ args[4]->path_id == 0 && args[4]->path_verdict != "PASS" && (packets == 0 || found < packets) &&
  (device == "" || args[3]->if_name == device) &&
  wanted(args[1], args[4]->path_dport, args[4]->path_sport, args[2]->ip_daddr, args[2]->ip_saddr, args[4]->path_flags) /
{
	found++;
	last = timestamp;
	this->frame = xdp_text[args[4]->path_verdict, args[4]->path_prog];
}

path:::xd*
/ args[4]->path_id == 0 && this->frame != "" && tool_capture == 0 /
{
	row(timestamp << DW_PATH_CPU_BITS | cpu, found, tool_text ? strjoin("xdp: ", this->frame) : "xdp", 0, 0, 0, 0,
	    args[0]->pkt_zonename, args[3]->if_name, -1, "", args[4]->path_flags, args[4]->path_protostr, args[2]->ip_saddr,
	    args[4]->path_sport, args[2]->ip_daddr, args[4]->path_dport, 1, "", "", -1, "", -1, "", -1, "", -1, "", "",
	    args[4]->path_verdict, args[4]->path_by, "", "", "", "", "", -1, "", args[4]->path_prog, -1, -1, -1);
}

path:::xd*
/ args[4]->path_id == 0 && this->frame != "" && tool_capture /
{
	note("xdp %s:%d > %s:%d: %s", args[2]->ip_saddr, args[4]->path_sport, args[2]->ip_daddr, args[4]->path_dport,
	    this->frame);
}

/* With -w: what the packet itself does not say. */
path:::drop
/ tool_capture && number[args[4]->path_id] != 0 /
{
	note("drop %s:%d > %s:%d: %s", args[2]->ip_saddr, args[4]->path_sport, args[2]->ip_daddr, args[4]->path_dport,
	    drop_text[args[5]->drop_reason, args[4]->path_hook]);
}

/* The last packet's way has ended when none of its stages was seen for a second. */
profile:::tick-250ms
/ packets != 0 && found >= packets && timestamp - last > 1000000000 /
{
	exit(0);
}
