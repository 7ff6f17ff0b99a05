/* tcptop: TCP bytes by process and connection, busiest first.
 *
 * usage: tcptop [-C] [-p PID] [-n ROWS] [interval [count]]
 * -C          noclear = 0    do not clear the screen
 * -p PID      only_pid = -1  only this process
 * -n ROWS     option.aggrows = 20  at most so many connections
 * interval    interval = 1   seconds between screens
 * count       count = -1     how many screens
 */
#pragma D option quiet
#pragma D option aggsortrev
#pragma D option aggsortsum

int left;
int screens;
uint64_t in;
uint64_t out;

dtrace:::BEGIN
{
	left = interval;
	screens = 0;
	printf("Tracing TCP... the first screen comes in %d s. Ctrl-C ends.\n", interval);
}

tcp:::receive
/ args[1]->cs_pid != -1 && args[2]->ip_plength > args[4]->tcp_offset &&
  (only_pid == -1 || args[1]->cs_pid == only_pid) /
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	in += this->size;
	@rx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_saddr, args[4]->tcp_sport] = sum(this->size);
}

tcp:::send
/ args[1]->cs_pid != -1 && args[2]->ip_plength > args[4]->tcp_offset &&
  (only_pid == -1 || args[1]->cs_pid == only_pid) /
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	out += this->size;
	@tx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_saddr, args[4]->tcp_sport,
	    args[2]->ip_daddr, args[4]->tcp_dport] = sum(this->size);
}

profile:::tick-1s
{
	left--;
}

profile:::tick-1s
/ left <= 0 /
{
	printf("%s%Y,  load: %s,  TCPin: %6d Kb,  TCPout: %6d Kb\n\n", noclear ? "\n" : "\033[H\033[J",
	    walltimestamp, loadavg, in / 1024, out / 1024);
	printf("%-6s %6s %-8s %-15s %5s %-15s %5s %6s %6s\n", "ZONE", "PID", "COMM", "LADDR", "LPORT", "RADDR", "RPORT",
	    "RX_KB", "TX_KB");
	normalize(@rx, 1024);
	normalize(@tx, 1024);
	printa("%-6.6s %6d %-8.8s %-15s %5d %-15s %5d %@6d %@6d\n", @rx, @tx);
	trunc(@rx);
	trunc(@tx);
	in = 0;
	out = 0;
	left = interval;
	screens++;
}

profile:::tick-1s
/ count != -1 && screens >= count /
{
	exit(0);
}
