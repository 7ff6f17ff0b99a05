/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provider: the list of all of them. */
#include "prov/provider.h"

#include "prov/all.h"

const struct provider *const *providers(void)
{
	static const struct provider *const all[] = {
		&dtrace_provider,
		&profile_provider,
		&tcp_provider,
		&udp_provider,
		&sock_provider,
		&udplite_provider,
		&ip_provider,
		&sctp_provider,
		&mib_provider,
		&net_provider,
		&qdisc_provider,
		&icmp_provider,
		&resolver_provider,
		&skb_provider,
		&dns_provider,
		&neigh_provider,
		&wifi_provider,
		&proc_provider,
		&sched_provider,
		&io_provider,
		&vminfo_provider,
		&sysinfo_provider,
		&lockstat_provider,
		&syscall_provider, /* those with lists come last: see prov/match.c */
		&sdt_provider,
		&rawtp_provider,
		&fbt_provider,
		NULL,
	};

	return all;
}
