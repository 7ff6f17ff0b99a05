// SPDX-License-Identifier: GPL-2.0-or-later
/* gethostlatency: lookups of host names by the C library, with their time.
 *
 * common: clock owner failed=-e slow
 * -x   why = 0       also the function, and why the lookup failed
 * row: PID=pid %-6d COMM=comm %-16s LATms=ms %7d.%02d FUNC[why]=func %-16s ERROR[why]=error %-26s
 * row: HOST=host %s
 */
dtrace:::BEGIN
{
	say("Tracing getaddrinfo and gethostbyname calls... Hit Ctrl-C to end.\n");
	say("%-8s %-6s %-16s %10s %s%s\n", "TIME", "PID", "COMM", "LATms", why ?
	    "FUNC             ERROR                      " : "", "HOST");
}

resolver:::lookup-done
/ (!failed || args[1]->lkp_result != 0) && args[1]->lkp_latency >= slow * 1000000 && wanted_here(args[0]) /
{
	this->us = args[1]->lkp_latency / 1000;
	row(pid, execname, this->us / 1000,
	    this->us % 1000 / 10, args[1]->lkp_func, args[1]->lkp_error, args[1]->lkp_host);
}
