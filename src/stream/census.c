/* SPDX-License-Identifier: GPL-2.0-or-later */
/* census: see census.h. Input: machines and their states. Output: numbers and a line of text. */
#include "stream/census.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAMES 10u /* of each state in a text; the others are a number */

static const char *const words[HOST_STATE_COUNT] = {
#define X(state, word) [HOST_##state] = (word),
	HOST_STATES(X)
#undef X
};

const char *census_word(enum host_state state)
{
	return words[state];
}

enum host_state census_state(const char *word)
{
	unsigned i = 0;

	while (i < HOST_STATE_COUNT && (!word || strcmp(word, words[i]) != 0))
		i++;
	return (enum host_state)i;
}

void census_add(struct census *c, const char *name, enum host_state state)
{
	c->hosts++;
	c->n[state]++;
	if (state == HOST_REPORTS) {
		c->report++;
	} else if (c->nout < CENSUS_OUT) {
		c->out[c->nout].name = name;
		c->out[c->nout++].state = state;
	}
}

/* Appends to a text of *len bytes. */
static void __attribute__((format(printf, 3, 4))) put(char *out, size_t *len, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = *len < CENSUS_TEXT ? vsnprintf(out + *len, CENSUS_TEXT - *len, fmt, ap) : 0;
	va_end(ap);
	*len += n > 0 ? (size_t)n : 0;
}

/* "; silent: web2, web3 and 5 more" */
static void put_state(const struct census *c, enum host_state state, char *out, size_t *len)
{
	size_t shown = 0;

	for (size_t i = 0; i < c->nout && shown < NAMES; i++)
		if (c->out[i].state == state)
			put(out, len, "%s%s", shown++ ? ", " : "", c->out[i].name);
	if (c->n[state] > shown)
		put(out, len, shown ? " and %zu more" : "%zu", c->n[state] - shown);
}

void census_text(const struct census *c, char out[CENSUS_TEXT])
{
	size_t len = 0;

	*out = '\0';
	put(out, &len, "%zu of %zu hosts report", c->report, c->hosts);
	for (unsigned i = 0; i < HOST_REPORTS; i++)
		if (c->n[i]) {
			put(out, &len, "; %s: ", words[i]);
			put_state(c, (enum host_state)i, out, &len);
		}
}

enum host_state census_of(const struct census *c, const char *name)
{
	for (size_t i = 0; i < c->nout; i++)
		if (!strcmp(c->out[i].name, name))
			return c->out[i].state;
	return HOST_REPORTS;
}
