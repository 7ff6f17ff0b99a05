/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_format: any bytes as a format file of a tracepoint. No field may lie outside of the record. */
#include <stdlib.h>
#include <string.h>

#include "kernel/events/tpformat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const char *text = arena_strndup(a, (const char *)data, size);
	struct tpformat f;

	if (tpformat_parse(a, text, &f))
		f.n = 0;
	for (size_t i = 0; i < f.n; i++) {
		const struct tpfield *x = &f.fields[i];

		if (x->off < 8 || x->off + x->size > 8192 || !*x->name || !*x->type || (x->elem && x->size % x->elem))
			abort();
	}
	arena_free(a);
	return 0;
}
