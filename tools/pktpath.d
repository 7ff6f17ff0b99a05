// SPDX-License-Identifier: GPL-2.0-or-later
/* pktpath: the way of packets through the kernel, stage by stage.
 *
 * common: sockets
 * -n PACKETS   packets = 0   end after this many packets
 * -i DEVICE    device = ""   only packets that pass this device
 * row: ID=id[json] %d PKT=packet %3d STAGE %-11s USECS=us %6d.%03d TOTAL_US=total_us[wide] %7d.%03d
 * row: ZONE[wide] %-12s DEVICE %-8.8s PID[wide] %#7d COMM[wide] %#-16s FLAGS[wide] %02x PROTO[wide] %-5s
 * row: SOURCE:PORT=saddr:sport %15s:%-5d|%39s:%-5d DEST:PORT=daddr:dport %15s:%-5d|%39s:%-5d REASON[json] %s
 */
#pragma D option dynvarsize=16m

/* Numbers of the packets that are followed, by their identity. The newest PATH_KEPT of them are remembered. */
inline int PATH_KEPT = 8192;
uint64_t number[uint64_t];
uint64_t kept[uint64_t];
uint64_t found;
uint64_t last;		/* when a stage was printed */

dtrace:::BEGIN
{
	header();
}

path:::
/ number[args[4]->path_id] == 0 && (packets == 0 || found < packets) &&
  (device == "" || args[3]->if_name == device) &&
  (args[0]->pkt_recv ?
    wanted(args[1], args[4]->path_dport, args[4]->path_sport, args[2]->ip_daddr, args[2]->ip_saddr) :
    wanted(args[1], args[4]->path_sport, args[4]->path_dport, args[2]->ip_saddr, args[2]->ip_daddr)) /
{
	found++;
	number[kept[found % PATH_KEPT]] = 0;
	kept[found % PATH_KEPT] = args[4]->path_id;
	number[args[4]->path_id] = found;
}

path:::
/ number[args[4]->path_id] != 0 /
{
	this->reason = "";
	this->stage = args[4]->path_stagestr;
}

path:::drop
/ number[args[4]->path_id] != 0 /
{
	this->reason = args[5]->drop_reason;
	this->stage = tool_text ? strjoin("drop: ", args[5]->drop_reason) : "drop";
}

path:::
/ number[args[4]->path_id] != 0 /
{
	last = timestamp;
	row(args[4]->path_id, number[args[4]->path_id], this->stage, args[4]->path_time / 1000,
	    args[4]->path_time % 1000, args[4]->path_total / 1000, args[4]->path_total % 1000,
	    args[0]->pkt_zonename, args[3]->if_name, args[4]->path_stagestr == "read" ? pid : args[1]->cs_pid,
	    args[4]->path_stagestr == "read" ? curpsinfo->pr_fname : args[1]->cs_execname, args[4]->path_flags,
	    args[4]->path_protostr, args[2]->ip_saddr, args[4]->path_sport, args[2]->ip_daddr, args[4]->path_dport,
	    this->reason);
}

/* The last packet's way has ended when none of its stages was seen for a second. */
profile:::tick-250ms
/ packets != 0 && found >= packets && timestamp - last > 1000000000 /
{
	exit(0);
}
