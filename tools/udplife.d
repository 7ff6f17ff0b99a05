// SPDX-License-Identifier: GPL-2.0-or-later
/* udplife: UDP sockets as they are closed: owner, bytes, duration.
 *
 * common: sockets
 * row: PID %-7d COMM %-10.10s LADDR %-15s|%-39s LPORT %-5d RADDR %-15s|%-39s RPORT %-5d TX_KB=tx_bytes %5B RX_KB=rx_bytes %5B
 * row: MS[!json] %s%d.%02d MS=ms[json] %d.%02d OLD=old[json] %d
 */
#pragma D option dynvarsize=32m

uint64_t start[uintptr_t];
uint64_t tx[uintptr_t];
uint64_t rx[uintptr_t];
uint64_t began;

dtrace:::BEGIN
{
	began = timestamp;
	header();
}

sock:::create
/ args[2]->sr_errno == 0 && args[0]->so_protocol == IPPROTO_UDP && args[0]->so_ip /
{
	start[args[0]->so_addr] = timestamp;
}

sock:::send
/ args[0]->so_protocol == IPPROTO_UDP && args[0]->so_ip && args[2]->sr_bytes /
{
	tx[args[0]->so_addr] += args[2]->sr_bytes;
}

sock:::receive
/ args[0]->so_protocol == IPPROTO_UDP && args[0]->so_ip && args[2]->sr_bytes && (args[2]->sr_flags & MSG_PEEK) == 0 /
{
	rx[args[0]->so_addr] += args[2]->sr_bytes;
}

sock:::close
/ args[0]->so_protocol == IPPROTO_UDP &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	this->old = start[args[0]->so_addr] == 0;
	this->us = (timestamp - (this->old ? began : start[args[0]->so_addr])) / 1000;
	row(args[1]->cs_pid, args[1]->cs_execname, args[0]->so_laddr, args[0]->so_lport, args[0]->so_raddr,
	    args[0]->so_rport, tx[args[0]->so_addr], rx[args[0]->so_addr], this->old ? ">" : "", this->us / 1000, this->us % 1000 / 10, this->us / 1000,
	    this->us % 1000 / 10, this->old);
}

sock:::close
/ args[0]->so_protocol == IPPROTO_UDP /
{
	start[args[0]->so_addr] = 0;
	tx[args[0]->so_addr] = 0;
	rx[args[0]->so_addr] = 0;
}
