/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_notes: the table of notes of packets (abi/notes.h); part of lib.bpf.c. Input: the table, which other CPUs change
 * at the same time, and a key. Output: where its note is.
 * Invariants:
 * - A note is written by the CPU that has made its key busy, by a compare-and-exchange. The key comes back by the last
 *   store or, where stores may be seen in any order, by an exchange. So whoever sees the key sees the note, and a note
 *   never goes to another key. Who finds it busy does without.
 * - A note is replaced only where its bucket is full, and it is the oldest of it. A program that reads it in these
 *   nanoseconds may see a part of both, as in the kernel's hashes that forget what is old.
 * - Two CPUs that make the same key at once may make two; the first one counts.
 * Kernels before Linux 5.12 have no exchanges (exchange is 0): there two CPUs that use the same bucket at the same time
 * may take the same place, and one note is lost. */
typedef volatile u64 note_word;
#define NOTE_NONE 64

INLINE u64 note_hash(u64 key, u32 bits)
{
	return key * DW_NOTE_FACTOR >> (64 - bits);
}

struct note_bucket {
	note_word *keys, *notes;
};

INLINE struct note_bucket note_bucket(char *keys)
{
	return (struct note_bucket){ (note_word *)keys, (note_word *)(keys + DW_NOTE_BUCKET(0)) };
}

INLINE struct note_bucket note_packets(void *table, u64 key)
{
	return note_bucket(
		(char *)table + DW_NOTES_PACKETS + note_hash(key, DW_NOTE_BITS) * DW_NOTE_BUCKET(DW_NOTE_WORDS));
}

INLINE struct note_bucket note_buffers(void *table, u64 key)
{
	return note_bucket(
		(char *)table + DW_NOTES_BUFFERS + note_hash(key, DW_NOTE_BITS) * DW_NOTE_BUCKET(DW_NOTE_BUFFER_WORDS));
}

INLINE struct note_bucket note_cut(void *table, u64 key)
{
	u64 n = note_hash(key, DW_NOTE_CUT_BITS);

	return (struct note_bucket){
		(note_word *)((char *)table + DW_NOTES_CUT + n * DW_NOTE_BUCKET(0)),
		(note_word *)((char *)table + DW_NOTES_CUT_NOTES + n * DW_NOTE_WAYS * 8 * DW_NOTE_WORDS),
	};
}

/* The number of keys of packets to be cut in the key's bucket and some others. */
INLINE u32 *note_cut_count(void *table, u64 key)
{
	return (u32 *)((char *)table + DW_NOTES_CUT_COUNTS + 4 * note_hash(key, DW_NOTE_COUNT_BITS));
}

/* The distance of a key from the bucket, or NOTE_NONE. To the verifier it is no constant, so that it walks what follows
 * once for all. */
INLINE u64 note_search(struct note_bucket bucket, u64 key)
{
	u64 off = NOTE_NONE;

#pragma unroll
	for (u32 i = 0; i < DW_NOTE_WAYS; i++) {
		u64 there = bucket.keys[i], d = there ^ key;

		OPAQUE(d);
		if (there == key) {
			off = d + 8 * i;
			break;
		}
	}
	return off;
}

INLINE note_word *note_key(struct note_bucket bucket, u64 off)
{
	MASK(off, 56);
	return (note_word *)((volatile char *)bucket.keys + off);
}

INLINE note_word *note_at(struct note_bucket bucket, u64 off, u32 words)
{
	MASK(off, 56);
	return (note_word *)((volatile char *)bucket.notes + off * words);
}

/* The note at a place that a search has found; NULL: it has found none. */
INLINE void *note_of(struct note_bucket bucket, u64 off, u32 words)
{
	return off == NOTE_NONE ? (void *)0 : (void *)note_at(bucket, off, words);
}

/* The note of a key; NULL: there is none. */
INLINE void *note_find(struct note_bucket bucket, u64 key, u32 words)
{
	return note_of(bucket, note_search(bucket, key), words);
}

/* The place of the oldest note. Arithmetic, without a branch: the verifier would follow each to the end. */
INLINE u64 note_oldest(struct note_bucket bucket, u32 words)
{
	u64 least = bucket.notes[1], off = 0;

#pragma unroll
	for (u32 i = 1; i < DW_NOTE_WAYS; i++) {
		u64 time = bucket.notes[i * words + 1], older = -((time - least) >> 63);

		OPAQUE(older);
		least ^= (least ^ time) & older;
		off ^= (off ^ 8 * i) & older;
	}
	return off;
}

/* Writes the note of a key to a place that has had the key `was`, unless another CPU has changed that. Returns 1 if it
 * has. */
INLINE int note_write(struct note_bucket bucket, u64 off, u64 was, u64 key, const u64 *note, u32 words, int exchange)
{
	note_word *at = note_key(bucket, off), *to;

	if (!exchange)
		*at = DW_NOTE_BUSY;
	else if (__sync_val_compare_and_swap((u64 *)at, was, DW_NOTE_BUSY) != was)
		return 0;
	to = note_at(bucket, off, words);
#pragma unroll
	for (u32 i = 0; i < DW_NOTE_WORDS; i++) /* clang unrolls no loop up to a parameter */
		if (i < words)
			to[i] = note[i];
	if (exchange && !ARCH_STORES_IN_ORDER)
		__sync_lock_test_and_set((u64 *)at, key);
	else
		*at = key;
	return 1;
}

/* Gives a key a note. Returns 1 if it has taken a free place. */
INLINE int note_put(struct note_bucket bucket, u64 key, const u64 *note, u32 words, int exchange)
{
	u64 off = note_search(bucket, key), was = key;

	if (off == NOTE_NONE) {
		off = note_search(bucket, 0);
		if (off == NOTE_NONE)
			off = note_oldest(bucket, words);
		was = *note_key(bucket, off);
	}
	return was != DW_NOTE_BUSY && note_write(bucket, off, was, key, note, words, exchange) && !was;
}

/* Deletes a key. Returns 1 if it was there. */
INLINE int note_drop(struct note_bucket bucket, u64 key, int exchange)
{
	u64 off = note_search(bucket, key);

	if (off == NOTE_NONE)
		return 0;
	if (exchange)
		return __sync_val_compare_and_swap((u64 *)note_key(bucket, off), key, 0) == key;
	*note_key(bucket, off) = 0;
	return 1;
}
