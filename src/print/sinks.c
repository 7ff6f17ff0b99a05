/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sinks: see sinks.h. A document has precedence over rows. */
#include "print/sinks.h"

struct sink *print_sink_new(const struct print_to *to)
{
	if (to->options->oformat != OFMT_TEXT)
		return document_sink_new(to);
	return to->options->rows ? rows_sink_new(to) : text_sink_new(to);
}
