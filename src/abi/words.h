/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words: the table in which elements of a variable are kept whose key and value are a word each (lower/state/words.c).
 *
 *	the table	u64 elsewhere, rest of a line | buckets
 *	a bucket	4 times: u64 key, u64 value; a line of a cache
 *
 * A key belongs to one bucket. If that is full of other keys, it is in the hash behind the table. elsewhere is never
 * less than the number of elements there. A pair's key has, from bit DW_WORD_SHIFT on, what the bucket does not say of
 * it; below, how often the pair has been freed (the version), and the two bits. */
#ifndef DWIRE_ABI_WORDS_H
#define DWIRE_ABI_WORDS_H

#define DW_WORDS_ELSEWHERE 0
#define DW_WORDS_FIRST 64u
#define DW_WORD_PAIRS 4u
#define DW_WORD_BUCKET (DW_WORD_PAIRS * 16u)
#define DW_WORD_BUCKETS 16384u /* a megabyte */
#define DW_WORDS_SIZE (DW_WORDS_FIRST + DW_WORD_BUCKETS * DW_WORD_BUCKET)
#define DW_WORD_USED 1u   /* the pair has a key; else it is free */
#define DW_WORD_LOCKED 2u /* one CPU is writing its value */
#define DW_WORD_ONCE 4u   /* one more in the version */
#define DW_WORD_SHIFT 14
#define DW_WORD_VERSION ((1u << DW_WORD_SHIFT) - DW_WORD_ONCE)

/* Which bucket: neighbours have different ones, or CPUs that each work for one of them would contend for a line; and
 * the next key's is the next line, which a CPU fetches ahead. The upper part of the key moves a whole group of them. */
#define DW_WORD_GROUP_BITS 15 /* one more than a bucket's number has */
#define DW_WORD_FACTOR 0x9e3779b97f4a7c15ull
#endif
