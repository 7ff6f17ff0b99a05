/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_host: names of hosts as programs pass them to the C library; part of lib.bpf.c. Input: text of a process, in
 * which every byte may be anything. Output: 1 or 0. Invariant: no branch in a loop depends on the bytes, so that the
 * verifier walks one path through each. */

#define HOST_ROOM 64 /* no address is longer: 45 characters of IPv6, '%' and the name of a device */
#define HOST_PART 8  /* bytes that one call looks at */

/* 1 when the character is between two others. */
INLINE u64 within(u64 c, u64 from, u64 to)
{
	return greater(c, from - 1) & greater(to + 1, c);
}

/* Goes on with is_address() at byte `from`. Returns 0 when the text has ended. */
PART u64 host_part(struct dw_host *h, const u8 *in, u64 from)
{
	if (!h || !in)
		return 0;
	u64 len = h->len, colons = h->colons, six = h->six, scope = h->scope;
	u64 four = h->four, dots = h->dots, value = h->value, digits = h->digits, base = h->base;
	from &= HOST_ROOM - HOST_PART;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < HOST_PART; i++) {
		u64 c = in[from + i], live = greater(len, from + i), lower = c | 0x20;
		OPAQUE(live);
		u64 number = within(c, '0', '9'), letter = within(lower, 'a', 'f');
		u64 dot = 1 - nonzero(c ^ '.'), colon = 1 - nonzero(c ^ ':'), x = 1 - nonzero(lower ^ 'x');
		OPAQUE(number);
		OPAQUE(letter);
		OPAQUE(dot);
		OPAQUE(x);
		scope |= live & (1 - nonzero(c ^ '%'));
		OPAQUE(scope);
		colons += live & colon & (1 - scope);
		six &= 1 - (live & (1 - scope) & (1 - (number | letter | dot | colon)));
		OPAQUE(six);

		u64 digit = number * (c - '0') + letter * (lower - 'a' + 10);
		u64 fits = (number | letter) & greater(base, digit);
		u64 prefix = x & (1 - nonzero(value)) & (1 - nonzero(digits ^ 1)) & nonzero(base ^ 16); /* 0x */
		u64 part = dot & nonzero(digits) & greater(256, value) & greater(3, dots);
		OPAQUE(fits);
		OPAQUE(prefix);
		OPAQUE(part);
		four &= 1 - (live & (1 - (fits | prefix | part)) & (1 - scope));
		OPAQUE(four);
		four &= 1 - (live & scope);
		value = (live & fits) * (value * base + digit) + (1 - (live & (fits | part | prefix))) * value;
		value &= 0xffffffffffull; /* 5 bytes: too large a number is still seen below, and nothing overflows */
		OPAQUE(value);
		four &= greater(1ull << 32, value);
		/* a leading 0 makes the number octal; x makes it hexadecimal and needs a digit */
		u64 octal = live & fits & (1 - nonzero(digits)) & (1 - nonzero(digit)) & (1 - nonzero(base ^ 10));
		base = octal * 8 + (1 - octal) * base;
		base = (live & prefix) * 16 + (1 - (live & prefix)) * base;
		base = (live & part) * 10 + (1 - (live & part)) * base;
		OPAQUE(base);
		digits = (1 - (live & (part | prefix))) * (digits + (live & fits));
		OPAQUE(digits);
		dots += live & part;
		OPAQUE(dots);
	}
	h->colons = colons;
	h->six = six;
	h->scope = scope;
	h->four = four;
	h->dots = dots;
	h->value = value;
	h->digits = digits;
	h->base = base;
	return greater(len, from + HOST_PART);
}

/* Can the text be an address? An address of IPv4 begins with a digit, one of IPv6 has a colon behind at most four
 * digits. Nearly all names have neither, and need no look at each of their bytes. */
INLINE u64 begins_as_address(const u8 *in)
{
	u64 no_colon = 1;

#pragma clang loop unroll(full)
	for (u32 i = 0; i < 5; i++)
		no_colon *= (u64)in[i] ^ ':'; /* at most 255 each */
	return within(in[0], '0', '9') | (1 - nonzero(no_colon));
}

/* Is the text a literal address, which needs no lookup? in: HOST_ROOM bytes, of which the first len are text (without
 * a NUL). IPv6: two colons or more, and before a '%' only digits, colons and dots. IPv4, as inet_aton() accepts it:
 * one to four numbers with dots between them, decimal, octal (0...) or hexadecimal (0x...). Each number but the last
 * is one byte; the last one fills the remaining bytes. Returns 1 or 0. */
u64 is_address(const u8 *in, u64 len)
{
	struct dw_host h = { .len = len, .six = 1, .four = 1, .base = 10 };

	if (!in || !begins_as_address(in))
		return 0;
#pragma clang loop unroll(disable)
	for (u32 i = 0; i < HOST_ROOM; i += HOST_PART)
		if (!host_part(&h, in, i))
			break;
	u64 four = h.four & nonzero(h.digits) & greater(1ull << (32 - 8 * (h.dots & 3)), h.value) & nonzero(len);
	return four | (h.six & greater(h.colons, 1));
}
