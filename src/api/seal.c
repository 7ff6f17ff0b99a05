/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seal: the end of a recording. Input: the handle. Output: a sealed segment. */
#include <errno.h>

#include "api/dwire_priv.h"

int dwire_record_end(struct dwire *d)
{
	int r = 0;

	if (!d->recorder)
		return 0;
	if (fclose(d->out))
		r = -EIO;
	d->out = NULL;
	if (recorder_close(d->recorder))
		r = -EIO;
	d->recorder = NULL;
	return r;
}
