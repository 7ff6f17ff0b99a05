/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tpformat: see tpformat.h. Pure.
 * Input: lines "field:DECLARATION; offset:N; size:N; signed:N;". Output: fields.
 * Invariant: every field lies in the record, and the record is no larger than the kernel allows. */
#include "kernel/events/tpformat.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define RECORD_MAX 8192 /* PERF_MAX_TRACE_SIZE */
#define HEAD 8          /* what the kernel keeps from programs */

/* The number behind "key:", before end. */
static bool number_of(const char *s, const char *end, const char *key, uint32_t *out)
{
	const char *at = strstr(s, key);
	char *stop;
	unsigned long v;

	if (!at || at >= end)
		return false;
	at += strlen(key);
	v = isdigit((unsigned char)*at) ? strtoul(at, &stop, 10) : RECORD_MAX + 1;
	*out = (uint32_t)v;
	return v <= RECORD_MAX && *stop == ';';
}

static bool take_word(char **s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*s, word, n) != 0 || isalnum((unsigned char)(*s)[n]) || (*s)[n] == '_')
		return false;
	*s += n;
	*s += strspn(*s, " ");
	return true;
}

static void cut_blanks(char *s)
{
	size_t n = strlen(s);

	while (n && s[n - 1] == ' ')
		s[--n] = '\0';
}

/* Removes the brackets from a declaration. *count: the elements that they declare, 0 if they do not say. False: there
 * are none. */
static bool take_brackets(char *s, uint32_t *count)
{
	char *open = strchr(s, '['), *close = strrchr(s, ']'), *end;
	unsigned long n;

	*count = 0;
	if (!open || !close || close < open)
		return false;
	n = strtoul(open + 1, &end, 0);
	if (end == close && n <= RECORD_MAX)
		*count = (uint32_t)n;
	memmove(open, close + 1, strlen(close + 1) + 1);
	return true;
}

/* Cuts the last word off: the field's name. */
static const char *take_name(char *s)
{
	size_t n;

	cut_blanks(s);
	n = strlen(s);
	while (n && (isalnum((unsigned char)s[n - 1]) || s[n - 1] == '_'))
		n--;
	return s + n;
}

/* "const char * const *" -> "char", 2 stars. */
static const char *plain_type(char *s, unsigned *stars)
{
	static const char *const qualifiers[] = { "const", "volatile", "__user", "__rcu", "__seg_gs", "__percpu" };
	size_t n = sizeof(qualifiers) / sizeof(*qualifiers);
	bool again = true;

	for (const char *c = s; *c; c++)
		*stars += *c == '*';
	s[strcspn(s, "*")] = '\0';
	while (again) {
		again = false;
		for (size_t i = 0; i < n; i++)
			again |= take_word(&s, qualifiers[i]);
	}
	for (size_t i = 0; i < n; i++) { /* "char const" */
		size_t len = strlen(s), q = strlen(qualifiers[i]);

		cut_blanks(s);
		if (len > q && !strcmp(s + len - q, qualifiers[i]) && s[len - q - 1] == ' ')
			s[len - q] = '\0';
	}
	cut_blanks(s);
	return s;
}

static enum tpplace place_of(const struct tpfield *f, bool dynamic, bool brackets)
{
	bool text = !f->stars && !strcmp(f->type, "char");

	if (dynamic)
		return text ? TP_DYNTEXT : TP_DYNAMIC;
	if (brackets)
		return text ? TP_TEXT : TP_ARRAY;
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8 ? TP_WORD : TP_ARRAY;
}

/* The declaration: "int rc", "__u8 saddr[28]", "__data_loc char[] name". */
static bool parse_decl(struct arena *a, const char *from, const char *end, struct tpfield *f)
{
	char *s = arena_strndup(a, from, (size_t)(end - from)), *name;
	bool dynamic, brackets;
	uint32_t count;

	s += strspn(s, " \t");
	f->relative = take_word(&s, "__rel_loc");
	dynamic = f->relative || take_word(&s, "__data_loc");
	brackets = take_brackets(s, &count);
	name = (char *)(uintptr_t)take_name(s);
	f->name = arena_strdup(a, name);
	*name = '\0';
	f->type = plain_type(s, &f->stars);
	if (!*f->name || !*f->type || strpbrk(f->type, "[]();:") || (dynamic && f->size != 4))
		return false;
	f->place = place_of(f, dynamic, brackets);
	f->elem = count && f->size % count == 0 ? f->size / count : 0;
	return true;
}

int tpformat_parse(struct arena *a, const char *text, struct tpformat *out)
{
	VEC(struct tpfield) v = { 0 };
	bool any = false;

	for (const char *s = text; (s = strstr(s, "field:")) != NULL;) {
		const char *end = s + strcspn(s, "\n"), *decl = s + 6, *stop = decl + strcspn(decl, ";\n");
		struct tpfield f = { 0 };
		uint32_t is_signed = 0;

		any = true;
		if (*stop != ';' || !number_of(stop, end, "offset:", &f.off) ||
			!number_of(stop, end, "size:", &f.size) || f.off + f.size > RECORD_MAX)
			return -EINVAL;
		(void)number_of(stop, end, "signed:", &is_signed); /* old kernels have no such field */
		f.is_signed = is_signed != 0;
		s = end;
		if (f.off < HEAD)
			continue;
		if (!parse_decl(a, decl, stop, &f))
			return -EINVAL;
		*vec_push(a, &v) = f;
	}
	out->fields = v.v;
	out->n = v.n;
	return any ? 0 : -EINVAL;
}
