// SPDX-License-Identifier: GPL-2.0-or-later
/* softnet: network softirqs by CPU, and whose packets waited.
 *
 * common: interval rows
 * row: CPU %3d RUNS %@6d POLLED %@7d WAIT_P99=wait_p99_us %@8.99Q WAIT_MAX=wait_max_us %@8d
 * row: RUN_P99=run_p99_us %@7.99Q RUN_MAX=run_max_us %@7d
 * row: BACKLOG=backlog_max %@#7d SQUEEZE=squeezed %@7d DEFER=deferred %@5d DROPS=dropped %@5d
 * row reader: COMM %-16.16s PID %-7d CPU %3d PACKETS %@8d SOCKET_P50=socket_p50_us %@10.50Q
 * row reader: SOCKET_P99=socket_p99_us %@10.99Q
 * row reader: SOCKET_MAX=socket_max_us %@10d
 */
/* A CPU's counter, as it was last seen. */
uint64_t squeezed[int];

dtrace:::BEGIN
{
	say("Tracing network softirqs. Times are in us. Ctrl-C ends.\n");
}

softnet:::entry
/ args[0]->sn_kind == "rx" /
{
	@runs[cpu] = count();
	@deferred[cpu] = sum(args[0]->sn_deferred);
	@wait[cpu] = llquantize(args[0]->sn_time / 1000, 2, 0, 31, 16);
	@waitmax[cpu] = max(args[0]->sn_time / 1000);
	@backlog[cpu] = max(args[0]->sn_backlog);	/* -1: the CPU's counters are not known yet */
}

softnet:::exit
/ args[0]->sn_kind == "rx" /
{
	@run[cpu] = llquantize(args[0]->sn_time / 1000, 2, 0, 31, 16);
	@runmax[cpu] = max(args[0]->sn_time / 1000);
}

softnet:::exit
/ args[0]->sn_kind == "rx" && args[0]->sn_squeezed >= 0 &&
  squeezed[cpu] != args[0]->sn_squeezed + 1 /
{
	@squeezed[cpu] = sum(squeezed[cpu] == 0 ? 0 : args[0]->sn_squeezed + 1 - squeezed[cpu]);
	squeezed[cpu] = args[0]->sn_squeezed + 1;
}

/* What waits behind its packets. */
softnet:::poll
{
	@polled[cpu] = sum(args[0]->sn_work);
	@backlog[cpu] = max(args[0]->sn_backlog);
}

skb:::drop
/ args[5]->drop_reason == "CPU_BACKLOG" /
{
	@dropped[cpu] = count();
}

/* Here a packet's arrival is only noted. */
path:::driver-in, path:::socket-in
/ args[4]->path_stage == DW_PATH_SOCKET_IN && args[4]->path_last == "driver-in" /
{
	@packets[args[1]->cs_execname, args[1]->cs_pid, cpu] = count();
	@socket[args[1]->cs_execname, args[1]->cs_pid, cpu] = llquantize(args[4]->path_time / 1000, 2, 0, 31, 16);
	@socketmax[args[1]->cs_execname, args[1]->cs_pid, cpu] = max(args[4]->path_time / 1000);
}

tool:::interval
{
	header();
	rows(@runs, @polled, @wait, @waitmax, @run, @runmax, @backlog, @squeezed, @deferred, @dropped);
	header_reader();
	rows_reader(@packets, @socket, @socket, @socketmax);
	trunc(@runs);
	trunc(@polled);
	trunc(@wait);
	trunc(@waitmax);
	trunc(@run);
	trunc(@runmax);
	trunc(@backlog);
	trunc(@squeezed);
	trunc(@deferred);
	trunc(@dropped);
	trunc(@packets);
	trunc(@socket);
	trunc(@socketmax);
}
