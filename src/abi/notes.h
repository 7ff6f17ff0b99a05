/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notes: the table of what is known of packets: by the address of their headers and, of a call that sends, of its
 * socket (struct dw_packet); of their sk_buffs, by the address (struct dw_buffer); and of those that the kernel is to
 * cut, by ports and sequence number (struct dw_packet).
 *
 *	the table	buckets of packets | of sk_buffs | of those to be cut | numbers of these
 *	a bucket	u64 key[DW_NOTE_WAYS] | the notes of these keys
 *
 * Of those to be cut the keys of all buckets come first: each segment looks for its number there, in another bucket
 * each time, and seldom finds it. So it looks first how many keys there are in some buckets: in one line of the
 * cache. That is never less than there are; kernels without exchanges do without.
 *
 * The keys of a bucket share a line of the CPU's cache. 0 is a free one, DW_NOTE_BUSY one whose note is being written.
 * A key belongs to one bucket; where that is full, a new one takes the place of the oldest. Both kinds of notes have
 * the time by which that is known in their second word. */
#ifndef DWIRE_ABI_NOTES_H
#define DWIRE_ABI_NOTES_H

#define DW_NOTE_WAYS 8u
#define DW_NOTE_BUSY 1u
#define DW_NOTE_WORDS 7u /* struct dw_packet */
#define DW_NOTE_BUFFER_WORDS 2u
#define DW_NOTE_BUCKET(words) (DW_NOTE_WAYS * 8u * (1u + (words)))
#define DW_NOTE_BITS 12u /* of the number of a bucket */
#define DW_NOTE_CUT_BITS 9u
#define DW_NOTE_COUNT_BITS 4u /* of the number of a u32, which counts keys of those to be cut */
#define DW_NOTE_FACTOR 0x9e3779b97f4a7c15ull

#define DW_NOTES_PACKETS 0u
#define DW_NOTES_BUFFERS (DW_NOTES_PACKETS + (DW_NOTE_BUCKET(DW_NOTE_WORDS) << DW_NOTE_BITS))
#define DW_NOTES_CUT (DW_NOTES_BUFFERS + (DW_NOTE_BUCKET(DW_NOTE_BUFFER_WORDS) << DW_NOTE_BITS))
#define DW_NOTES_CUT_NOTES (DW_NOTES_CUT + (DW_NOTE_BUCKET(0u) << DW_NOTE_CUT_BITS))
#define DW_NOTES_CUT_COUNTS (DW_NOTES_CUT + (DW_NOTE_BUCKET(DW_NOTE_WORDS) << DW_NOTE_CUT_BITS))
#define DW_NOTES_SIZE (DW_NOTES_CUT_COUNTS + (4u << DW_NOTE_COUNT_BITS))
#endif
