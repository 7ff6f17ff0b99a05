// SPDX-License-Identifier: GPL-2.0-or-later
/* superping: time from echo requests to answers, as the kernel sees it.
 *
 * common: owner hosts failed slow
 * row: PING[!json] "IPv%d ping, ID %d seq %d: %d us" IP[json]=ip %d PID[json]=pid %d COMM[json]=comm %s RADDR[json]=raddr %s
 * row: ID[json]=id %d SEQ[json]=seq %d US[json]=us %d EVENT[json]=event %s
 * row lost: PING[!json] "IPv%d ping, ID %d seq %d: no answer from %s after %d ms" IP[json]=ip %d PID[json]=pid %d COMM[json]=comm %s
 * row lost: RADDR[json]=raddr %s ID[json]=id %d SEQ[json]=seq %d US[csv]=us - EVENT[json]=event %s
 * column PING: the request, and how long its answer took
 */
uint64_t start[string, uint16_t, uint16_t];
pid_t whose[string, uint16_t, uint16_t];
string name[string, uint16_t, uint16_t];
int64_t asked, answered;

dtrace:::BEGIN
{
	say("Tracing ICMP echo request latency. Hit Ctrl-C to end.\n");
}

/* When the next request goes out, the one before it should have been answered. A late answer is still shown. */
icmp:::send
/ args[4]->icmp_typestr == "echo-request" && wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->late = start[args[2]->ip_daddr, args[4]->icmp_id, args[4]->icmp_seq - 1];
	start[args[2]->ip_daddr, args[4]->icmp_id, args[4]->icmp_seq] = timestamp;
	whose[args[2]->ip_daddr, args[4]->icmp_id, args[4]->icmp_seq] = args[1]->cs_pid;
	name[args[2]->ip_daddr, args[4]->icmp_id, args[4]->icmp_seq] = args[1]->cs_execname;
	asked++;
}

icmp:::send
/ this->late && timestamp - this->late >= slow * 1000000 /
{
	row_lost(args[4]->icmp_ver, args[4]->icmp_id, args[4]->icmp_seq - 1, args[2]->ip_daddr,
	    (timestamp - this->late) / 1000000, args[4]->icmp_ver, args[1]->cs_pid, args[1]->cs_execname,
	    args[2]->ip_daddr, args[4]->icmp_id, args[4]->icmp_seq - 1, "no-answer");
}

icmp:::receive
/ args[4]->icmp_typestr == "echo-reply" && start[args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq] /
{
	this->us = (timestamp - start[args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq]) / 1000;
	this->pid = whose[args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq];
	this->name = name[args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq];
	start[args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq] = 0;
	whose[args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq] = 0;
	name[args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq] = 0;
	answered++;
	this->mine = 1;
}

icmp:::receive
/ this->mine && !failed && this->us >= slow * 1000 /
{
	row(args[4]->icmp_ver, args[4]->icmp_id, args[4]->icmp_seq, this->us, args[4]->icmp_ver, this->pid, this->name,
	    args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq, this->us, "answer");
}

dtrace:::END
/ tool_text && asked > answered /
{
	printf("%d of %d requests were not answered.\n", asked - answered, asked);
}
