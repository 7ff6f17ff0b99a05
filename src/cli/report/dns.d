// SPDX-License-Identifier: GPL-2.0-or-later
/* What was asked of name servers, and how they answered. Times are in microseconds. */
dns:::query
/ args[4]->dns_recv == 0 /
{
	@asked = count();
}

dns:::response
/ args[4]->dns_recv /
{
	@answered[args[4]->dns_name, args[4]->dns_typestr, args[4]->dns_rcodestr, args[4]->dns_server] = count();
}

dns:::response
/ args[4]->dns_recv && args[4]->dns_rcode /
{
	@dns_failed = count();
}

dns:::response
/ args[4]->dns_recv && args[4]->dns_time /
{
	@dns_us = quantize(args[4]->dns_time / 1000);
	@answered_us[args[4]->dns_name, args[4]->dns_typestr, args[4]->dns_rcodestr, args[4]->dns_server] =
	    max(args[4]->dns_time / 1000);
}
