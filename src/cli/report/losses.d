// SPDX-License-Identifier: GPL-2.0-or-later
/* Segments that were sent again, and connections that were reset. */
tcp:::resend
{
	@resent = sum(args[5]->re_segs);
	@peer_resent[args[3]->tcps_raddr] = sum(args[5]->re_segs);
	@resent_by[args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, args[5]->re_kind] = sum(args[5]->re_segs);
}

/* The port is that of the side which resets: it names the service. */
tcp:::reset-sent
{
	@resets_sent = count();
	@reset_by["sent", args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_raddr,
	    args[3]->tcps_lport, args[5]->reset_reason] = count();
}

tcp:::reset-received
{
	@resets_received = count();
	@reset_by["received", args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_raddr,
	    args[3]->tcps_rport, args[5]->reset_reason] = count();
}
