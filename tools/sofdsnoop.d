/* sofdsnoop: descriptors that processes pass over UNIX sockets.
 *
 * common: time owner
 * -n NAME   only = ""   only processes of this name
 * row: ACTION %-6s PID[wide] %-7d TID %-7d COMM %-16s SOCKET %-6d FD %-6d NAME %s
 */
dtrace:::BEGIN
{
	header();
}

sock:::fd-passed
/ args[2]->sp_count > 0 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 0];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 1 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 1];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 2 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 2];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 3 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 3];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 4 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 4];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 5 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 5];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 6 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 6];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 7 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	this->fd = sock_passed_fd[args[2]->sp_list, 7];
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    this->fd, fds[this->fd].fi_pathname);
}

sock:::fd-passed
/ args[2]->sp_count > 8 && (only == "" || args[1]->cs_execname == only) && wanted(args[1]) /
{
	row(args[2]->sp_sent ? "SEND" : "RECV", args[1]->cs_pid, args[1]->cs_tid, args[1]->cs_execname, args[0]->so_fd,
	    args[2]->sp_count - 8, "(so many more descriptors)");
}
