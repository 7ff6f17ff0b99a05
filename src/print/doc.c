/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doc: see doc.h.
 * Input: objects, lists, fields. Output: one document, pretty or without line breaks:
 *	JSON   objects, lists and members as they are
 *	XML    an element for each object and each field; a list is the row of its elements, which bear its name
 *	HTML   a <div class="line"> for each probe, in it a <div class="data"> for each field
 * Invariant: whatever the texts hold, the document is well-formed (print/value/quote.h). */
#include "print/doc.h"

#include <inttypes.h>
#include <string.h>

#include "print/value/quote.h"

/* When pretty: a new line, indented by the objects and lists that are open. */
static void newline(struct doc *d)
{
	size_t levels = 0;

	if (!d->pretty)
		return;
	for (unsigned i = 0; i < d->depth; i++)
		levels += d->format == OFMT_JSON || !d->list[i]; /* only JSON shows lists */
	out_bytes(d->o, "\n", 1);
	out_pad(d->o, d->format == OFMT_HTML ? 0 : levels * 2);
}

static void put_text(struct doc *d, const char *s, size_t len)
{
	if (d->format == OFMT_JSON)
		quote_json(d->o, s, len);
	else if (d->format == OFMT_XML)
		quote_xml(d->o, s, len);
	else
		quote_html(d->o, s, len);
}

/* ---- structure --------------------------------------------------------------------------------------------------- */
/* The name that XML has for what stands here: elements of a list bear the list's. */
static const char *tag_name(const struct doc *d, const char *name)
{
	return name ? name : d->depth && d->names[d->depth - 1] ? d->names[d->depth - 1] : "value";
}

/* Comma, line break and name before an element. */
static void begin_member(struct doc *d, const char *name)
{
	if (d->format != OFMT_JSON) {
		newline(d);
		return;
	}
	if (d->depth && d->filled[d->depth - 1])
		out_str(d->o, ",");
	if (d->depth) {
		d->filled[d->depth - 1] = true;
		newline(d);
	}
	if (name && !(d->depth && d->list[d->depth - 1])) {
		out_str(d->o, "\"");
		put_text(d, name, strlen(name));
		out_str(d->o, d->pretty ? "\": " : "\":");
	}
}

/* What is nested deeper than any document of ours is not tracked. */
static void push(struct doc *d, const char *name, bool list)
{
	if (d->depth >= DOC_DEPTH)
		return;
	d->names[d->depth] = name;
	d->filled[d->depth] = false;
	d->list[d->depth] = list;
	d->depth++;
}

void doc_open(struct doc *d, const char *name)
{
	if (d->format == OFMT_JSON) {
		begin_member(d, name);
		out_str(d->o, "{");
	} else if (d->format == OFMT_XML) {
		begin_member(d, name);
		out_str(d->o, "<");
		out_str(d->o, tag_name(d, name));
		out_str(d->o, ">");
	} else if (d->depth == 2) { /* HTML: a line for each probe, no other structure */
		out_str(d->o, "<div class=\"line\">");
	}
	push(d, tag_name(d, name), false);
}

void doc_open_list(struct doc *d, const char *name)
{
	if (d->format == OFMT_JSON) {
		begin_member(d, name);
		out_str(d->o, "[");
	}
	push(d, name, true);
}

void doc_close(struct doc *d)
{
	if (!d->depth)
		return;
	d->depth--;
	const bool list = d->list[d->depth];

	if (d->format == OFMT_JSON) {
		if (d->filled[d->depth])
			newline(d);
		out_str(d->o, list ? "]" : "}");
	} else if (d->format == OFMT_XML && !list) {
		newline(d);
		out_str(d->o, "</");
		out_str(d->o, d->names[d->depth]);
		out_str(d->o, ">");
	} else if (d->format == OFMT_HTML && !list && d->depth == 2) {
		newline(d);
		out_str(d->o, "</div>");
		newline(d);
	}
}

/* quoted: a string in JSON; else a number. XML and HTML show both alike. */
static void field(struct doc *d, const char *name, const char *s, size_t len, bool quoted)
{
	const char *tag = tag_name(d, name);

	begin_member(d, name);
	if (d->format == OFMT_JSON) {
		out_str(d->o, quoted ? "\"" : "");
		put_text(d, s, len);
		out_str(d->o, quoted ? "\"" : "");
		return;
	}
	if (d->format == OFMT_XML && !len) {
		out_str(d->o, "<");
		out_str(d->o, tag);
		out_str(d->o, "/>");
		return;
	}
	out_str(d->o, d->format == OFMT_XML ? "<" : "<div class=\"data\" data-tag=\"");
	out_str(d->o, tag);
	out_str(d->o, d->format == OFMT_XML ? ">" : "\">");
	put_text(d, s, len);
	out_str(d->o, d->format == OFMT_XML ? "</" : "</div>");
	if (d->format == OFMT_XML) {
		out_str(d->o, tag);
		out_str(d->o, ">");
	}
}

void doc_text(struct doc *d, const char *name, const char *s, size_t len)
{
	field(d, name, s, len, true);
}

void doc_int(struct doc *d, const char *name, uint64_t v, bool is_signed)
{
	char buf[24];
	int n = is_signed ? snprintf(buf, sizeof(buf), "%" PRId64, (int64_t)v)
			  : snprintf(buf, sizeof(buf), "%" PRIu64, v);

	field(d, name, buf, (size_t)n, false);
}

void doc_begin(struct doc *d)
{
	if (d->format == OFMT_XML)
		out_str(d->o, d->pretty ? "<?xml version=\"1.0\"?>" : "<?xml version=\"1.0\"?>\n");
	if (d->format == OFMT_JSON)
		doc_open(d, NULL);
	doc_open(d, "dtrace");
}

void doc_end(struct doc *d)
{
	while (d->depth)
		doc_close(d);
	out_str(d->o, "\n");
}
