/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packets: what pcap() recorded as packets of a file. */
#ifndef DWIRE_PRINT_CAPTURE_PACKETS_H
#define DWIRE_PRINT_CAPTURE_PACKETS_H
#include "print/capture/pcapng.h"
#include "print/capture/process.h"
#include "record/sink.h"

/* What a writer of packets keeps. */
struct packets {
	struct processes *processes; /* owned by who has the structure */
	uint64_t ahead;              /* the wall clock less CLOCK_MONOTONIC, ns; wraps */
	uint64_t read;               /* when that was read: the time of a record; 0: never */
};

/* Writes the packet of an ACT_PCAP, which has n values of any kind: CAPTURE_COUNT, or CAPTURE_ALL of a stream. lost:
 * how many were lost before it. False: the event had no packet, or one that was still to be made. */
bool packets_write(struct packets *p, struct pcapng *to, const struct record *r, const struct value *values, size_t n,
	uint64_t lost);
/* What pcapng_packet.id is: buffer is the address of its data, whole its length; d: its bytes from the IP header on. */
uint64_t packets_id(uint64_t buffer, const uint8_t *d, size_t len, size_t whole);
/* The owner of the packet that was just recorded, as process_find() has it; NULL: none. */
const struct process_info *packets_owner(struct processes *p, const struct value *values);
/* The time of a record since 1970, ns. The clocks are compared each tenth of a second, as one may be set. */
uint64_t packets_time(struct packets *p, const struct record *r);
/* "tcp:::send", "syscall::read:entry" */
void packets_probe(const struct record *r, char *buf, size_t size);
#endif
