/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packets: what pcap() recorded as packets of a file. */
#ifndef DWIRE_PRINT_CAPTURE_PACKETS_H
#define DWIRE_PRINT_CAPTURE_PACKETS_H
#include "print/capture/pcapng.h"
#include "print/capture/process.h"
#include "record/sink.h"

/* Writes the packet of an ACT_PCAP, which has CAPTURE_COUNT values of any kind; without bytes it is no packet. lost:
 * how many were lost before it. */
void packets_write(
	struct processes *p, struct pcapng *to, const struct record *r, const struct value *values, uint64_t lost);
/* The time of a record since 1970, ns. */
uint64_t packets_time(const struct record *r);
/* "tcp:::send", "syscall::read:entry" */
void packets_probe(const struct record *r, char *buf, size_t size);
#endif
