/* SPDX-License-Identifier: GPL-2.0-or-later */
/* providers: the list of all providers, in the order of -l. X(NAME) stands for NAME_provider, the table in
 * prov/net/NAME.c or prov/system/NAME.c. Providers whose probes come from a kernel list (probes/lists.h) are last, and
 * the long list is the very last, so that the numbers of other probes do not depend on the lists. */
#ifndef DWIRE_PROV_PROVIDERS_H
#define DWIRE_PROV_PROVIDERS_H
#include "image/probe.h"

/* clang-format off */
#define PROVIDERS(X) \
	X(dtrace) X(profile) X(tcp) X(udp) X(sock) X(sockets) X(udplite) X(ip) X(sctp) X(mib) X(net) X(qdisc) X(path) \
	X(icmp) X(resolver) X(skb) X(dns) X(neigh) X(wifi) X(proc) X(sched) X(io) X(vminfo) X(sysinfo) X(lockstat) \
	X(softnet) X(bql) X(cpc) X(fsinfo) X(syscall) X(sdt) X(rawtp) X(fbt)
/* clang-format on */

#define X(name) extern const struct provider name##_provider;
PROVIDERS(X)
#undef X

/* All of them; ends with NULL. */
const struct provider *const *providers(void);
#endif
