/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots: the table in which keys of aggregations begin: an array of slots in memory that programs and the consumer
 * share.
 *
 *	a slot	u64 tag	 u32 CPU  u32 moves  key  value
 *
 * tag: DW_SLOT_FREE, _BUSY (a program writes the key), _LEAVING, or an odd hash of the key (then the rest is valid).
 * CPU: which updated it last. moves: how often that changed; from DW_SLOT_MOVES on the key has per-CPU values in the
 * aggregation's map.
 *
 * A key is in one of the DW_SLOT_PROBES slots from that of its hash on, or in several of them, or in the maps besides:
 * its value is the sum. A program makes a free slot busy by an atomic exchange, writes the key, then the tag. Values
 * change by atomic additions only, and the consumer takes them by atomic exchanges, so none is lost.
 *
 * The consumer frees a slot in three steps: LEAVING, at which no program enters any more; a grace period of RCU, after
 * which none is in it; it takes what these have added, and writes FREE. */
#ifndef DWIRE_ABI_SLOTS_H
#define DWIRE_ABI_SLOTS_H

#define DW_SLOT_BITS 13u
#define DW_SLOT_PROBES 4u
#define DW_SLOTS ((1u << DW_SLOT_BITS) + DW_SLOT_PROBES - 1) /* a probe never passes the end */
#define DW_SLOT_MOVES 64u

#define DW_SLOT_CPU 8
#define DW_SLOT_MOVED 12
#define DW_SLOT_KEY 16

enum dw_slot_tag { DW_SLOT_FREE = 0, DW_SLOT_BUSY = 2, DW_SLOT_LEAVING = 4 };
#endif
