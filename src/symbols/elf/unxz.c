/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unxz: see unxz.h. Invariant: whatever the input, bounded memory. */
#include "symbols/elf/unxz.h"

#include <lzma.h>
#include <stdlib.h>

#define MOST (64u << 20)

/* The size of the result is not known beforehand: the buffer doubles up to the limit, and the decoder has a limit of
 * memory too. */
void *unxz(const void *packed, size_t len, size_t *out_len)
{
	lzma_stream s = LZMA_STREAM_INIT;
	size_t cap = 1u << 16, n = 0;
	unsigned char *out = malloc(cap);
	lzma_ret r = lzma_stream_decoder(&s, MOST, 0);

	s.next_in = packed;
	s.avail_in = len;
	while (out && r == LZMA_OK) {
		s.next_out = out + n;
		s.avail_out = cap - n;
		r = lzma_code(&s, LZMA_FINISH);
		n = cap - s.avail_out;
		if (r == LZMA_OK && n == cap) {
			unsigned char *more = cap < MOST ? realloc(out, 2 * cap) : NULL;

			if (!more)
				break;
			out = more;
			cap *= 2;
		}
	}
	lzma_end(&s);
	if (out && r == LZMA_STREAM_END) {
		*out_len = n;
		return out;
	}
	free(out);
	return NULL;
}
