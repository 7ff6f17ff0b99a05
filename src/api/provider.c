/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provider: makes the header and the object for a project that defines probes.
 * Input: the added texts, with provider declarations. Output: a header or an object on a stream.
 * Invariant: neither the kernel nor a privilege is needed. */
#include <errno.h>
#include <string.h>

#include "api/dwire.h"
#include "api/dwire_priv.h"
#include "base/diag/report.h"
#include "compile/provheader.h"
#include "symbols/elf/semaphores.h"

static int declare(struct dwire *d)
{
	int r = dwire_prepare(d);

	return r ? r : compile_declare(&d->c);
}

static int stream_error(const struct dwire *d, int r)
{
	return report_error(&d->report, r, D_NONE, NULL, "cannot write the probes: %s", strerror(-r));
}

int dwire_provider_header(struct dwire *d, FILE *out)
{
	int r = declare(d);

	errno = 0;
	if (!r)
		r = provheader_write(&d->c, out);
	dwire_report_diags(d);
	return r || !ferror(out) ? r : stream_error(d, -(errno ? errno : EIO));
}

int dwire_provider_object(struct dwire *d, FILE *out)
{
	semaphore_names names = { 0 };
	int r = declare(d);

	if (!r)
		r = provheader_semaphores(&d->c, &names);
	dwire_report_diags(d);
	if (r)
		return r;
	r = semaphores_write(names.v, names.n, out);
	return r ? stream_error(d, r) : 0;
}
