/* dnssnoop: lookups of names in the DNS, with their time and result.
 *
 * common: time owner hosts
 * -q            queries = 0     also queries, as they are sent
 * -s            server = 0      what servers of this machine get and send
 * -x            failed = 0      only those that fail
 * -m MS         slow = 0        only those that take so long
 * row: PID %-7d COMM %-15s TYPE %-6s RESULT %-8s MS %6d.%03d SERVER[wide] %-39s NAME %s
 */
dtrace:::BEGIN
{
	header();
}

dns:::query
/ queries && !failed && slow == 0 && args[4]->dns_recv == server &&
  wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, args[4]->dns_typestr, "-", 0, 0, args[4]->dns_server, args[4]->dns_name);
}

dns:::response
/ args[4]->dns_recv != server && (!failed || args[4]->dns_rcode != 0) && args[4]->dns_time >= slow * 1000000 &&
  wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, args[4]->dns_typestr, args[4]->dns_rcodestr,
	    args[4]->dns_time / 1000000, args[4]->dns_time / 1000 % 1000, args[4]->dns_server, args[4]->dns_name);
}
