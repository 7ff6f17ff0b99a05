/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording: traces that are written into a directory, and the reader of such directories.
 * Input: the handle's stream; a directory. Output: segments; streams. */
#include "recording/recording.h"

#include <errno.h>

#include "api/dwire_priv.h"

int dwire_record_ring(struct dwire *d, uint64_t before, uint64_t after, uint64_t memory)
{
	if (!image_acts(&d->c.image, ACT_SNAPSHOT))
		return report_error(&d->report, -EINVAL, D_NONE, "call snapshot() where something went wrong",
			"the script has no snapshot(): nothing would be recorded");
	d->ring = (struct ring_size){ before, after, memory < RING_LEAST ? RING_LEAST : memory };
	return 0;
}

int dwire_record(struct dwire *d, const char *directory, uint64_t budget)
{
	int r;

	if (d->recorder)
		return report_error(&d->report, -EBUSY, D_NONE, NULL, "the trace is recorded already");
	r = recorder_open(&d->recorder, directory, budget, &d->report);
	if (r)
		return r;
	r = d->ring.memory ? recorder_ring(d->recorder, &d->ring) : 0;
	d->out = r ? NULL : dwire_stream(recorder_write, d->recorder);
	d->opts.oformat = OFMT_STREAM;
	if (d->out)
		return 0;
	(void)recorder_close(d->recorder);
	d->recorder = NULL;
	return r ? r : report_no_memory(&d->report, "record");
}

static struct recording *inner(const struct dwire_recording *r)
{
	return (struct recording *)r;
}

int dwire_recording_open(struct dwire_recording **out, struct dwire *d, const char *directory)
{
	struct recording *r;
	int err = recording_open(&r, directory, &d->report);

	*out = (struct dwire_recording *)r;
	return err;
}

void dwire_recording_close(struct dwire_recording *r)
{
	recording_close(inner(r));
}

size_t dwire_recording_sessions(const struct dwire_recording *r)
{
	return recording_sessions(inner(r));
}

bool dwire_recording_touches(const struct dwire_recording *r, size_t session, uint64_t from, uint64_t to)
{
	return recording_touches(inner(r), session, &(struct window){ from, to });
}

int dwire_recording_write(struct dwire_recording *r, size_t session, uint64_t from, uint64_t to, FILE *out)
{
	return recording_write(inner(r), session, &(struct window){ from, to }, out);
}
