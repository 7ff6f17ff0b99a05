// SPDX-License-Identifier: GPL-2.0-or-later
/* superping: time from echo requests to answers, as the kernel sees it.
 *
 * common: owner hosts
<<<<<<< HEAD
 * -T   clock = 0   the time of day before each line
 * row: TIME[clock]=time %02d:%02d:%02d IP %d PID %d COMM %s RADDR %s ID %d SEQ %d USECS %d EVENT %s
 * row lost: TIME[clock]=time %02d:%02d:%02d IP %d PID %d COMM %s RADDR %s ID %d SEQ %d USECS[csv]=usecs - EVENT %s
=======
 * row: PING[!json] "IPv%d ping, ID %d seq %d: %d us" IP[json]=ip %d PID[json]=pid %d COMM[json]=comm %s RADDR[json]=raddr %s
 * row: ID[json]=id %d SEQ[json]=seq %d US[json]=us %d
>>>>>>> 98004d38 (tools: -o, --wide and --by over common columns; one time, one name and bytes in JSON and CSV)
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
/ this->late && tool_text && clock /
{
	printf("%02d:%02d:%02d ", tool_clock_now / 3600, tool_clock_now / 60 % 60, tool_clock_now % 60);
}

icmp:::send
/ this->late && tool_text /
{
	printf("IPv%d ping, ID %d seq %d: no answer from %s after %d ms\n", args[4]->icmp_ver, args[4]->icmp_id,
	    args[4]->icmp_seq - 1, args[2]->ip_daddr, (timestamp - this->late) / 1000000);
}

icmp:::send
/ this->late && !tool_text /
{
	row_lost(tool_clock_now / 3600, tool_clock_now / 60 % 60, tool_clock_now % 60, args[4]->icmp_ver, args[1]->cs_pid,
	    args[1]->cs_execname, args[2]->ip_daddr, args[4]->icmp_id, args[4]->icmp_seq - 1, "no-answer");
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
/ this->mine /
{
<<<<<<< HEAD
	printf("%02d:%02d:%02d ", tool_clock_now / 3600, tool_clock_now / 60 % 60, tool_clock_now % 60);
}

icmp:::receive
/ this->mine && tool_text /
{
	printf("IPv%d ping, ID %d seq %d: %d us\n", args[4]->icmp_ver, args[4]->icmp_id, args[4]->icmp_seq, this->us);
}

icmp:::receive
/ this->mine && !tool_text /
{
	row(tool_clock_now / 3600, tool_clock_now / 60 % 60, tool_clock_now % 60, args[4]->icmp_ver, this->pid, this->name,
	    args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq, this->us, "answer");
}

dtrace:::END
/ tool_text && asked > answered /
{
	printf("%d of %d requests were not answered.\n", asked - answered, asked);
=======
	row(args[4]->icmp_ver, args[4]->icmp_id, args[4]->icmp_seq, this->us, args[4]->icmp_ver, this->pid, this->name,
	    args[2]->ip_saddr, args[4]->icmp_id, args[4]->icmp_seq, this->us);
>>>>>>> 98004d38 (tools: -o, --wide and --by over common columns; one time, one name and bytes in JSON and CSV)
}
