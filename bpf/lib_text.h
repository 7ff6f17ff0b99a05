/* lib_text: the subroutines of D that work on characters; part of lib.bpf.c.
 *
 * Input: texts in memory of the program's own, a NUL among their first `cap` bytes, memory up to a multiple of 8.
 * Output: text in dst (cap bytes), numbers in the words `w`. Invariant: what a loop finds goes through memory before it
 * is used, since what comes back from there the verifier does not know: all ways out of a loop are one way to it. */

static long (*const copy_text)(void *dst, u32 size, const void *from) = (void *)115; /* probe_read_kernel_str */

typedef volatile u64 word;

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

/* substr(): w[0]: index, w[1]: count. What is below zero counts from the end, as in Perl. */
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

/* dst = src in lower (upper: upper) case. */
u64 text_case(char *dst, const char *src, u32 cap, u64 upper)
{
	u64 from = upper ? 'a' : 'A';

	OPAQUE(from);
	for (u32 i = 0; i < cap; i++) {
		u64 c = (u8)src[i], off = c - from;

		OPAQUE(off);
		dst[i] = (char)(c ^ greater(26, off & 0xff) << 5);
		if (!c)
			break;
	}
	return 0;
}

/* strchr() of the character w[2], with last strrchr(): dst = src from there on. w[0]: 1 when it is not there. */
u64 text_chr(char *dst, const char *src, u32 cap, word *w, u64 last)
{
	u64 want = w[2] & 0xff, at = cap, found = 0, first = 1 - last;

	for (u32 i = 0; i < cap; i++) {
		u64 c = (u8)src[i], same = mask_equal(c, want), stop;

		at = pick(same, i, at);
		found |= same & 1;
		stop = (1 - nonzero(c)) | (found & first);
		OPAQUE(stop);
		if (stop)
			break;
	}
	w[0] = at;
	w[1] = cap;
	w[3] = 1 - found;
	put_part(dst, src, cap, w);
	w[0] = w[3];
	return 0;
}

/* Looks for the w[2] bytes of sub in s, at w[0] and from there on by steps of w[1], as far as w[3] and 0. w[0]: where,
 * or -1. scap + mcap + 8 bytes of s can be read. */
INLINE void find(word *w, const char *s, const char *sub, u32 scap, u32 mcap)
{
	w[5] = ~0ull;
	for (u32 k = 0; k < scap; k++) {
		u64 i = w[0], diff = 0;

		w[4] = w[2];
		if (i > w[3] || i >= scap)
			break;
		for (u32 j = 0; j < mcap; j += 8) {
			u64 left = w[4], shift = (64 - 8 * left) & (0 - greater(8, left));

			diff = (*(const u64 *)(s + i + j) ^ *(const u64 *)(sub + j)) << (shift & 63);
			w[4] = left - 8;
			if (diff || left <= 8)
				break;
		}
		w[6] = diff;
		if (!w[6]) {
			w[5] = w[0];
			break;
		}
		w[0] = w[0] + w[1];
	}
	w[0] = w[5];
}

/* index(), with last rindex(), as Perl's: w[0]: where to begin (INT64_MAX for rindex(): at the end), and the result.
 * sizes: those of s and of sub << 32. work: 64 bytes for w, then room for copies of both. */
u64 text_index(word *w, const char *s, const char *sub, u64 sizes, u64 last)
{
	u32 scap = (u32)sizes, mcap = (u32)(sizes >> 32);
	char *cs = (char *)w + 64, *cm = cs + ((scap + mcap + 23) & ~7u);
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
	else if (w[2])
		find(w, cs, cm, scap, mcap);
	return 0;
}

/* strstr(): dst = s from where sub begins; w[0]: 1 when it does not. */
u64 text_tail(char *dst, const char *src, u32 cap, word *w)
{
	w[1] = cap;
	w[3] = w[0] >> 63;
	put_part(dst, src, cap, w);
	w[0] = w[3];
	return 0;
}

/* basename(), with dir dirname(). */
u64 text_path(char *dst, const char *src, u32 cap, word *w, u64 dir)
{
	u64 start = 0, end = 0, before = 0, slash = 1, any = 0;

	for (u32 i = 0; i < cap; i++) {
		u64 c = (u8)src[i], part = ~mask_equal(c, '/'), begins = part & (0 - slash);

		if (!c)
			break;
		before = pick(begins, end, before); /* where the part before this one ends */
		start = pick(begins, i, start);
		end = pick(part, i + 1, end);
		slash = ~part & 1;
		any = 1;
	}
	w[0] = dir ? 0 : start;
	w[1] = dir ? before : end - start;
	w[2] = dir ? start | (any & (1 - nonzero(end))) : any; /* only slashes: "/" */
	if (w[1]) {
		put_part(dst, src, cap, w);
		return 0;
	}
	dst[0] = w[2] ? '/' : '.';
	dst[1] = 0;
	return 0;
}

/* One step of cleanpath(); w[0]: place in src, w[1]: in dst, w[2]: going back to the slash before. 0: at the end. */
INLINE u64 clean_step(char *dst, const char *src, u32 cap, word *w)
{
	u64 i = w[0], j = w[1], c, d;

	if (i >= cap || j >= cap)
		return 0;
	if (w[2]) {
		j = w[1] - 1;
		if (j >= cap) { /* nothing before it */
			w[2] = 0;
			return 1;
		}
		w[1] = j;
		w[2] = (u8)dst[j] != '/';
		return 1;
	}
	c = (u8)src[i];
	if (!c)
		return 0;
	w[0] = i + 1;
	if (c == '/') {
		c = (u8)src[i + 1];
		d = (u8)src[i + 2];
		if (c == '/')
			return 1;
		if (c == '.' && d == '/') {
			w[0] = i + 2;
			return 1;
		}
		d = (d ^ '.') | (u64)((u8)src[i + 3] != '/' && src[i + 3]);
		if (c == '.' && !d) {
			w[0] = i + 3;
			w[2] = 1;
			w[3] = !src[i + 3];
			return 1;
		}
		c = '/';
	}
	dst[j] = (char)c;
	w[1] = j + 1;
	return 1;
}

/* cleanpath(): without "/./", "//" and "/x/../". src has 8 readable bytes behind cap. */
u64 text_clean(char *dst, const char *src, u32 cap, word *w)
{
	u64 j;

	w[0] = w[1] = w[2] = w[3] = 0;
	dst[0] = '/'; /* what "/.." leaves */
	for (u32 k = 0; k < 2 * cap; k++)
		if (!clean_step(dst, src, cap, w))
			break;
	j = w[1] + w[3];
	dst[j < cap ? j : cap - 1] = 0;
	return 0;
}

/* lltostr(): w: 64 bytes, then 88 for the digits. */
u64 text_digits(char *dst, u32 cap, word *w, s64 n, u64 base)
{
	char *buf = (char *)w + 64;
	u64 minus = base == 10 && n < 0, v = minus ? 0 - (u64)n : (u64)n, at;

	w[1] = 72;
	for (u32 k = 0; k < 64; k++) {
		u64 d = v % base;

		v /= base;
		buf[79 - k] = (char)('0' + d + greater(d, 9) * ('a' - '0' - 10));
		w[1] = 79 - k;
		if (!v)
			break;
	}
	buf[80] = 0;
	at = w[1];
	if (at < 2 || at > 79)
		return 0;
	if (base == 16)
		buf[--at] = 'x';
	if (base == 16 || base == 8)
		buf[--at] = '0';
	if (minus)
		buf[--at] = '-';
	copy_text(dst, cap, buf + at);
	return 0;
}

/* strtoll(): the number in w[0]. */
u64 text_number(word *w, const char *s, u32 cap, u64 base)
{
	w[0] = w[1] = w[2] = 0; /* value; 0: blanks, 1: behind the sign, 2: behind 0, 3: digits; minus */
	for (u32 i = 0; i < cap; i++) {
		u64 c = (u8)s[i], state = w[1], low = c | 32, digit;

		if (!state && (c == ' ' || c - 9 < 5))
			continue;
		if (!state && (c == '-' || c == '+')) {
			w[1] = 1;
			w[2] = c == '-';
			continue;
		}
		if (state == 2 && low == 'x' && base == 16) {
			w[1] = 3;
			continue;
		}
		w[1] = state < 2 && c == '0' ? 2 : 3;
		digit = c - '0' < 10 ? c - '0' : low - 'a' < 26 ? low - 'a' + 10 : 99;
		if (digit >= base)
			break;
		w[0] = w[0] * base + digit;
	}
	if (w[2])
		w[0] = 0 - w[0];
	return 0;
}

/* strtok(): w[0]: place in the text, w[1]: 1 when there is one; w[2..5]: a set of characters; the text at w + 8. The
 * token goes to dst; w[6]: 1 when there is none. */
u64 text_token(word *w, char *dst, const char *delim, u32 cap, u32 dcap)
{
	const char *s = (const char *)w + 64;
	u64 start;

	dst[0] = 0;
	w[6] = 1;
	if (!w[1])
		return 0;
	w[2] = w[3] = w[4] = w[5] = 0;
	for (u32 i = 0; i < dcap; i++) {
		u64 c = (u8)delim[i];

		if (!c)
			break;
		w[2 + (c >> 6)] |= 1ull << (c & 63);
	}
	for (u32 i = 0; i < cap; i++) {
		u64 at = w[0], c;

		if (at >= cap)
			break;
		c = (u8)s[at];
		if (!(w[2 + (c >> 6)] >> (c & 63) & 1))
			break;
		w[0] = at + 1;
	}
	start = w[0];
	if (start >= cap || !s[start]) {
		w[1] = 0;
		return 0;
	}
	copy_text(dst, cap, s + start);
	w[6] = 0;
	w[2] |= 1; /* the NUL ends a token */
	for (u32 i = 0; i < cap; i++) {
		u64 at = w[0], c;

		if (at >= cap)
			break;
		c = (u8)s[at];
		w[7] = w[2 + (c >> 6)] >> (c & 63) & 1;
		if (w[7])
			break;
		w[0] = at + 1;
	}
	start = w[0] - start;
	if (start < cap)
		dst[start] = 0;
	start = w[0];
	if (start < cap && s[start])
		w[0] = start + 1;
	return 0;
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
