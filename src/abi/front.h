/* SPDX-License-Identifier: GPL-2.0-or-later */
/* front: the table in front of an aggregation's maps, for keys that are short and few: names of stages, a CPU, a
 * command. Aggregations that are filled side by side with the same keys share a table: a slot has a value for each.
 *
 *	the map		for each CPU: DW_FRONT_SLOTS slots
 *	a slot		u64 state | key | values
 *
 * Values of a word or two come first, so that they share a line of the CPU's cache with the key.
 *
 * Programs write to the part of their CPU only, so a value there changes as one of a per-CPU map does. A key belongs to
 * DW_FRONT_WAYS slots that are beside each other. If other keys have both, it is in the maps. A key may be in several
 * places: its value is the sum.
 *
 * The consumer notes what it has read of a value and adds what came since; it writes to no value that programs add to,
 * but takes the mark of an extreme away (word 1), after which the next event sets it anew. A key without events leaves:
 * no program finds it then, and after a grace period of RCU the consumer makes its values 0 and its slot free. */
#ifndef DWIRE_ABI_FRONT_H
#define DWIRE_ABI_FRONT_H

#define DW_FRONT_WAYS 2u
#define DW_FRONT_BUCKET_BITS 5u
#define DW_FRONT_SLOTS (DW_FRONT_WAYS << DW_FRONT_BUCKET_BITS)
#define DW_FRONT_SIZE 2560u /* of a slot, at most */
#define DW_FRONT_KEY 8u
#define DW_FRONT_FACTOR 0x9e3779b97f4a7c15ull

/* The state of a slot. */
#define DW_FRONT_FREE 0
#define DW_FRONT_USED 1
#define DW_FRONT_BUSY 2   /* a program writes the key */
#define DW_FRONT_LEAVES 3 /* programs find it no more */
#endif
