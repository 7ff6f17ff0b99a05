/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_text: D's subroutines on characters (D manual, Actions and Subroutines); part of lib.bpf.c. Input: texts in the
 * program's memory, with a NUL among their first `cap` bytes, in memory up to a multiple of 8. Output: text in dst
 * (cap bytes), numbers in the words `w`. Invariant: the result of a loop passes through memory before it is used. The
 * verifier does not know a value that it reads back, so that all ways out of a loop are one state to it. Loops over
 * texts use bpf_loop(): the verifier checks their bodies (cb_...) once, however long the texts are. */

/* probe_read_kernel_str. size has 64 bits here: the verifier checks all of them. */
static long (*const copy_text)(void *dst, u64 size, const void *from) = (void *)115;
/* bpf_loop, Linux 5.17. n has 64 bits here: a kernel that inlines the loop compares all of them. */
static long (*const loop)(u64 n, void *body, void *ctx, u64 flags) = (void *)181;

typedef volatile u64 word;

/* Arguments of the body of a loop. */
struct ctx {
	const char *s;
	char *d;
	word *w;
	u64 cap, how;
};

/* All ones when a == b, both less than 2^63. */
INLINE u64 mask_equal(u64 a, u64 b)
{
	u64 m = nonzero(a ^ b) - 1;
	OPAQUE(m);
	return m;
}

/* x where the mask is ones, else old. */
INLINE u64 pick(u64 mask, u64 x, u64 old)
{
	return (x & mask) | (old & ~mask);
}

long cb_cmp(u64 i, struct ctx *c)
{
	if (i >= c->cap)
		return 1;
	c->how = (u64)(u8)c->s[i] << 8 | (u8)c->d[i];
	return c->how >> 8 != (c->how & 255) || !c->how;
}

s64 str_cmp(const char *a, const char *b, u32 size)
{
	struct ctx c = { .s = a, .d = (char *)b, .cap = size };

	loop(size, cb_cmp, &c, 0);
	return (s64)greater(c.how >> 8, c.how & 255) - (s64)greater(c.how & 255, c.how >> 8);
}

/* dst = w[1] bytes of src from w[0] on. */
INLINE void put_part(char *dst, const char *src, u32 cap, word *w)
{
	u64 start = w[0], n;

	dst[0] = 0;
	if (start >= cap)
		return;
	copy_text(dst, cap, src + start);
	n = w[1];
	if (n < cap)
		dst[n] = 0;
}

/* substr(). w[0]: index, w[1]: count. Values below zero count from the end, as in Perl. */
u64 text_substr(char *dst, const char *src, u32 cap, word *w)
{
	s64 len = copy_text(dst, cap, src) - 1, index = (s64)w[0], n = (s64)w[1];

	if (index < 0) {
		index += len;
		if (index < 0 && n > -index) {
			n += index;
			index = 0;
		}
	}
	if (index < 0 || index >= len)
		n = index = 0;
	else if (n < 0)
		n = n + len < index ? 0 : n + len - index;
	w[0] = (u64)index;
	w[1] = (u64)n;
	put_part(dst, src, cap, w);
	return 0;
}

long cb_case(u64 i, struct ctx *c)
{
	u64 ch, off;

	if (i >= c->cap)
		return 1;
	ch = (u8)c->s[i];
	off = ch - c->how;
	OPAQUE(off);
	c->d[i] = (char)(ch ^ greater(26, off & 0xff) << 5);
	return !ch;
}

/* dst = src in lower (upper: upper) case. */
u64 text_case(char *dst, const char *src, u32 cap, u64 upper)
{
	struct ctx c = { .s = src, .d = dst, .cap = cap, .how = upper ? 'a' : 'A' };

	loop(cap, cb_case, &c, 0);
	return 0;
}

long cb_chr(u64 i, struct ctx *c)
{
	u64 ch;

	if (i >= c->cap)
		return 1;
	ch = (u8)c->s[i];
	if (ch == c->w[2]) {
		c->w[0] = i;
		c->w[3] = 0;
		if (!c->how)
			return 1;
	}
	return !ch;
}

/* strchr(), with last strrchr(), of the character w[2]: dst = src from there on. w[0] becomes 1 if it is not
 * there. */
u64 text_chr(char *dst, const char *src, u32 cap, word *w, u64 last)
{
	struct ctx c = { .s = src, .w = w, .cap = cap, .how = last };

	w[2] &= 0xff;
	w[0] = w[1] = cap;
	w[3] = 1;
	loop(cap, cb_chr, &c, 0);
	put_part(dst, src, cap, w);
	w[0] = w[3];
	return 0;
}

/* Looks for the w[2] bytes of d in s, from w[0] by steps of w[1] up to w[3] and 0. w[5] becomes the place, or -1. cap
 * + how + 8 bytes of s and how + 8 of d are readable. */
long cb_find(u64 k, struct ctx *c)
{
	word *w = c->w;
	u64 i = w[0], diff = 0;

	(void)k;
	w[4] = w[2];
	if (i > w[3] || i >= c->cap)
		return 1;
	for (u64 j = 0; j < c->how; j += 8) {
		u64 left = w[4], shift = (64 - 8 * left) & (0 - greater(8, left));

		diff = (*(const u64 *)(c->s + i + j) ^ *(const u64 *)(c->d + j)) << (shift & 63);
		w[4] = left - 8;
		if (diff || left <= 8)
			break;
	}
	w[6] = diff;
	if (!w[6]) {
		w[5] = w[0];
		return 1;
	}
	w[0] = w[0] + w[1];
	return 0;
}

/* index(), with last rindex(), as in Perl. w[0]: where to begin (INT64_MAX for rindex(): at the end), then the
 * result. sizes: the size of s, and that of sub << 32. work: 64 bytes for w, then room for copies of both. */
u64 text_index(word *w, const char *s, const char *sub, u64 sizes, u64 last)
{
	u32 scap = (u32)sizes, mcap = (u32)(sizes >> 32);
	char *cs = (char *)w + 64, *cm = cs + ((scap + mcap + 23) & ~7u);
	struct ctx c = { .s = cs, .d = cm, .w = w, .cap = scap, .how = mcap };
	s64 len = copy_text(cs, scap, s) - 1, m = copy_text(cm, mcap, sub) - 1, pos = (s64)w[0];

	w[1] = last ? ~0ull : 1;
	w[2] = (u64)m;
	w[3] = (u64)(len - m);
	if (pos < 0)
		pos = last && m ? len + 1 : 0;
	else if (pos > len - (last ? m : 0))
		pos = len - (last ? m : 0);
	w[0] = (u64)pos;
	w[7] = len < m;
	if (w[7])
		w[0] = ~0ull;
	else if (w[2]) {
		w[5] = ~0ull;
		loop(scap, cb_find, &c, 0);
		w[0] = w[5];
	}
	return 0;
}

/* strstr(): dst = s from the beginning of sub on; w[0] becomes 1 if s does not contain it. */
u64 text_tail(char *dst, const char *src, u32 cap, word *w)
{
	w[1] = cap;
	w[3] = w[0] >> 63;
	put_part(dst, src, cap, w);
	w[0] = w[3];
	return 0;
}

/* One character of a path. w[0]: begin of the last part, w[1]: its end, w[3]: end of the part before, w[4]: after a
 * slash, w[5]: there is a part. */
long cb_path(u64 i, struct ctx *c)
{
	word *w = c->w;
	u64 ch;

	if (i >= c->cap)
		return 1;
	ch = (u8)c->s[i];
	if (!ch)
		return 1;
	w[5] = 1;
	if (ch == '/') {
		w[4] = 1;
		return 0;
	}
	if (w[4]) {
		w[3] = w[1];
		w[0] = i;
	}
	w[4] = 0;
	w[1] = i + 1;
	return 0;
}

/* basename(), with dir dirname(). */
u64 text_path(char *dst, const char *src, u32 cap, word *w, u64 dir)
{
	struct ctx c = { .s = src, .w = w, .cap = cap };

	w[0] = w[1] = w[3] = w[5] = 0;
	w[4] = 1;
	loop(cap, cb_path, &c, 0);
	if (dir) {
		w[2] = w[0] | (w[5] & (1 - nonzero(w[1]))); /* only slashes, or those before the first part: "/" */
		w[0] = 0;
		w[1] = w[3];
	} else {
		w[2] = w[5];
		w[1] = w[1] - w[0];
	}
	if (w[1]) {
		put_part(dst, src, cap, w);
		return 0;
	}
	dst[0] = w[2] ? '/' : '.';
	dst[1] = 0;
	return 0;
}

/* One step of cleanpath(). w[0]: place in src, w[1]: in dst, w[2]: 1 while going back to the previous slash. */
long cb_clean(u64 k, struct ctx *x)
{
	const char *src = x->s;
	char *dst = x->d;
	word *w = x->w;
	u64 i = w[0], j = w[1], cap = x->cap, c, d;

	(void)k;
	if (i >= cap || j >= cap)
		return 1;
	if (w[2]) {
		j = w[1] - 1;
		if (j >= cap) { /* nothing before it */
			w[2] = 0;
			return 0;
		}
		w[1] = j;
		w[2] = (u8)dst[j] != '/';
		return 0;
	}
	c = (u8)src[i];
	if (!c)
		return 1;
	w[0] = i + 1;
	if (c == '/') {
		c = (u8)src[i + 1];
		d = (u8)src[i + 2];
		if (c == '/')
			return 0;
		if (c == '.' && d == '/') {
			w[0] = i + 2;
			return 0;
		}
		d = (d ^ '.') | (u64)((u8)src[i + 3] != '/' && src[i + 3]);
		if (c == '.' && !d) {
			w[0] = i + 3;
			w[2] = 1;
			w[3] = !src[i + 3];
			return 0;
		}
		c = '/';
	}
	dst[j] = (char)c;
	w[1] = j + 1;
	return 0;
}

/* cleanpath(): removes "/./", "//" and "/x/../". src has 8 readable bytes after cap. */
u64 text_clean(char *dst, const char *src, u32 cap, word *w)
{
	struct ctx c = { .s = src, .d = dst, .w = w, .cap = cap };
	u64 j;

	w[0] = w[1] = w[2] = w[3] = 0;
	loop(2 * cap, cb_clean, &c, 0);
	j = w[1];
	if (w[3] && j < cap) { /* a "/.." at the end leaves a slash */
		dst[j] = '/';
		j++;
	}
	dst[j < cap ? j : cap - 1] = 0;
	return 0;
}

/* The next digit, beginning with the last one. w[2]: the rest of the number; w[1]: place of the first digit. */
long cb_digit(u64 i, struct ctx *c)
{
	word *w = c->w;
	char *buf = (char *)w + 64;
	u64 v = w[2], d;

	if (i >= 64)
		return 1;
	d = v % c->how;
	v /= c->how;
	buf[79 - i] = (char)('0' + d + greater(d, 9) * ('a' - '0' - 10));
	w[1] = 79 - i;
	w[2] = v;
	return !v;
}

/* lltostr(): w: 64 bytes, then 88 for the digits. */
u64 text_digits(char *dst, u32 cap, word *w, s64 n, u64 base)
{
	struct ctx c = { .w = w, .how = base };
	char *buf = (char *)w + 64;
	u64 minus = base == 10 && n < 0, at;

	w[1] = 72;
	w[2] = minus ? 0 - (u64)n : (u64)n;
	loop(64, cb_digit, &c, 0);
	buf[80] = 0;
	at = w[1];
	if (at < 2 || at > 79)
		return 0;
	if (base == 16)
		buf[--at] = 'x';
	if (base == 16 || (base == 8 && n)) /* 0 is 0x0, and 0 */
		buf[--at] = '0';
	if (minus)
		buf[--at] = '-';
	copy_text(dst, cap, buf + at);
	return 0;
}

/* One character of a number. w[0]: value; w[1]: state, 0: blanks, 1: after the sign, 2: after 0, 3: digits; w[2]: 1:
 * minus. */
long cb_number(u64 i, struct ctx *x)
{
	word *w = x->w;
	u64 c, state = w[1], low, digit;

	if (i >= x->cap)
		return 1;
	c = (u8)x->s[i];
	low = c | 32;
	if (!state && (c == ' ' || c - 9 < 5))
		return 0;
	if (!state && (c == '-' || c == '+')) {
		w[1] = 1;
		w[2] = c == '-';
		return 0;
	}
	if (state == 2 && low == 'x' && x->how == 16) {
		w[1] = 3;
		return 0;
	}
	w[1] = state < 2 && c == '0' ? 2 : 3;
	digit = c - '0' < 10 ? c - '0' : low - 'a' < 26 ? low - 'a' + 10 : 99;
	if (digit >= x->how)
		return 1;
	w[0] = w[0] * x->how + digit;
	return 0;
}

/* strtoll(): the number in w[0]. */
u64 text_number(word *w, const char *s, u32 cap, u64 base)
{
	struct ctx c = { .s = s, .w = w, .cap = cap, .how = base };

	w[0] = w[1] = w[2] = 0;
	loop(cap, cb_number, &c, 0);
	if (w[2])
		w[0] = 0 - w[0];
	return 0;
}

/* Puts the characters of s in the set w[2..5]. */
long cb_set(u64 i, struct ctx *x)
{
	u64 c;

	if (i >= x->cap)
		return 1;
	c = (u8)x->s[i];
	if (!c)
		return 1;
	x->w[2 + (c >> 6)] |= 1ull << (c & 63);
	return 0;
}

/* Moves w[0] forward in s while the characters are in the set; with how, while they are not. */
long cb_span(u64 k, struct ctx *x)
{
	word *w = x->w;
	u64 at = w[0], c;

	(void)k;
	if (at >= x->cap)
		return 1;
	c = (u8)x->s[at];
	if ((w[2 + (c >> 6)] >> (c & 63) & 1) == x->how)
		return 1;
	w[0] = at + 1;
	return 0;
}

/* strtok(). w[0]: place in the text, w[1]: 1 if there is a text; w[2..5]: the set of delimiters; the text is at w +
 * 8. The token goes to dst; w[6] becomes 1 if there is none. */
u64 text_token(word *w, char *dst, const char *delim, u32 cap, u32 dcap)
{
	const char *s = (const char *)w + 64;
	struct ctx set = { .s = delim, .w = w, .cap = dcap }, c = { .s = s, .w = w, .cap = cap };
	u64 start;

	dst[0] = 0;
	w[6] = 1;
	if (!w[1])
		return 0;
	w[2] = w[3] = w[4] = w[5] = 0;
	loop(dcap, cb_set, &set, 0);
	loop(cap, cb_span, &c, 0);
	start = w[0];
	if (start >= cap || !s[start]) {
		w[1] = 0;
		return 0;
	}
	copy_text(dst, cap, s + start);
	w[6] = 0;
	w[2] |= 1; /* the NUL ends a token */
	w[7] = start;
	c.how = 1;
	loop(cap, cb_span, &c, 0);
	start = w[0] - w[7];
	if (start < cap)
		dst[start] = 0;
	return 0; /* stay at the delimiter: the next call may have other delimiters */
}

/* Bytes in hexadecimal with colons between: link_ntop(). n <= 20. */
u64 text_link(char *dst, const u8 *b, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u64 v = b[i];

		dst[3 * i] = (char)hex(v >> 4);
		dst[3 * i + 1] = (char)hex(v & 15);
		dst[3 * i + 2] = ':';
	}
	dst[3 * n - 1] = 0;
	return 0;
}
