/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packets: what pcap() recorded as packets of a file. */
#ifndef DWIRE_PRINT_CAPTURE_PACKETS_H
#define DWIRE_PRINT_CAPTURE_PACKETS_H
#include "print/capture/pcapng.h"
#include "record/sink.h"

struct packets;

/* NULL: no memory. */
struct packets *packets_new(void);
/* NULL is fine. */
void packets_free(struct packets *p);
/* Writes the packet of an ACT_PCAP, which has CAPTURE_COUNT values of any kind; without bytes it is no packet. lost:
 * how many were lost before it. */
void packets_write(
	struct packets *p, struct pcapng *to, const struct record *r, const struct value *values, uint64_t lost);
/* The time of a record since 1970, ns. */
uint64_t packets_time(const struct record *r);
/* "tcp:::send", "syscall::read:entry" */
void packets_probe(const struct record *r, char *buf, size_t size);
#endif
