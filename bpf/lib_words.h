/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_words: pairs of a key and a value in a bucket (abi/words.h); part of lib.bpf.c. Input: the bucket, which other
 * CPUs change at the same time, and a key.
 * Invariants:
 * - A pair is free, or busy, or has one key until that is deleted. Who makes it busy, by a compare-and-exchange, writes
 *   the value, and then the key by an exchange: whoever sees the key sees the value.
 * - A value belongs to the key that was seen before and after it, and is there still: in between the key may have been
 *   deleted, and made again after another. On arm64 loads keep their order where the address of the later one is
 *   computed from what the earlier one has given, though nothing is added.
 * - Two CPUs that make the same key at once may make two pairs. The first one counts; deleting takes all, the last one
 *   first, so that no older value shows up in between.
 * - A value is replaced only where it is what it was under the key: when another CPU has deleted the key, and made
 *   another in the same pair, that one's value stays. */
typedef volatile u64 word;
#define WORD_NONE 64

/* Clears bits of x where the verifier and the CPU see it, though the compiler knows the outcome. Fuzzers build this
 * file for the host, too. */
#ifdef __bpf__
#define MASK(x, bits) asm volatile("%0 &= " #bits : "+r"(x))
#else
#define MASK(x, bits) ((x) &= (bits))
#endif

INLINE u64 *word_bucket(void *table, u64 key)
{
	u64 n = key + ((key >> DW_WORD_GROUP_BITS) * DW_WORD_FACTOR >> 32);

	return (u64 *)((char *)table + DW_WORDS_FIRST + n % DW_WORD_BUCKETS * DW_WORD_BUCKET);
}

/* Is the key kept in the hash always? */
INLINE int word_outside(u64 w)
{
	return w <= DW_WORD_BUSY;
}

/* Which pair has w for its key: its distance from the bucket, or WORD_NONE. To the verifier it is no constant, so that
 * it walks what follows once for all pairs; to the CPU it depends on the key that was loaded. */
INLINE u64 word_search(word *p, u64 w)
{
	u64 off = WORD_NONE;

#pragma unroll
	for (u32 i = 0; i < DW_WORD_PAIRS; i++) {
		u64 key = p[2 * i], d = key ^ w;

		OPAQUE(d);
		if (key == w) {
			off = d + 16 * i;
			break;
		}
	}
	return off;
}

INLINE word *word_pair(word *p, u64 off)
{
	MASK(off, 48);
	return (word *)((volatile char *)p + off);
}

/* The key of the pair, loaded after the value v was. */
INLINE u64 word_again(word *pair, u64 v)
{
	MASK(v, 0);
	return *(word *)((volatile char *)pair + v);
}

/* The value, or 0: the table does not have the key. */
PART u64 word_find(void *table, u64 key)
{
	u64 w = key + DW_WORD_BIAS, off, v, d, again;
	word *p;

	if (!table || word_outside(w))
		return 0;
	p = word_bucket(table, key);
	off = word_search(p, w);
	if (off == WORD_NONE)
		return 0;
	p = word_pair(p, off);
	v = p[1];
	d = word_again(p, v) ^ w;
	if (d)
		return 0;
	OPAQUE(d);
	again = *(word *)((volatile char *)p + 8 + d);
	if (again == v)
		return v;
	return word_again(p, again) == w ? again : 0; /* it was replaced, or deleted and made again */
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
	for (int i = DW_WORD_PAIRS - 1; i >= 0; i--)
		if (*(word *)(bucket + 2 * i) == w)
			__sync_val_compare_and_swap(bucket + 2 * i, w, 0);
	return *(word *)word_elsewhere(table) ? WORD_FORGET : WORD_DONE;
}

PART u64 word_drop(void *table, u64 key)
{
	u64 w = key + DW_WORD_BIAS;

	if (!table || word_outside(w))
		return WORD_FORGET;
	return word_free(table, w, word_bucket(table, key));
}

/* Gives the key a value; 0 deletes it. A key that is new in the table may have been in the hash before. */
PART u64 word_put(void *table, u64 key, u64 value)
{
	u64 w = key + DW_WORD_BIAS, off, old;
	word *bucket, *p;

	if (!table || word_outside(w))
		return value ? WORD_STORE : WORD_FORGET;
	bucket = word_bucket(table, key);
	if (!value)
		return word_free(table, w, (u64 *)bucket);
	off = word_search(bucket, w);
	if (off != WORD_NONE) {
		p = word_pair(bucket, off);
		old = p[1];
		if (word_again(p, old) == w) { /* if the exchange fails, another CPU has done something after this */
			__sync_val_compare_and_swap((u64 *)p + 1, old, value);
			return WORD_DONE;
		}
	}
	off = word_search(bucket, 0);
	if (off == WORD_NONE)
		return WORD_STORE;
	p = word_pair(bucket, off);
	if (__sync_val_compare_and_swap((u64 *)p, 0, DW_WORD_BUSY))
		return WORD_STORE; /* another CPU was first */
	p[1] = value;
	__sync_lock_test_and_set((u64 *)p, w);
	return *(word *)word_elsewhere(table) ? WORD_FORGET : WORD_DONE;
}

/* ---- with the hash behind the table ------------------------------------------------------------------------------ */
enum { MAP_NEW = 1, MAP_OLD };       /* BPF_NOEXIST, BPF_EXIST */
enum { NO_SUCH = -2, EXISTS = -17 }; /* -ENOENT, -EEXIST */

/* The value of an element, or 0: there is none. */
u64 word_read(void *table, u64 key, void *hash)
{
	u64 v = word_find(table, key), *p;

	if (v || !*(word *)word_elsewhere(table))
		return v;
	p = map_lookup(hash, &key);
	return p ? *(word *)p : 0;
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
	u64 left = word_put(table, key, value);
	int err;

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
