/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_dns: names of the Domain Name System as packets have them (RFC 1035, 4.1.2); part of lib.bpf.c. Input: bytes of
 * a packet, which another host chose. Output: text, or a hash. Invariant: no branch depends on the bytes, so that the
 * verifier walks one path. */

#define DNS_PART 16 /* bytes that one call looks at */

/* Goes on with dns_name() at byte `from`. Returns 0 when the name has ended. What is not needed all the time stays in
 * s, and what is written is written first: a frame of more than 64 bytes would take 32 more from all programs that read
 * names. */
PART u64 dns_name_part(struct dw_dns_name *s, char *out, const u8 *in, u64 from)
{
	if (!s || !out || !in)
		return 0;
	u64 left = s->left, p = s->p, live = s->live;
	from &= 256 - DNS_PART;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < DNS_PART; i++) {
		u64 c = in[from + i], within = nonzero(left), zero = 1 - nonzero(c);
		u64 upper = greater(c, 'A' - 1) & greater('Z' + 1, c), dot = 1 - nonzero(c ^ '.');
		u64 ch = c + 32 * upper + '?' * zero + ('?' - '.') * dot;
		OPAQUE(within);
		out[p & 255] = (char)('.' + within * (ch - '.'));
		u64 end = (1 - within) & zero, bad = (1 - within) & greater(c, 63);
		OPAQUE(end);
		OPAQUE(bad);
		live &= greater(s->len, from + i);
		OPAQUE(live);
		p += live & (within | (nonzero(p) & (1 - end) & (1 - bad)));
		OPAQUE(p);
		s->wire += (live & end) * (from + i + 1);
		/* a label's length, else one character less of it */
		left = live * (within * (left - 1) + (1 - within) * (1 - bad) * c);
		OPAQUE(left);
		live &= (1 - end) & (1 - bad);
		OPAQUE(live);
	}
	s->left = left;
	s->p = p;
	s->live = live;
	return live;
}

/* Writes the name at in as text in lower case with dots, "." for the root: at most 254 bytes and a NUL. len bytes are
 * there (at most 255). A NUL or a dot within a label becomes '?'. A name that does not end in these bytes, or that
 * goes on elsewhere (a pointer), is shown as far as it goes. Returns its length in the packet; 0: it does not end. */
u64 dns_name(char *out, const u8 *in, u64 len)
{
	struct dw_dns_name s = { .live = 1, .len = len };

	if (!out || !in)
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < 256; i += DNS_PART)
		if (!dns_name_part(&s, out, in, i))
			break;
	u64 p = s.p, root = (1 - nonzero(p)) & nonzero(s.wire);
	OPAQUE(root);
	p &= 255;
	out[p] = (char)('.' * root);
	p = (p + root) & 255;
	out[p] = 0;
	return s.wire;
}

#define HASH_ROOM 64
#define HASH_PART 8

/* Goes on with dns_hash() at byte `from`. Returns 0 when the question has ended. */
PART u64 dns_hash_part(struct dw_dns_hash *s, const u8 *in, u64 from)
{
	if (!s || !in)
		return 0;
	u64 left = s->left, live = s->live, hash = s->hash, tail = s->tail, len = s->len;
	from &= HASH_ROOM - HASH_PART;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < HASH_PART; i++) {
		u64 c = in[from + i], within = nonzero(left), behind = nonzero(tail);
		u64 upper = within & greater(c, 'A' - 1) & greater('Z' + 1, c);
		u64 end = (1 - within) & (1 - nonzero(c));
		OPAQUE(within);
		OPAQUE(behind);
		live &= greater(len, from + i);
		OPAQUE(live);
		hash = live * ((hash ^ (c + 32 * upper)) * 0x9e3779b97f4a7c15) + (1 - live) * hash;
		OPAQUE(hash);
		tail = behind * (tail - 1) + (1 - behind) * end * 3;
		OPAQUE(tail);
		left = (1 - nonzero(tail)) * (within * (left - 1) + (1 - within) * c);
		OPAQUE(left);
		live &= nonzero(tail ^ 1);
		OPAQUE(live);
	}
	s->left = left;
	s->live = live;
	s->hash = hash;
	s->tail = tail;
	return live;
}

/* A hash of the question at in, of its first len bytes (at most 64): of the name in lower case and of the type behind
 * it. */
u64 dns_hash(const u8 *in, u64 len)
{
	struct dw_dns_hash s = { .live = 1, .len = len };

	if (!in)
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < HASH_ROOM; i += HASH_PART)
		if (!dns_hash_part(&s, in, i))
			break;
	return s.hash;
}
