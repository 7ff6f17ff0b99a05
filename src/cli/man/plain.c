/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain: see plain.h.
 * Input: roff, line by line. Output: text of 78 columns. */
#include "cli/man/plain.h"

#include <stdbool.h>
#include <string.h>

#define COLUMNS 78u
#define BODY 7u /* where paragraphs begin */
#define STEP 7u /* what a list or .RS adds */
#define LINE 1024u

struct plain {
	FILE *out;
	unsigned column, indent, shift; /* shift: of .RS */
	bool filling, tag;              /* tag: the next line is the head of a list's entry */
	bool blank;                     /* the last line was empty */
};

static void end_line(struct plain *p)
{
	if (p->column)
		fputc('\n', p->out);
	p->column = 0;
}

static void gap(struct plain *p)
{
	end_line(p);
	if (!p->blank)
		fputc('\n', p->out);
	p->blank = true;
}

static void indent_to(struct plain *p, unsigned column)
{
	for (; p->column < column; p->column++)
		fputc(' ', p->out);
}

static void word(struct plain *p, const char *s, size_t n)
{
	unsigned left = p->indent + p->shift;

	if (p->column > left && p->column + 1 + n > COLUMNS)
		end_line(p);
	else if (p->column > left)
		p->column++, fputc(' ', p->out);
	indent_to(p, left);
	fwrite(s, 1, n, p->out);
	p->column += (unsigned)n;
	p->blank = false;
}

/* Resolves escapes in place: fonts vanish, names become characters. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		s++;
		if (*s == 'f' && s[1])
			s++;
		else if (*s == '(' && s[1] && s[2]) {
			*to++ = s[1] == 'b' ? '*' : '"'; /* \(bu, \(lq, \(rq */
			s += 2;
		} else if (*s == 'e')
			*to++ = '\\';
		else if (*s && *s != '&')
			*to++ = *s;
		if (!*s)
			break;
	}
	*to = 0;
}

static void text(struct plain *p, char *s)
{
	unescape(s);
	if (!p->filling) {
		indent_to(p, *s ? p->indent + p->shift : 0);
		fprintf(p->out, "%s\n", s);
		p->column = 0;
		p->blank = !*s;
		return;
	}
	for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
		size_t n = strcspn(s, " ");

		word(p, s, n);
		s += n;
	}
	if (p->tag) { /* the entry's text begins on the same line if there is room */
		p->tag = false;
		p->indent = BODY + STEP;
		if (p->column >= p->indent + p->shift)
			end_line(p);
		else
			indent_to(p, p->indent + p->shift);
	}
}

/* The arguments of a font's request as one text: quotes vanish, those of .BR and .BI are joined without blanks. */
static void join(char *s, bool tight)
{
	char *to = s;
	bool quoted = false;

	for (; *s; s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (*s != ' ' || quoted || !tight)
			*to++ = *s;
	}
	*to = 0;
}

static void section(struct plain *p, const char *name, unsigned column)
{
	gap(p);
	p->shift = 0;
	indent_to(p, column);
	fprintf(p->out, "%s\n", name);
	p->column = 0;
	p->indent = BODY;
	p->blank = true;
}

static void entry(struct plain *p, char *head)
{
	if (p->blank)
		end_line(p);
	else
		gap(p);
	p->indent = BODY;
	p->tag = true;
	if (head) {
		head[strcspn(head, " ")] = 0;
		text(p, head);
	}
}

static void fill(struct plain *p, bool filling)
{
	end_line(p);
	p->filling = filling;
}

static bool is(const char *line, const char *request)
{
	size_t n = strlen(request);

	return !strncmp(line, request, n) && (!line[n] || line[n] == ' ');
}

static void request(struct plain *p, char *line)
{
	char *rest = line + strcspn(line, " ");

	rest += strspn(rest, " ");
	if (is(line, ".SH") || is(line, ".SS")) {
		join(rest, false);
		section(p, rest, line[2] == 'H' ? 0 : 3);
	} else if (is(line, ".B") || is(line, ".I") || is(line, ".BR") || is(line, ".BI")) {
		join(rest, line[2] == 'R' || line[2] == 'I');
		text(p, rest);
	} else if (is(line, ".TP") || is(line, ".IP"))
		entry(p, line[1] == 'I' ? rest : NULL);
	else if (is(line, ".PP")) {
		gap(p);
		p->indent = BODY;
	} else if (is(line, ".nf") || is(line, ".EX") || is(line, ".fi") || is(line, ".EE"))
		fill(p, !strncmp(line, ".fi", 3) || !strncmp(line, ".EE", 3));
	else if (is(line, ".RS") || is(line, ".RE"))
		p->shift = line[2] == 'S' ? STEP : 0;
	else if (is(line, ".br"))
		end_line(p);
}

void plain_page(const char *roff, size_t len, FILE *out)
{
	struct plain p = { .out = out, .indent = BODY, .filling = true, .blank = true };
	char line[LINE];

	for (const char *end = roff + len, *next; roff < end; roff = next + 1) {
		size_t n;

		next = memchr(roff, '\n', (size_t)(end - roff));
		if (!next)
			next = end;
		n = (size_t)(next - roff) < LINE ? (size_t)(next - roff) : LINE - 1;
		memcpy(line, roff, n);
		line[n] = 0;
		if (*line == '.')
			request(&p, line);
		else if (*line || !p.filling)
			text(&p, line);
	}
	end_line(&p);
}
