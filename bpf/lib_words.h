/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_words: pairs of a key and a value in a bucket (abi/words.h); part of lib.bpf.c. Input: the bucket, which other
 * CPUs change at the same time, and a key.
 * Invariants:
 * - A pair is free, or has one key until that is deleted. Its value is written by the CPU that has locked it; so a
 *   value never goes to another key, also if the program that writes it is interrupted meanwhile, and the key is
 *   deleted and others are made. Who finds it locked has come before: what the other writes counts. Nobody waits.
 * - The value of a new key is written before the key: whoever sees the key sees the value.
 * - A value belongs to the key that was seen before and after it, of the same version: a key that was deleted and made
 *   again in between has another one. On arm64 loads keep their order where the address of the later one is computed
 *   from what the earlier one has given, though nothing is added.
 * - Two CPUs that make the same key at once may make two pairs. The first one counts; deleting takes all, the last one
 *   first, so that no older value shows up in between. */
#define WORD_NONE 64

/* A word that other CPUs change. A test sets in what order they do. */
#ifndef AT
#define AT(p) (*(volatile u64 *)(p))
#endif

INLINE u64 word_number(u64 key)
{
	return key + ((key >> DW_WORD_GROUP_BITS) * DW_WORD_FACTOR >> 32);
}

INLINE u64 *word_bucket(void *table, u64 key)
{
	return (u64 *)((char *)table + DW_WORDS_FIRST + word_number(key) % DW_WORD_BUCKETS * DW_WORD_BUCKET);
}

/* The key as it stands in a pair, of version 0. */
INLINE u64 word_of(u64 key)
{
	u64 rest = key >> DW_WORD_GROUP_BITS << 1 | (word_number(key) / DW_WORD_BUCKETS & 1);

	return rest << DW_WORD_SHIFT | DW_WORD_USED;
}

#define WORD_SAME (~(u64)(DW_WORD_VERSION | DW_WORD_LOCKED)) /* of a pair's key: the bits that tell keys apart */

/* Which pair has w for its key, of these bits: its distance from the bucket, and *seen: what it has; or WORD_NONE. To
 * the verifier it is no constant, so that it walks what follows once for all pairs; to the CPU it depends on the key
 * that was loaded. */
INLINE u64 word_search(u64 *p, u64 w, u64 bits, u64 *seen)
{
	u64 off = WORD_NONE;

#pragma unroll
	for (u32 i = 0; i < DW_WORD_PAIRS; i++) {
		u64 key = AT(p + 2 * i), d = (key ^ w) & bits;

		OPAQUE(d);
		if (!((key ^ w) & bits)) {
			off = d + 16 * i;
			*seen = key;
			break;
		}
	}
	return off;
}

INLINE u64 *word_pair(u64 *p, u64 off)
{
	MASK(off, 48);
	return (u64 *)((char *)p + off);
}

/* The key of the pair, loaded after the value v was. */
INLINE u64 word_again(u64 *pair, u64 v)
{
	MASK(v, 0);
	return AT((char *)pair + v);
}

/* The value, or 0: the table does not have the key. */
PART u64 word_find(void *table, u64 key)
{
	u64 off, v, seen = 0, *p;

	if (!table)
		return 0;
	p = word_bucket(table, key);
	off = word_search(p, word_of(key), WORD_SAME, &seen);
	if (off == WORD_NONE)
		return 0;
	p = word_pair(p, off);
	v = AT(p + 1);
	return (word_again(p, v) ^ seen) & ~(u64)DW_WORD_LOCKED ? 0 : v;
}

INLINE u64 *word_elsewhere(void *table)
{
	return (u64 *)((char *)table + DW_WORDS_ELSEWHERE);
}

/* What is left to do with the hash. */
enum { WORD_DONE, WORD_FORGET, WORD_STORE };

/* Deletes the key from the table. */
INLINE u64 word_free(void *table, u64 w, u64 *bucket)
{
#pragma unroll
	for (int i = DW_WORD_PAIRS - 1; i >= 0; i--) {
		u64 key = AT(bucket + 2 * i);

		if (!((key ^ w) & (WORD_SAME | DW_WORD_LOCKED)))
			__sync_val_compare_and_swap(bucket + 2 * i, key, (key + DW_WORD_ONCE) & DW_WORD_VERSION);
	}
	return AT(word_elsewhere(table)) ? WORD_FORGET : WORD_DONE;
}

PART u64 word_drop(void *table, u64 key)
{
	if (!table)
		return WORD_FORGET;
	return word_free(table, word_of(key), word_bucket(table, key));
}

/* Writes the value of a pair that has `seen` for its key, which becomes `key`. 0: it has something else now. */
INLINE u64 word_set(u64 *p, u64 seen, u64 key, u64 value)
{
	if (seen & DW_WORD_LOCKED || __sync_val_compare_and_swap(p, seen, seen | DW_WORD_LOCKED) != seen)
		return 0;
	AT(p + 1) = value;
	__sync_lock_test_and_set(p, key);
	return 1;
}

/* Gives the key a value; 0 deletes it. A key that is new in the table may have been in the hash before. */
PART u64 word_put(void *table, u64 key, u64 value)
{
	u64 w = word_of(key), off, seen = 0, *bucket;

	if (!table)
		return value ? WORD_STORE : WORD_FORGET;
	bucket = word_bucket(table, key);
	if (!value)
		return word_free(table, w, bucket);
	off = word_search(bucket, w, WORD_SAME, &seen);
	if (off != WORD_NONE) {
		word_set(word_pair(bucket, off), seen, seen, value); /* if not, another has done something after this */
		return WORD_DONE;
	}
	off = word_search(bucket, 0, DW_WORD_USED | DW_WORD_LOCKED, &seen);
	if (off == WORD_NONE || !word_set(word_pair(bucket, off), seen, w | seen, value))
		return WORD_STORE;
	return AT(word_elsewhere(table)) ? WORD_FORGET : WORD_DONE;
}

/* ---- with the hash behind the table ------------------------------------------------------------------------------ */
enum { MAP_NEW = 1, MAP_OLD };       /* BPF_NOEXIST, BPF_EXIST */
enum { NO_SUCH = -2, EXISTS = -17 }; /* -ENOENT, -EEXIST */

/* The value of an element, or 0: there is none. */
u64 word_read(void *table, u64 key, void *hash)
{
	u64 v, *p;

	v = word_find(table, key);
	if (v || !AT(word_elsewhere(table)))
		return v;
	p = map_lookup(hash, &key);
	return p ? AT(p) : 0;
}

/* Deletes an element from the hash. */
INLINE u64 word_forget(void *table, u64 key, void *hash)
{
	if (!map_delete(hash, &key))
		__sync_fetch_and_add(word_elsewhere(table), (u64)-1);
	return 0;
}

/* Deletes an element. */
u64 word_delete(void *table, u64 key, void *hash)
{
	return word_drop(table, key) ? word_forget(table, key, hash) : 0;
}

/* Gives an element a value; 0 deletes it. Returns 0, or not: there is no room. Another CPU may make the element in the
 * hash at the same time, and delete it again, which then came after this. */
u64 word_write(void *table, u64 key, u64 value, void *hash)
{
	u64 left;
	int err;

	left = word_put(table, key, value);
	if (!left)
		return 0;
	if (left == WORD_FORGET)
		return word_forget(table, key, hash);
	__sync_fetch_and_add(word_elsewhere(table), 1);
	err = (int)map_update(hash, &key, &value, MAP_NEW);
	if (!err)
		return 0;
	__sync_fetch_and_add(word_elsewhere(table), (u64)-1);
	if (err != EXISTS)
		return 1;
	err = (int)map_update(hash, &key, &value, MAP_OLD);
	return err && err != NO_SUCH;
}
