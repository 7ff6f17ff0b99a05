/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_packet: gives packets an identity; part of lib.bpf.c. Input: an event at a packet, the table of notes.
 * Output: the identity, 0 if it is not known. Invariant: the identity stays with the memory of the packet's headers,
 * and moves with the buffer when the kernel copies that. Memory is used again, sometimes without a sign that its packet
 * has ended: the order of the stages tells when a new packet begins. */
static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static long (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*map_delete)(void *map, const void *key) = (void *)3;
static u32 (*this_cpu)(void) = (void *)8;

#define STAGE_MASK 0xffu
#define CPU_BITS 6

INLINE struct dw_packet *packet_find(void *table, u64 key)
{
	return note_find(note_packets(table, key), key, DW_NOTE_WORDS);
}

/* Notes a packet under the key; cut: as one that is to be cut. */
INLINE u64 put_packet(void *table, u64 key, const struct dw_packet *note, u64 cut, int exchange)
{
	u32 *count;

	if (!table || !note)
		return 0;
	count = note_cut_count(table, key);
	if (cut) /* before it can be found */
		__sync_fetch_and_add(count, 1);
	if (!note_put(cut ? note_cut(table, key) : note_packets(table, key), key, &note->id, DW_NOTE_WORDS, exchange) &&
		cut)
		__sync_fetch_and_add(count, (u32)-1);
	return 0;
}

INLINE void cut_drop(void *table, u64 key, int exchange)
{
	if (note_drop(note_cut(table, key), key, exchange))
		__sync_fetch_and_add(note_cut_count(table, key), (u32)-1);
}

PART u64 packet_put(void *table, u64 key, const struct dw_packet *note, u64 cut)
{
	return put_packet(table, key, note, cut, 1);
}

PART u64 packet_put_plain(void *table, u64 key, const struct dw_packet *note, u64 cut)
{
	return put_packet(table, key, note, cut, 0);
}

INLINE void packet_set(void *table, u64 key, const struct dw_packet *note, u64 cut, int exchange)
{
	if (exchange)
		packet_put(table, key, note, cut);
	else
		packet_put_plain(table, key, note, cut);
}

/* Notes the packet of an sk_buff. */
INLINE u64 put_buffer(void *table, u64 key, const struct dw_buffer *note, int exchange)
{
	if (!table || !note)
		return 0;
	note_put(note_buffers(table, key), key, &note->head, DW_NOTE_BUFFER_WORDS, exchange);
	return 0;
}

PART u64 packet_buffer(void *table, u64 key, const struct dw_buffer *note)
{
	return put_buffer(table, key, note, 1);
}

PART u64 packet_buffer_plain(void *table, u64 key, const struct dw_buffer *note)
{
	return put_buffer(table, key, note, 0);
}

/* Does a packet begin here, though its memory belonged to one whose last stage was at `was`? It does after an end; when
 * the stack sends, unless a tunnel's device sends on; when a driver hands a packet up, unless it comes out of another
 * device; when TCP sends a segment again. What the kernel itself takes, such as neighbours' questions, ends at `input';
 * IPv6 may forward a packet from there (a routing header). */
INLINE u64 packet_begins(const struct dw_stage *s, u64 was, u64 depart)
{
	u64 now = s->place & STAGE_MASK, last = was & STAGE_MASK;

	if (now == DW_STAGE_TCP_OUT || now == DW_STAGE_UDP_OUT || (s->depart && depart && s->depart != depart))
		return 1;
	if (last == DW_STAGE_TCP_OUT || last == DW_STAGE_UDP_OUT) /* it goes on to IP */
		return 0;
	if (now > DW_STAGE_DROP || !last)
		return 0;
	if (last >= DW_STAGE_READ)
		return now != last && now != DW_STAGE_SENT;
	if (now == DW_STAGE_OUTPUT)
		return last != DW_STAGE_TRANSMIT;
	if (now == DW_STAGE_DRIVER_IN)
		return last >= DW_STAGE_SOCKET_IN || (last >= DW_STAGE_DRIVER_IN && was >> 8 == s->place >> 8);
	return now < DW_STAGE_DRIVER_IN && last >= (now < DW_STAGE_QUEUE ? DW_STAGE_SOCKET_IN : DW_STAGE_INPUT);
}

/* Was the memory a fragment's that the kernel has put together with others? That ends without an event: conntrack and
 * IPv4 do so behind `prerouting' or `route', IPv6 behind `input'. A fragment goes on if the whole is cut again. That is
 * in the same namespace. */
INLINE u64 packet_joined(const struct dw_stage *s)
{
	u64 now = s->place & STAGE_MASK, last = s->note.place & STAGE_MASK;

	if (!(s->note.cut & DW_CUT_FRAGMENT) || last < DW_STAGE_PREROUTING || last > DW_STAGE_INPUT)
		return 0;
	return now == DW_STAGE_DRIVER_IN ||
		(now == DW_STAGE_QUEUE && !s->flow &&
			(last == DW_STAGE_INPUT || (u32)s->bytes != (u32)(s->note.cut >> 32)));
}

/* Is it memory of a fragment whose whole is cut again? */
INLINE u64 packet_goes_on(const struct dw_stage *s, const struct dw_packet *p)
{
	return p->cut & DW_CUT_FRAGMENT && (p->place & STAGE_MASK) == DW_STAGE_PREROUTING &&
		(s->place & STAGE_MASK) == DW_STAGE_QUEUE && !s->flow && (u32)s->bytes == (u32)(p->cut >> 32);
}

/* A packet comes in: is it a fragment? */
INLINE void packet_fragment(struct dw_stage *s, u64 stage)
{
	if ((stage < DW_STAGE_DRIVER_IN || stage > DW_STAGE_PREROUTING) && stage != DW_STAGE_INPUT)
		return;
	if (s->flow)
		return;
	s->note.cut &= DW_CUT_SHARED;
	if (s->bytes >> 32)
		s->note.cut |= s->bytes << 32 | DW_CUT_FRAGMENT;
}

/* Is it the buffer that a driver got, not another one of the same data (a tap's)? A process may have read it, from a
 * TUN device. */
INLINE u64 packet_is_sent(const struct dw_stage *s)
{
	u64 last = s->note.place & STAGE_MASK;

	return s->note.sent == s->buffer && (last == DW_STAGE_TRANSMIT || last == DW_STAGE_READ);
}

/* The kernel has copied the headers of a buffer, unless the buffer is another packet's by now, and their memory before
 * is, too. Returns what is known of that memory, or p. Memory that was given back at once is known only if ends of
 * packets are seen. If it has a later packet's headers since then, so may have the buffer, whose own end is not always
 * seen: Linux keeps it for the next packet. Fragments are put together in the buffer of the last one that came, with
 * the headers of the first: the whole is that one. If it is cut again, the last one has a buffer that may have been
 * another packet's. */
INLINE struct dw_packet *packet_moved(
	struct dw_stage *s, void *table, void *freed, struct dw_packet *p, const struct dw_buffer *b)
{
	struct dw_packet *old = packet_find(table, b->head);
	u64 *last;

	if (p && packet_goes_on(s, p))
		return p;
	if (old && old->id == b->id && (!p || !(old->cut & p->cut & DW_CUT_FRAGMENT) || p->place != old->place))
		return old;
	OPAQUE(p); /* else clang combines the pointers, which the verifier forbids */
	if (p)
		return p;
	s->from = 0;
	last = old ? 0 : map_lookup(freed, &s->from);
	if (last && last[0] && last[0] == b->id && !packet_begins(s, last[1], 0)) {
		s->note.id = last[0];
		last[0] = 0;
	}
	return p;
}

/* The sequence number after the packet's data. */
INLINE u64 packet_after(const struct dw_stage *s)
{
	return (u32)((u32)s->flow + ((u32)s->bytes & ~DW_STAGE_GSO));
}

/* Is it a segment of a packet that the kernel has cut just now? The packet was noted under the sequence number of its
 * first segment; each segment notes it for the next one. s->note is then what is known of the packet. */
INLINE u64 packet_segment(struct dw_stage *s, void *table, void *freed, int exchange)
{
	struct dw_packet *whole, *p;
	u64 *last;

	if (exchange && !*(volatile u32 *)note_cut_count(table, s->flow))
		return 0;
	whole = note_find(note_cut(table, s->flow), s->flow, DW_NOTE_WORDS);
	if (!whole)
		return 0;
	s->note = *whole;
	cut_drop(table, s->flow, exchange);
	if (s->note.sent == s->head || s->bytes & DW_STAGE_GSO) {
		s->note.sent = s->note.depart = 0;
		return 0; /* the device cuts it, or what begins here was never cut */
	}
	p = packet_find(table, s->note.sent);
	if (p && p->id == s->note.id)
		p->cut = 1;
	s->from = 0;
	last = map_lookup(freed, &s->from);
	if (last && *last == s->note.id)
		*last = 0;
	s->note.cut = 0;
	if ((u32)s->note.depart != packet_after(s)) {
		packet_set(table, (s->flow & ~0xffffffffull) | packet_after(s), &s->note, 1, exchange);
		s->note.cut = 1;
	}
	s->note.sent = s->note.depart = 0;
	return 1;
}

/* A packet that is to be cut goes to a device: it is noted for its first segment. */
INLINE void packet_to_cut(struct dw_stage *s, void *table, int exchange)
{
	u64 sent = s->note.sent, depart = s->note.depart;

	s->note.sent = s->head;
	s->note.depart = packet_after(s);
	packet_set(table, s->flow, &s->note, 1, exchange);
	s->note.sent = sent;
	s->note.depart = depart;
}

/* The key of a call by which TCP data from this sequence number on were written. No address of the kernel is so
 * small. */
INLINE u64 call_key(u64 sk, u64 seq)
{
	return (seq & 0xffffffff) << 16 | (sk >> 6 & 0xffff);
}

/* A packet begins: by which call was its first byte written? TCP may send later, when others were made: then only a
 * call's first byte tells. A datagram leaves within its call. */
INLINE void packet_called(struct dw_stage *s, void *table)
{
	struct dw_packet *call = packet_find(table, s->flow);

	if (!call || (call->place & STAGE_MASK) != DW_STAGE_SEND)
		return;
	if (call->first != s->bytes && call->first != (u32)s->bytes)
		return;
	if (call->first != s->bytes && (int)((u32)(s->bytes >> 32) - (u32)call->depart) < 0) {
		call = packet_find(table, call_key(s->flow, s->bytes >> 32));
		if (!call || call->sent != s->flow || call->first != (u32)s->bytes)
			return;
	}
	s->note.time = call->time;
	s->note.place = call->place;
	s->note.first = (s->now - call->time) << 8 | DW_STAGE_SEND;
}

/* The stage, read again each time: the less stack packet_note() needs, the more have its callers. */
INLINE u64 packet_stage(const struct dw_stage *s)
{
	return *(const volatile u64 *)&s->place & STAGE_MASK;
}

/* Puts the stage into the packet's note, and what was there before into the results. Returns the stage. */
INLINE u64 packet_moves_on(struct dw_stage *s)
{
	u64 time = s->now, place = s->place, stage = place & STAGE_MASK;

	s->dw_stage_before = s->note.time;
	s->dw_stage_was = s->note.place;
	if (s->depart)
		s->note.depart = s->depart;
	if (stage <= DW_STAGE_UDP_OUT) {
		s->note.time = time;
		s->note.place = place;
		if (!s->note.first)
			s->note.first = place;
	}
	s->dw_stage_first = s->note.first;
	return stage;
}

/* Writes the packet's note at the place where its key was found, or to another one. */
INLINE void packet_keep(const struct dw_stage *s, void *table, u64 place, int exchange)
{
	if (place == NOTE_NONE)
		packet_set(table, s->head, &s->note, 0, exchange);
	else
		note_write(note_packets(table, s->head), place, s->head, s->head, &s->note.id, DW_NOTE_WORDS, exchange);
}

/* Likewise that of its sk_buff, which is mostly the same as before. */
INLINE void packet_keep_buffer(struct dw_stage *s, void *table, u64 place, int exchange)
{
	const struct dw_buffer *b = note_of(note_buffers(table, s->buffer), place, DW_NOTE_BUFFER_WORDS);

	if (b && b->head == s->head && b->id == s->note.id)
		return;
	s->flow = s->head; /* with bytes: a struct dw_buffer */
	s->bytes = s->note.id;
	if (place != NOTE_NONE)
		note_write(note_buffers(table, s->buffer), place, s->buffer, s->buffer, &s->flow, DW_NOTE_BUFFER_WORDS,
			exchange);
	else if (exchange)
		packet_buffer(table, s->buffer, (const struct dw_buffer *)&s->flow);
	else
		packet_buffer_plain(table, s->buffer, (const struct dw_buffer *)&s->flow);
}

/* A process calls send: there is no packet, but its socket, and where TCP's data will begin. The last call of a socket
 * is noted under the socket's address. One before, whose first byte TCP may still send, gets a note under that byte. */
INLINE void packet_call(struct dw_stage *s, void *table, int exchange)
{
	u64 place = note_search(note_packets(table, s->head), s->head);
	const struct dw_packet *last = note_of(note_packets(table, s->head), place, DW_NOTE_WORDS);

	if (s->bytes && last && (last->place & STAGE_MASK) == DW_STAGE_SEND &&
		(int)((u32)last->depart - (u32)s->depart) >= 0) {
		s->note = *last;
		packet_set(table, call_key(s->head, s->note.depart), &s->note, 0, exchange);
		s->note.id = s->note.cut = 0;
	}
	s->note.time = s->now;
	s->note.place = s->place;
	s->note.depart = s->flow;
	s->note.first = s->buffer;
	s->note.sent = s->head;
	packet_keep(s, table, place, exchange);
}

/* Nothing is known of the packet. */
INLINE void packet_none(struct dw_stage *s)
{
	s->note.id = s->note.time = s->note.place = s->note.sent = s->note.depart = s->note.first = s->note.cut = 0;
}

INLINE u64 note_packet(struct dw_stage *s, void *table, void *freed, int exchange)
{
	u64 stage = packet_stage(s), begins = 0;
	struct dw_packet *was;
	struct dw_buffer *b;
	u64 place, buffer;

	if (stage == DW_STAGE_SEND) {
		packet_none(s);
		packet_call(s, table, exchange);
		return 0;
	}
	place = note_search(note_packets(table, s->head), s->head);
	was = note_of(note_packets(table, s->head), place, DW_NOTE_WORDS);
	buffer = note_search(note_buffers(table, s->buffer), s->buffer);
	b = note_of(note_buffers(table, s->buffer), buffer, DW_NOTE_BUFFER_WORDS);
	NUMBER(place); /* else the verifier would follow what it knows of both to the end */
	NUMBER(buffer);
	if (!was)
		packet_none(s);
	if (b && b->head != s->head)
		was = packet_moved(s, table, freed, was, b);
	if (was) {
		s->note.id = was->id;
		s->note.time = was->time;
		s->note.place = was->place;
		s->note.sent = was->sent;
		s->note.depart = was->depart;
		s->note.first = was->first;
		s->note.cut = was->cut;
		begins = packet_begins(s, was->place, was->depart) || packet_joined(s);
	}
	stage = packet_stage(s);
	if (stage == DW_STAGE_LOOK)
		return s->note.id;
	if (stage == DW_STAGE_SENT && !packet_is_sent(s))
		return 0;
	if (stage == DW_STAGE_USED) {
		if ((s->note.place & STAGE_MASK) < DW_STAGE_SOCKET_IN || (s->note.place & STAGE_MASK) >= DW_STAGE_READ)
			return 0;
		s->place = s->place - DW_STAGE_USED + DW_STAGE_READ;
	}
	if (stage == DW_STAGE_PART || stage == DW_STAGE_ASIDE) {
		if (s->note.id && s->note.first && (stage == DW_STAGE_PART || !begins)) {
			s->dw_stage_before = s->note.time;
			s->dw_stage_was = s->note.place;
			s->dw_stage_first = s->note.first;
			return s->note.id;
		}
		if (stage == DW_STAGE_ASIDE)
			return 0;
		s->place = s->place - DW_STAGE_PART + DW_STAGE_DROP;
	}
	stage = packet_stage(s);
	if (!(stage == DW_STAGE_TRANSMIT && s->flow && packet_segment(s, table, freed, exchange)) &&
		(begins || !s->note.id)) {
		packet_none(s);
		s->note.id = s->now << CPU_BITS | (this_cpu() & ((1U << CPU_BITS) - 1));
		stage = packet_stage(s);
		if ((stage == DW_STAGE_OUTPUT || stage == DW_STAGE_TCP_OUT || stage == DW_STAGE_UDP_OUT) && s->flow)
			packet_called(s, table);
	}
	stage = packet_moves_on(s);
	packet_fragment(s, stage);
	if (stage >= DW_STAGE_QUEUE && stage <= DW_STAGE_DEQUEUE && s->flow && s->bytes & DW_STAGE_GSO)
		packet_to_cut(s, table, exchange);
	if (stage == DW_STAGE_TRANSMIT)
		s->note.sent = s->buffer;
	if (stage == DW_STAGE_DRIVER_IN) /* it goes on: the device does not send it any further */
		s->note.sent = 0;
	packet_keep(s, table, place, exchange);
	packet_keep_buffer(s, table, buffer, exchange);
	return s->note.id;
}

u64 packet_note(struct dw_stage *s, void *table, void *freed)
{
	return note_packet(s, table, freed, 1);
}

u64 packet_note_plain(struct dw_stage *s, void *table, void *freed)
{
	return note_packet(s, table, freed, 0);
}

/* The memory at at[0] is given back, and that of the sk_buff at at[1]. Returns the identity of the packet that has
 * ended: not that of this memory, which the kernel may have copied, but the one before on this CPU. 0: none. */
INLINE u64 end_packet(u64 *at, void *table, void *freed, int exchange)
{
	struct dw_packet *p;
	u64 id, was, old, *last;

	if (at[1])
		note_drop(note_buffers(table, at[1]), at[1], exchange);
	p = packet_find(table, at[0]);
	if (!p)
		return 0;
	id = p->cut & DW_CUT_SHARED ? 0 : p->id;
	was = p->place;
	note_drop(note_packets(table, at[0]), at[0], exchange);
	if (!id)
		return 0;
	at[0] = 0;
	last = map_lookup(freed, at);
	if (!last)
		return 0;
	old = last[0];
	last[0] = id;
	last[1] = was;
	return old;
}

u64 packet_end(u64 *at, void *table, void *freed)
{
	return end_packet(at, table, freed, 1);
}

u64 packet_end_plain(u64 *at, void *table, void *freed)
{
	return end_packet(at, table, freed, 0);
}

/* io[0]: a packet that gets a variable for the first time; io[1] is used here. Returns the packet that got one `size`
 * packets ago, whose turn it is; 0: none yet. */
u64 packet_age(u64 *io, void *ages, u32 size)
{
	u64 *slot;
	u64 n;

	io[1] = 0;
	slot = map_lookup(ages, &io[1]);
	if (!slot)
		return 0;
	n = __sync_fetch_and_add(slot, 1);
	io[1] = 1 + (u32)n % size;
	slot = map_lookup(ages, &io[1]);
	if (!slot)
		return 0;
	return __sync_lock_test_and_set(slot, io[0]);
}
