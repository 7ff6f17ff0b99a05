/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8: see utf8.h. */
#include "base/utf8.h"

/* Refuses what RFC 3629 refuses: overlong forms, surrogates, numbers above U+10FFFF. 0xc0, 0xc1 and 0xf5 up never
 * occur. */
size_t utf8_decode(const char *text, size_t len, uint32_t *out)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	if (s[0] < 0x80) {
		*out = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	uint32_t c = s[0] & (0xffu >> (n + 1));

	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out = c;
	return n;
}
