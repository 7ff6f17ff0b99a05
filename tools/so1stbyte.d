// SPDX-License-Identifier: GPL-2.0-or-later
/* so1stbyte: time from connect() to the first byte read, by process.
 *
 * common: sockets slow interval rows
 * row: PROCESS=comm %s PID %d US=us %@d
 */
uint64_t start[uintptr_t];

dtrace:::BEGIN
{
	say("Tracing IP socket first-read-byte latency. Ctrl-C to end.\n");
}

sock:::connect-start
/ args[0]->so_ip && wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	start[args[0]->so_addr] = timestamp;
}

sock:::first-byte
/ start[args[0]->so_addr] /
{
	this->began = start[args[0]->so_addr];
	start[args[0]->so_addr] = 0;
}

/* A connected datagram socket has no count of what was read. */
sock:::receive
/ args[0]->so_type == SOCK_DGRAM && args[2]->sr_bytes > 0 && (args[2]->sr_flags & MSG_PEEK) == 0 &&
  start[args[0]->so_addr] /
{
	this->began = start[args[0]->so_addr];
	start[args[0]->so_addr] = 0;
}

sock:::first-byte, sock:::receive
/ this->began && timestamp - this->began >= slow * 1000000 /
{
	@us[args[1]->cs_execname, args[1]->cs_pid] = quantize((timestamp - this->began) / 1000);
}

sock:::connect-done
/ args[2]->sr_errno && start[args[0]->so_addr] /
{
	start[args[0]->so_addr] = 0;
}

sock:::close
/ start[args[0]->so_addr] /
{
	start[args[0]->so_addr] = 0;
}

tool:::interval
{
	rows(@us);
	trunc(@us);
}
