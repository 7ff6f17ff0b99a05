/* SPDX-License-Identifier: GPL-2.0-or-later */
/* muster: which machines of a merge report.
 * Input: its sources, and the machines that it expects. Output: a census, as a message and as a frame of the stream
 * that is written. */
#include "base/clock.h"
#include "stream/emit.h"
#include "stream/merge_priv.h"

static enum host_state state_of(const struct peer *s)
{
	if (s->refused)
		return HOST_LEFT_OUT;
	if (s->ended)
		return s->complete ? HOST_ENDED : HOST_ENDED_EARLY;
	if (s->silent)
		return HOST_SILENT;
	return s->begun ? HOST_REPORTS : HOST_STARTING;
}

/* What a stream that is a merge says of its machines. False: it says nothing. */
static bool take_told(const json_t *frame, struct census *c)
{
	const json_t *out = json_object_get(frame, "out");
	const uint64_t hosts = frame_number(frame, "hosts"), report = frame_number(frame, "report");

	if (!frame)
		return false;
	for (size_t i = 0; i < json_array_size(out); i++) {
		const json_t *pair = json_array_get(out, i);
		const char *name = json_string_value(json_array_get(pair, 0));
		const enum host_state state = census_state(json_string_value(json_array_get(pair, 1)));

		if (name && state < HOST_REPORTS)
			census_add(c, name, state);
	}
	c->hosts = hosts;
	c->report = report;
	return true;
}

bool merge_census(const struct merge *m, struct census *c)
{
	*c = (struct census){ 0 };
	if (m->nsources == 1 && !m->hosts.n && take_told(m->sources->told, c))
		return true;
	for (struct host *h = m->hosts.first; h; h = h->next)
		h->state = HOST_MISSING;
	for (const struct peer *s = m->sources; s; s = s->next)
		if (s->expected)
			s->expected->state = state_of(s); /* of its last session */
		else
			census_add(c, s->host, state_of(s));
	for (const struct host *h = m->hosts.first; h; h = h->next)
		census_add(c, h->name, h->state);
	return c->hosts > 1 || m->hosts.n;
}

/* Does anybody wait for what comes? Not at the end, nor of files. */
static bool is_live(const struct merge *m)
{
	for (const struct input *in = m->inputs; in; in = in->next)
		if (in->fd >= 0 && !in->file)
			return true;
	return false;
}

/* Machines that are missing are no news before others, whose traces run, have waited for them. */
static bool miss_now(const struct merge *m, const struct census *c)
{
	if (m->missed || !(c->n[HOST_MISSING] + c->n[HOST_LEFT_OUT]))
		return false;
	for (const struct peer *s = m->sources; s; s = s->next)
		if (s->begun && clock_now() > s->met + WAIT_NS)
			return true;
	return false;
}

void muster_tell(struct merge *m)
{
	struct census c;
	size_t lost;
	char text[CENSUS_TEXT];
	bool miss;

	if (!m->moved && m->missed)
		return;
	if (!merge_census(m, &c))
		return;
	if (m->moved && m->to.emit && m->sink)
		emit_hosts(m->sink, &c);
	m->moved = m->moved && m->to.emit && !m->sink; /* there is no stream yet */
	lost = c.n[HOST_SILENT] + c.n[HOST_ENDED_EARLY];
	miss = miss_now(m, &c);
	m->missed |= miss;
	if ((lost != m->lost || miss) && is_live(m)) {
		census_text(&c, text);
		report_note(m->to.report, "%s", text);
	}
	m->lost = lost;
}
