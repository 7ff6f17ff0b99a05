/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots: the table in which keys of aggregations begin: memory that programs and the consumer share. Aggregations that
 * are filled side by side with the same keys share a table: a slot has a value for each of them.
 *
 *	the table	u64 taken | u64 left, freed | u64 kept[] | u64 index[] | slots
 *	a slot		u64 number  u32 CPU  u32 moves  key  values
 *
 * Keys are numbered in the order in which programs made them, from 1 on; taken is the last number. The key with number
 * n is in slot n modulo DW_SLOTS, if the slot says n. So new keys are written one behind the other, into memory that a
 * CPU fetches ahead. The index, a word for each key that is found, is small enough for its cache: upper bits of the
 * key's hash, and its number, in one of DW_SLOT_PROBES places. Above its number a slot has the place of its word.
 *
 * The consumer lets keys leave in the order of their numbers, in two steps: left, the last one to leave, by which no
 * program finds them any more; then, after a grace period of RCU, when no program is in them, it takes their values
 * and sets freed to the same number. Programs may use numbers up to freed + DW_SLOTS. For that it writes neither to the
 * index nor to slots, which would take them out of the cache of the CPU that writes there next.
 *
 * A key with many events may stay when its turn to leave comes: its word of the index has DW_SLOT_KEPT, by which its
 * number is larger than all others, and its slot's bit in kept says that no other key may use the slot.
 *
 * A key may be in several slots, and in the maps besides: its value is the sum. Values change by atomic additions only,
 * and where programs may add to them, the consumer takes them by atomic exchanges, so none is lost. If two programs
 * write the same word of the index at once, one key has no word: it is found no more, and leaves like the others.
 *
 * CPU: which updated it last. moves: how often that changed; from DW_SLOT_MOVES on the key has per-CPU values in the
 * aggregation's map. */
#ifndef DWIRE_ABI_SLOTS_H
#define DWIRE_ABI_SLOTS_H

#define DW_SLOT_BITS 13u
#define DW_SLOTS (1u << DW_SLOT_BITS)
#define DW_SLOT_INDEX_BITS 13u
#define DW_SLOT_PROBES 4u
#define DW_SLOT_INDEX ((1u << DW_SLOT_INDEX_BITS) + DW_SLOT_PROBES - 1) /* a probe never passes the end */
#define DW_SLOT_MOVES 64u

/* A word of the index: upper bits of a hash, and a number. Nobody makes 2^47 keys. */
#define DW_SLOT_NUMBER_BITS 48u
#define DW_SLOT_NUMBER ((1ull << DW_SLOT_NUMBER_BITS) - 1)
#define DW_SLOT_KEPT (1ull << (DW_SLOT_NUMBER_BITS - 1))

/* Where the parts are. What programs write has no line of a cache with what they only read. */
#define DW_SLOTS_TAKEN 0u
#define DW_SLOTS_LEFT 64u
#define DW_SLOTS_FREED 72u
#define DW_SLOTS_KEPT 128u
#define DW_SLOTS_INDEX (DW_SLOTS_KEPT + DW_SLOTS / 8)
#define DW_SLOTS_FIRST ((DW_SLOTS_INDEX + DW_SLOT_INDEX * 8ul + 63) / 64 * 64)

/* In a slot. First the number, and above DW_SLOT_NUMBER_BITS the place of the key's word in the index. */
#define DW_SLOT_CPU 8
#define DW_SLOT_MOVED 12
#define DW_SLOT_KEY 16
#endif
