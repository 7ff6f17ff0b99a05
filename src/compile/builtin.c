/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builtin: see builtin.h.
 * Input: words of D text. Output: the declarations of dlib/ that they name, parsed and, once there is a checker,
 * checked.
 * Invariant: every declaration is made at most once, after all declarations that it needs. */
#include "compile/builtin.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "lang/dlib.h"

enum state { UNUSED, NEEDED, DECLARED };

/* Skips regs_MACHINE.d of other machines. */
static bool for_machine(const char *file, const char *machine)
{
	size_t n = strlen(machine);

	return strncmp(file, "regs_", 5) != 0 || (strncmp(file + 5, machine, n) == 0 && file[5 + n] == '.');
}

/* Marks a declaration, and those that it refers to, as needed. declare_needed() parses them. */
static void need(struct compilation *c, unsigned d)
{
	if (c->builtin[d] != UNUSED)
		return;
	c->builtin[d] = NEEDED;
	c->builtin_missing = true;
	for (const uint16_t *r = dlib_refs + dlib_decls[d].needs; *r != DLIB_END; r++)
		need(c, *r);
}

/* Declares the translators whose input and output types are both declared. */
static void need_translators(struct compilation *c)
{
	for (bool more = true; more;) {
		more = false;
		for (unsigned d = 0; d < dlib_ndecls; d++) {
			const uint16_t *r = dlib_refs + dlib_decls[d].waits;

			if (c->builtin[d] != UNUSED || *r == DLIB_END)
				continue;
			while (*r != DLIB_END && c->builtin[*r] != UNUSED)
				r++;
			if (*r != DLIB_END)
				continue;
			need(c, d);
			more = true;
		}
	}
}

/* Errors go to the diagnostics. */
static int declare(struct compilation *c, unsigned d, struct program *prog)
{
	const struct dlib_decl *decl = &dlib_decls[d];
	const struct dlib_file *file = &dlib_files[decl->file];
	struct source *src = ARENA_NEW(c->arena, struct source);

	*src = (struct source){
		.name = file->name, .text = file->text, .from = decl->from, .len = decl->to, .library = true
	};
	c->builtin[d] = DECLARED;
	return parse_source(&c->penv, src, prog);
}

/* Parses what is marked, in the order of dlib/, in which a declaration follows those that it needs. Before the checker
 * exists the declarations are collected in c->library; check_texts() checks them all at once. */
static void declare_needed(struct compilation *c)
{
	struct program *prog = c->checker ? ARENA_NEW(c->arena, struct program) : &c->library;
	bool in_library = c->in_library, ok = true;

	need_translators(c);
	c->builtin_missing = false;
	c->in_library = true;
	for (unsigned d = 0; d < dlib_ndecls; d++)
		if (c->builtin[d] == NEEDED)
			ok = !declare(c, d, prog) && ok;
	c->in_library = in_library;
	if (ok && c->checker && c->ktypes)
		check_decls(c->checker, prog);
}

static int by_name(const void *key, const void *name)
{
	return strcmp(key, ((const struct dlib_name *)name)->name);
}

/* Words of 64 and more characters are skipped: no name of dlib/ is so long. */
static void use_word(struct compilation *c, const char *s, size_t n)
{
	const struct dlib_name *found;
	char word[64];

	if (n >= sizeof(word))
		return;
	memcpy(word, s, n);
	word[n] = '\0';
	found = bsearch(word, dlib_names, dlib_nnames, sizeof(*dlib_names), by_name);
	for (const uint16_t *r = dlib_refs + (found ? found->decls : 0); found && *r != DLIB_END; r++)
		need(c, *r);
}

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

/* Takes words without regard to the syntax: a word in a comment or a string may declare something that the script does
 * not need. That costs some time and is harmless. */
void builtin_use(struct compilation *c, const char *text, size_t len)
{
	const char *end = text ? text + len : NULL;

	for (unsigned d = 0; !text && d < dlib_ndecls; d++)
		need(c, d);
	while (text < end) {
		const char *from = text;

		while (text < end && is_word(*text))
			text++;
		if (text == from)
			text++;
		else
			use_word(c, from, (size_t)(text - from));
	}
	if (c->builtin_missing)
		declare_needed(c);
}

int builtin_init(struct compilation *c)
{
	struct source *src = ARENA_NEW(c->arena, struct source);
	struct utsname host = { .machine = "" };

	uname(&host);
	c->builtin = ARENA_ARRAY(c->arena, unsigned char, dlib_ndecls + 1);
	for (unsigned d = 0; d < dlib_ndecls; d++)
		if (!for_machine(dlib_files[dlib_decls[d].file].name, host.machine))
			c->builtin[d] = DECLARED;
	src->name = "kernel";
	src->text = arena_printf(
		c->arena, "inline int __hz = %ld;\ninline string __machine = \"%.16s\";\n", c->hz, host.machine);
	src->len = strlen(src->text);
	src->library = true;
	return parse_source(&c->penv, src, &c->library);
}
