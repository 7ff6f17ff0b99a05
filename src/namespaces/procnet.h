/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procnet: numbers of the kernel's network statistics, from the files below /proc/net. */
#ifndef DWIRE_NAMESPACES_PROCNET_H
#define DWIRE_NAMESPACES_PROCNET_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct reporter;
struct zones;

/* Handles one number. A file may have a name several times: a line a CPU or device. */
typedef void procnet_fn(void *ctx, const char *name, int64_t value);

/* Calls open in each network namespace of the list: names or numbers with commas between them; NULL: only where we are.
 * Warns of one that cannot be entered. False: it could not return to our own namespace, or no memory. */
bool procnet_places(struct zones *z, const char *list, int (*open)(void *ctx), void *ctx, const struct reporter *to)
	__attribute__((warn_unused_result));
/* /proc/thread-self/net/NAME: of the namespace in which this thread opens it, also later. NULL: there is none. */
FILE *procnet_open(const char *name);

/* Goes to the beginning of a file, which is to be read again and not taken from a buffer. */
void procnet_again(FILE *f);

/* Each reads its file from the beginning; f may be NULL. Names: */
void procnet_pairs(FILE *f, procnet_fn *fn, void *ctx);    /* snmp, netstat: "TcpInSegs", as nstat(8) has them */
void procnet_lines(FILE *f, procnet_fn *fn, void *ctx);    /* snmp6: "Ip6InReceives" */
void procnet_softnet(FILE *f, procnet_fn *fn, void *ctx);  /* softnet_stat: "softnet.dropped" */
void procnet_sockstat(FILE *f, procnet_fn *fn, void *ctx); /* sockstat: "sockstat.TCP.orphan" */
void procnet_devices(FILE *f, procnet_fn *fn, void *ctx);  /* dev: "dev.rx_drop", of all devices but lo */
/* stat/arp_cache: "stat.arp_cache.table_fulls"; table: the file's name. "entries" comes once, others for each CPU. */
void procnet_stat(FILE *f, const char *table, procnet_fn *fn, void *ctx);
#endif
