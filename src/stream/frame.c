/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame: see frame.h. Input: kinds and words. Output: the other of the two.
 * Invariant: writer and reader know the same words, because each stands in one list. */
#include "stream/frame.h"

#include <stdlib.h>
#include <string.h>

static const char *const frame_words[FRAME_COUNT] = {
#define X(kind, word) [FRAME_##kind] = (word),
	FRAMES(X)
#undef X
};

static const struct {
	enum action_kind kind;
	const char *word;
} action_words[] = {
#define X(kind, word) { kind, word },
	FRAME_ACTIONS(X)
#undef X
};
#define NACTIONS (sizeof(action_words) / sizeof(action_words[0]))

static void copy_name(const char *s, size_t n, char origin[ORIGIN_BYTES])
{
	while (n && strchr(" \t:", s[n - 1]) && s[n - 1])
		n--;
	n = n < ORIGIN_BYTES ? n : ORIGIN_BYTES - 1;
	memcpy(origin, s, n);
	origin[n] = '\0';
}

void frame_origin(const char *line, size_t len, char origin[ORIGIN_BYTES])
{
	const char *end = memmem(line, len, ": ", 2);

	copy_name(line, end ? (size_t)(end - line) : 0, origin);
}

json_t *frame_read(const char *line, size_t len, char origin[ORIGIN_BYTES])
{
	const char *brace = memchr(line, '{', len), *colon;
	size_t lead = brace ? (size_t)(brace - line) : 0;

	if (!brace)
		return NULL;
	colon = memmem(line, lead, ": ", 2);
	for (const char *p = colon ? colon + 1 : brace; p < brace; p++)
		if (*p != ' ' && *p != '\t')
			return NULL;
	copy_name(line, lead, origin);
	return json_loadb(brace, len - lead, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
}

uint64_t frame_number(const json_t *frame, const char *name)
{
	const json_t *j = json_object_get(frame, name);
	const char *digits = json_string_value(j);

	return digits ? strtoull(digits, NULL, 10) : (uint64_t)json_integer_value(j);
}

const char *frame_text(const json_t *frame, const char *name)
{
	const char *s = json_string_value(json_object_get(frame, name));

	return s ? s : "";
}

bool frame_is_grouped(const json_t *row)
{
	return json_is_integer(json_array_get(row, 0)) && json_is_integer(json_array_get(row, 1));
}

const char *frame_word(enum frame kind)
{
	return frame_words[kind];
}

enum frame frame_kind(const char *word)
{
	int i = 0;

	while (i < FRAME_COUNT && strcmp(frame_words[i], word) != 0)
		i++;
	return (enum frame)i;
}

const char *frame_action_word(enum action_kind kind)
{
	for (size_t i = 0; i < NACTIONS; i++)
		if (action_words[i].kind == kind)
			return action_words[i].word;
	return NULL;
}

bool frame_action_kind(const char *word, enum action_kind *out)
{
	for (size_t i = 0; word && i < NACTIONS; i++)
		if (!strcmp(action_words[i].word, word)) {
			*out = action_words[i].kind;
			return true;
		}
	return false;
}

/* Steps are what all machines have in the same order: clauses that print or cut aggregations, timers, BEGIN and END.
 * ERROR is none: it can fire at any time, on one machine alone. */
bool frame_is_step(const struct epid *ep, const struct image_probe *p)
{
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].kind == ACT_PRINTA || ep->actions[i].kind == ACT_TRUNC)
			return true;
	return (!strcmp(p->prov, "dtrace") && strcmp(p->name, "ERROR")) || !strncmp(p->name, "tick-", 5);
}
