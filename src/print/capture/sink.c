/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sink: -x capture: packets of pcap() become packets of a file, and what else the script prints entries of its log.
 * Input: what passes the sink. Output: blocks of pcapng.
 * Invariant: s->err has the first error of the file. */
#include <errno.h>
#include <stdlib.h>

#include "print/capture/again.h"
#include "print/capture/file.h"
#include "print/capture/packets.h"
#include "print/memory.h"
#include "print/text.h"
#include "print/value/style.h"
#include "print/value/table.h"
#include "print/value/values.h"

struct capture {
	struct text text; /* first: its out is that of mem */
	struct memory_out mem;
	struct capture_file *file;
	struct packets packets;
	struct again *again;
	uint64_t lost, taken; /* packets; bytes of mem.out */
	uint64_t empty;       /* events of pcap() that had no packet */
};

static void capture_begin(struct sink *s, const struct record *r)
{
	(void)s;
	(void)r;
}

static void capture_item(struct sink *s, const struct record *r, const struct action *a, const struct value *values)
{
	struct capture *c = (struct capture *)s;
	struct pcapng *to;

	if (a->kind != ACT_PCAP) {
		text_item(s, r, a, values);
		return;
	}
	to = capture_file_at(c->file, packets_time(&c->packets, r));
	if (!to)
		return;
	if (packets_write(&c->packets, to, r, values, a->nargs, c->lost)) {
		c->lost = 0;
		again_learn(c->again, to);
	} else {
		c->empty++;
	}
}

static bool capture_packet(
	struct sink *s, const struct record *r, const struct action *a, const uint8_t *rec, size_t len)
{
	struct capture *c = (struct capture *)s;
	uint64_t time = packets_time(&c->packets, r);
	struct pcapng *to = capture_file_at(c->file, time);

	return !to || (!c->lost && again_write(c->again, to, r, a, rec, len, time));
}

/* What was printed since the last call becomes an entry a line. */
static void take_text(struct capture *c, uint64_t time, const char *probe)
{
	size_t len;
	const char *s = memory_out_take(&c->mem, &len), *end = s + len;

	c->taken = out_total(c->mem.out);
	for (const char *next; s < end; s = next) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		struct pcapng *to = capture_file_at(c->file, time);

		stop = stop ? stop : end;
		next = stop + 1;
		if (to && stop > s)
			pcapng_log(to, time, probe, s, (size_t)(stop - s));
	}
}

static void capture_end(struct sink *s, const struct record *r)
{
	struct capture *c = (struct capture *)s;
	char probe[256];

	if (out_total(c->mem.out) != c->taken) {
		packets_probe(r, probe, sizeof(probe));
		take_text(c, packets_time(&c->packets, r), probe);
	}
	s->err = capture_file_err(c->file);
}

/* Packets that the ring buffers had no room for come before the next packet. */
static void capture_drop(struct sink *s, const struct drop *d)
{
	struct capture *c = (struct capture *)s;

	if (d->kind == DROP_RING)
		c->lost += d->n;
	text_drop(s, d);
}

static void capture_flush(struct sink *s)
{
	s->err = capture_file_flush(((struct capture *)s)->file);
}

static void capture_newline(struct sink *s)
{
	(void)s;
}

static void capture_finish(struct sink *s, int status)
{
	struct capture *c = (struct capture *)s;

	(void)status;
	capture_file_lost(c->file, c->lost);
	capture_file_close(c->file);
	if (c->empty)
		report_note(c->text.report, "%llu events of pcap() had no packet: nothing was written for them",
			(unsigned long long)c->empty);
	s->err = capture_file_err(c->file);
}

static void capture_free(struct sink *s)
{
	struct capture *c = (struct capture *)s;

	capture_file_free(c->file);
	processes_free(c->packets.processes);
	again_free(c->again);
	c->text.out = NULL; /* mem owns it */
	memory_out_close(&c->mem);
	free(c->text.flows);
	free(c);
}

void capture_sink_lost(struct sink *s, uint64_t n)
{
	((struct capture *)s)->lost += n;
}

struct sink *capture_sink_new(const struct print_to *to, int *err)
{
	static const struct sink_ops ops = {
		.begin = capture_begin,
		.item = capture_item,
		.packet = capture_packet,
		.printa = text_printa,
		.end = capture_end,
		.fault = text_fault,
		.drop = capture_drop,
		.cost = text_cost,
		.newline = capture_newline,
		.flush = capture_flush,
		.finish = capture_finish,
		.free = capture_free,
	};
	struct capture *c = calloc(1, sizeof(*c));

	*err = -ENOMEM;
	if (!c)
		return NULL;
	c->text = (struct text){ .sink.ops = &ops, .options = to->options, .report = to->report };
	c->packets.processes = processes_new();
	c->again = again_new();
	if (c->packets.processes && c->again && memory_out_open(&c->mem, to->options)) {
		c->text.out = c->mem.out;
		*err = capture_file_new(to->out, to->options, to->report, to->stop, &c->file);
		if (!*err)
			return &c->text.sink;
	}
	capture_free(&c->text.sink);
	return NULL;
}
