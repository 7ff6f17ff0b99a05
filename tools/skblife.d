// SPDX-License-Identifier: GPL-2.0-or-later
/* skblife: how long packets' buffers (sk_buff) live, and where they wait.
 *
 * common: sockets interval
 * filters: states
 * -D    byproto = 0   a distribution for each protocol
 * -s    states = 0    by owner and end: lives and waits by place; filters do so
 * row: WHAT %s PROTO %s NSECS=ns %@d
 * row states: COMM %-15s END=end %-18s WAIT=wait %-10s BUFFERS %@7d TOTAL_US=sum_us %@9d AVG_US=avg_us %@7d MAX_US=max_us %@8d
 * column TOTAL_US: of all buffers; the waits of an owner and an end are their lives
 */
#pragma D option dynvarsize=16m

/* The places where a buffer waits, by the stage that it has passed last; 0: it was made. */
inline int wait_behind[int stage] = stage == 0 ? 1 : stage <= 2 || stage == 15 || stage > 24 ? 2 : stage <= 4 ? 3 : stage <= 7 ? 4 :
    stage <= 9 || stage == 22 ? 5 : stage <= 11 ? 6 : stage <= 14 ? 7 : stage <= 17 ? 8 : stage <= 20 ? 9 : 10;

inline string end_of[int stage] = stage == 0 ? "acknowledged" : stage == 21 ? "read" : stage == 9 || stage == 22 ? "sent" :
    stage == 11 ? "merged" : "used";

/* The near end of a packet that comes is its destination. */
inline int near_port[int comes, int from, int to] = comes ? to : from;
inline string near_addr[int comes, string from, string to] = comes ? to : from;

uint64_t born[uintptr_t];	/* of a buffer: when; 0: it is not followed */
uint64_t at[uintptr_t];		/* when it was seen last */
int last[uintptr_t];		/* the stage then */
int mine[uintptr_t];		/* 1: a filter has accepted it */
string owner[uintptr_t];
string maker[uintptr_t];	/* the process that ran when it was made */
uint64_t ident[uintptr_t];	/* identity of its packet; 0: none yet */
uint64_t spent[uintptr_t, int];	/* ns at each of the places */

dtrace:::BEGIN
{
	say("Tracing sk_buff lifespans. Hit Ctrl-C to end.\n");
}

/* ---- lives alone ------------------------------------------------------------------------------------------------- */

skb:::free
/ states == 0 && args[4]->skb_age != 0 /
{
	@life["skb_residency_nsecs", byproto ? args[4]->skb_protostr : ""] = quantize(args[4]->skb_age);
}

tool:::interval
/ states == 0 /
{
	rows(@life);
	trunc(@life);
}

/* ---- with their waits -------------------------------------------------------------------------------------------- */

/* A drop is no stage here: the buffer is freed at the same place of the kernel. Nor are the stages before output, which only
 * functions show: a buffer begins at output, if its memory was another's whose end was not seen. */
inline int no_stage[int stage] = stage == DW_PATH_DROP || stage == DW_PATH_TCP_OUT || stage == DW_PATH_UDP_OUT;
path:::
/ states /
{
	this->b = no_stage[args[4]->path_stage] ? 0 : args[0]->pkt_addr;
	this->ours = 0;
}

skb:::free
/ states && born[args[0]->pkt_addr] != 0 /
{
	this->b = args[0]->pkt_addr;
	this->place = wait_behind[last[this->b]];
	spent[this->b, this->place] += timestamp - at[this->b];
	this->ns = timestamp - born[this->b];
	this->who = last[this->b] == 0 ? maker[this->b] : owner[this->b];
	this->end = args[4]->skb_reason != "" ? args[4]->skb_reason : end_of[last[this->b]];
	this->ours = mine[this->b];
	this->over = 1;
}

/* The memory is used again, and the end was not seen: its life is known until the last stage. */
skb:::alloc
/ states && born[args[0]->pkt_addr] != 0 /
{
	this->b = args[0]->pkt_addr;
	this->over = 1;
}

path:::output, path:::driver-in
/ states && born[this->b] != 0 && ident[this->b] != 0 && ident[this->b] != args[4]->path_id /
{
	this->over = 1;
}

skb:::alloc, path:::output, path:::driver-in
/ states && this->over /
{
	this->ns = at[this->b] - born[this->b];
	this->who = owner[this->b];
	this->end = last[this->b] == DW_PATH_READ ? "read" : "not seen";
	this->ours = mine[this->b] && last[this->b] != 0;
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours /
{
	@buffers[this->who, this->end, "life"] = count();
	@total[this->who, this->end, "life"] = sum(this->ns);
	@mean[this->who, this->end, "life"] = avg(this->ns);
	@most[this->who, this->end, "life"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 1] /
{
	this->ns = spent[this->b, 1];
	@buffers[this->who, this->end, "made"] = count();
	@total[this->who, this->end, "made"] = sum(this->ns);
	@mean[this->who, this->end, "made"] = avg(this->ns);
	@most[this->who, this->end, "made"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 2] /
{
	this->ns = spent[this->b, 2];
	@buffers[this->who, this->end, "netfilter"] = count();
	@total[this->who, this->end, "netfilter"] = sum(this->ns);
	@mean[this->who, this->end, "netfilter"] = avg(this->ns);
	@most[this->who, this->end, "netfilter"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 3] /
{
	this->ns = spent[this->b, 3];
	@buffers[this->who, this->end, "neighbour"] = count();
	@total[this->who, this->end, "neighbour"] = sum(this->ns);
	@mean[this->who, this->end, "neighbour"] = avg(this->ns);
	@most[this->who, this->end, "neighbour"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 4] /
{
	this->ns = spent[this->b, 4];
	@buffers[this->who, this->end, "queue"] = count();
	@total[this->who, this->end, "queue"] = sum(this->ns);
	@mean[this->who, this->end, "queue"] = avg(this->ns);
	@most[this->who, this->end, "queue"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 5] /
{
	this->ns = spent[this->b, 5];
	@buffers[this->who, this->end, "driver"] = count();
	@total[this->who, this->end, "driver"] = sum(this->ns);
	@mean[this->who, this->end, "driver"] = avg(this->ns);
	@most[this->who, this->end, "driver"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 6] /
{
	this->ns = spent[this->b, 6];
	@buffers[this->who, this->end, "backlog"] = count();
	@total[this->who, this->end, "backlog"] = sum(this->ns);
	@mean[this->who, this->end, "backlog"] = avg(this->ns);
	@most[this->who, this->end, "backlog"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 7] /
{
	this->ns = spent[this->b, 7];
	@buffers[this->who, this->end, "receive"] = count();
	@total[this->who, this->end, "receive"] = sum(this->ns);
	@mean[this->who, this->end, "receive"] = avg(this->ns);
	@most[this->who, this->end, "receive"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 8] /
{
	this->ns = spent[this->b, 8];
	@buffers[this->who, this->end, "protocol"] = count();
	@total[this->who, this->end, "protocol"] = sum(this->ns);
	@mean[this->who, this->end, "protocol"] = avg(this->ns);
	@most[this->who, this->end, "protocol"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 9] /
{
	this->ns = spent[this->b, 9];
	@buffers[this->who, this->end, "socket"] = count();
	@total[this->who, this->end, "socket"] = sum(this->ns);
	@mean[this->who, this->end, "socket"] = avg(this->ns);
	@most[this->who, this->end, "socket"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->ours && spent[this->b, 10] /
{
	this->ns = spent[this->b, 10];
	@buffers[this->who, this->end, "freed"] = count();
	@total[this->who, this->end, "freed"] = sum(this->ns);
	@mean[this->who, this->end, "freed"] = avg(this->ns);
	@most[this->who, this->end, "freed"] = max(this->ns);
}

skb:::free, skb:::alloc, path:::output, path:::driver-in
/ states && this->over /
{
	born[this->b] = 0;
	ident[this->b] = 0;
	spent[this->b, 1] = 0;
	spent[this->b, 2] = 0;
	spent[this->b, 3] = 0;
	spent[this->b, 4] = 0;
	spent[this->b, 5] = 0;
	spent[this->b, 6] = 0;
	spent[this->b, 7] = 0;
	spent[this->b, 8] = 0;
	spent[this->b, 9] = 0;
	spent[this->b, 10] = 0;
}

/* TCP keeps the buffer that a process fills until all of it is acknowledged, and sends clones: it passes no stage. */
skb:::alloc
/ states /
{
	this->b = args[0]->pkt_addr;
	born[this->b] = timestamp;
	at[this->b] = timestamp;
	last[this->b] = 0;
	mine[this->b] = wanted_here(args[1]) && wanted(args[1], -1, -1, "", "");	/* it has no ports and addresses yet */
	maker[this->b] = curpsinfo->pr_fname;
	owner[this->b] = "";
}

/* A buffer that was not seen when it was made: a clone, or one that its driver keeps. */
path:::
/ states && this->b && born[this->b] == 0 /
{
	born[this->b] = timestamp;
	at[this->b] = timestamp;
	last[this->b] = 0;
	owner[this->b] = "";
}

path:::
/ states && this->b && ident[this->b] == 0 /
{
	mine[this->b] = 0;
}

path:::
/ states && this->b /
{
	this->place = wait_behind[last[this->b]];
	spent[this->b, this->place] += timestamp - at[this->b];
	at[this->b] = timestamp;
	last[this->b] = args[4]->path_stage;
	ident[this->b] = args[4]->path_id;
}

path:::
/ states && this->b && args[1]->cs_pid != -1 /
{
	owner[this->b] = args[1]->cs_execname;
}

path:::read
/ states /
{
	owner[this->b] = curpsinfo->pr_fname;
}

path:::
/ states && this->b && mine[this->b] == 0 &&
  wanted(args[1], near_port[args[0]->pkt_recv, args[4]->path_sport, args[4]->path_dport],
    near_port[args[0]->pkt_recv, args[4]->path_dport, args[4]->path_sport],
    near_addr[args[0]->pkt_recv, args[2]->ip_saddr, args[2]->ip_daddr],
    near_addr[args[0]->pkt_recv, args[2]->ip_daddr, args[2]->ip_saddr], args[4]->path_flags) /
{
	mine[this->b] = 1;
}

tool:::interval
/ states /
{
	header_states();
	normalize(@total, 1000);
	normalize(@mean, 1000);
	normalize(@most, 1000);
	rows_states(@buffers, @total, @mean, @most);
	trunc(@buffers);
	trunc(@total);
	trunc(@mean);
	trunc(@most);
}
