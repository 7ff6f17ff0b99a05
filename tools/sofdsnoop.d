// SPDX-License-Identifier: GPL-2.0-or-later
/* sofdsnoop: descriptors that processes pass over UNIX sockets.
 *
 * common: owner
 * -n NAME   only = ""   only processes of this name
 * row: ACTION %-6s PID[wide] %-7d TID %-7d COMM %-16s SOCKET %-6d FD %-6d NAME %s
 */
dtrace:::BEGIN
{
	header();
}

sock:::fd-passed
/ (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->n = args[2]->sp_count;
}

sock:::fd-passed
/ this->n > 0 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 0];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 1 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 1];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 2 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 2];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 3 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 3];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 4 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 4];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 5 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 5];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 6 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 6];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 7 /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 7];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ this->n > 8 /
{
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->n - 8, "(so many more descriptors)");
}
