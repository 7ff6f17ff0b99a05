/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory: see memory.h. Input: what printers write. Output: text in memory.
 * The stream is rewound after each text, so its buffer grows to the longest text and no further. */
#include "print/memory.h"

#include <stdlib.h>

#include "print/value/style.h"

bool memory_out_open(struct memory_out *m, const struct options *options)
{
	m->mem = open_memstream(&m->text, &m->len);
	m->out = m->mem ? out_new(m->mem, &style_text, options) : NULL;
	return m->out != NULL;
}

const char *memory_out_take(struct memory_out *m, size_t *len)
{
	(void)!out_flush(m->out);
	fflush(m->mem);
	*len = m->len;
	rewind(m->mem);
	return m->text;
}

void memory_out_close(struct memory_out *m)
{
	out_free(m->out);
	if (m->mem)
		fclose(m->mem);
	free(m->text);
}
