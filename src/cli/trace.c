/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace: see trace.h.
 * Input: a compiled program. Output: what it prints, and an exit status.
 * Invariant: the signals stop only a running trace; after it messages are written without waiting for them. */
#include "cli/trace.h"

#include <sys/resource.h>

#include "cli/signals.h"

/* A long script has thousands of programs and attachments, each a descriptor. */
/* Raises the soft limit of open files to the hard one: each attachment and each CPU's ring buffer takes a descriptor.
 * A failure is harmless; a program that needs more is refused later. */
static void allow_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_cur < l.rlim_max) {
		l.rlim_cur = l.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &l);
	}
}

int trace(struct dwire *d, FILE *out, struct messages *messages)
{
	struct signals *signals = signals_take(d, false);
	int status = 0, r;

	messages->signals = signals;
	allow_files();
	if (out)
		dwire_output(d, out);
	r = dwire_start(d);
	if (!r) {
		do
			r = dwire_poll(d, -1);
		while (r > 0);
		if (dwire_end(d, &status) && !r)
			r = -1;
	}
	messages->signals = NULL;
	signals_free(signals);
	return r ? 1 : status;
}
