/* SPDX-License-Identifier: GPL-2.0-or-later */
/* again: packets whose block differs from one before in time, bytes, lengths and packet id only: those of the same
 * owner, device, direction and probe. Their blocks are copied, not made. */
#ifndef DWIRE_PRINT_CAPTURE_AGAIN_H
#define DWIRE_PRINT_CAPTURE_AGAIN_H
#include "print/capture/packets.h"

struct again;

/* NULL: no memory. */
struct again *again_new(void);
/* NULL is fine. */
void again_free(struct again *g);
/* Writes the packet of an ACT_PCAP, whose record is given as it was made. time: since 1970, ns. False: nothing was
 * written; once packets_write() has written the same packet, again_learn() may be called. */
bool again_write(struct again *g, struct pcapng *to, const struct record *r, const struct action *a, const uint8_t *rec,
	size_t len, uint64_t time);
/* Keeps the block that was written last for those that are like it. */
void again_learn(struct again *g, const struct pcapng *from);
#endif
