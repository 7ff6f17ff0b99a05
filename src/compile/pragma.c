/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pragma: see pragma.h.
 * Input: the words of a pragma. Output: options, attributes, diagnostics.
 * Invariant: a library with an unmet dependency is marked and skipped without an error. */
#include "compile/pragma.h"

#include <errno.h>
#include <string.h>

#include "base/diag/nearest.h"
#include "compile/library.h"

#define WORDS_MAX 6

/* Cuts the arguments at blanks; a quoted word loses its quotes. The number of words, WORDS_MAX when there are more. */
static size_t split(struct compilation *c, const char *s, const char *words[WORDS_MAX])
{
	size_t n = 0;

	for (s += strspn(s, " \t\r\f\v"); *s && n < WORDS_MAX; s += strspn(s, " \t\r\f\v")) {
		bool quoted = *s == '"';
		size_t len = strcspn(s + quoted, quoted ? "\"" : " \t\r\f\v");

		words[n++] = arena_strndup(c->arena, s + quoted, len);
		s += quoted + len;
		s += quoted && *s == '"';
	}
	return n;
}

/* Reports a pragma whose arguments cannot be parsed. hint shows a correct one. */
static void malformed(struct compilation *c, const struct pragma *p, const char *hint, const char *why)
{
	diag_error(c->diags, p->loc, D_PRAGMA_MALFORM, hint, "malformed #pragma D %s: %s", p->word, why);
}

/* ---- option ------------------------------------------------------------------------------------------------------ */
/* #pragma D option NAME[=VALUE]. */
static void read_option(struct compilation *c, const struct pragma *p)
{
	const char *name, *value, *hint, *words[WORDS_MAX];
	int r;

	if (!*p->args) {
		malformed(c, p, "as in #pragma D option quiet", "the name of an option is missing");
		return;
	}
	option_split(c->arena, p->args, &name, &value);
	if (split(c, value ? value : name, words) > 1) {
		malformed(c, p, "one option a pragma: #pragma D option bufsize=8m", "superfluous arguments");
		return;
	}
	r = option_set(c->opts, c->arena, OPTION_PRAGMA, name, value, &hint);
	if (r == -ENOENT && hint)
		hint = arena_printf(c->arena, "did you mean %s?", hint);
	if (r)
		diag_error(c->diags, p->loc, D_PRAGMA_OPTSET, hint, "failed to set option '%s' to '%s': %s", name,
			value ? value : "", option_error(r));
	c->macros.defaultargs = c->opts->defaultargs;
}

/* ---- attributes and binding -------------------------------------------------------------------------------------- */
/* Keeps what a pragma says of a name. The name may be declared after the pragma, so it is looked up only later: by
 * pragma_bind(), pragma_attrs() and pragma_finish(). s: its attributes; NULL: the pragma gives none. */
static void remember(struct compilation *c, const struct pragma *p, const char *name, const struct stability *s)
{
	struct pragma_name *n = vec_push(c->arena, &c->pragma_names);

	n->name = name;
	n->loc = p->loc;
	if (s) {
		n->has_attrs = true;
		n->attrs = *s;
	}
}

/* "provider NAME ELEMENT": accepted without effect. The attributes of built-in providers come from their tables, and
 * a script cannot create providers. */
static void read_provider_attrs(struct compilation *c, const struct pragma *p, const char *const *words)
{
	static const char *const elements[] = { "provider", "module", "function", "name", "args", NULL };
	const char *near = nearest_name(words[3], elements);

	for (size_t i = 0; elements[i]; i++)
		if (!strcmp(elements[i], words[3]))
			return;
	diag_error(c->diags, p->loc, D_PRAGMA_MALFORM, near ? arena_printf(c->arena, "did you mean %s?", near) : NULL,
		"malformed #pragma D attributes: \"%s\" is no part of a provider", words[3]);
}

/* #pragma D attributes NAME/DATA/CLASS name (D manual, chapter "Stability"). */
static void read_attributes(struct compilation *c, const struct pragma *p)
{
	static const char hint[] = "as in #pragma D attributes Evolving/Evolving/Common name";
	const char *words[WORDS_MAX];
	const size_t n = split(c, p->args, words);
	struct stability s;

	if (n == 0)
		malformed(c, p, hint, "attributes are missing");
	else if (!stability_parse(words[0], &s))
		malformed(c, p, hint, arena_printf(c->arena, "invalid attributes \"%s\"", words[0]));
	else if (n == 1)
		malformed(c, p, hint, "a name is missing");
	else if (n == 4 && !strcmp(words[1], "provider"))
		read_provider_attrs(c, p, words);
	else if (n != 2)
		malformed(c, p, hint, "superfluous arguments");
	else
		remember(c, p, words[1], &s);
}

/* #pragma D binding "VERSION" name: the version of D in which the name appeared. */
static void read_binding(struct compilation *c, const struct pragma *p)
{
	static const char hint[] = "as in #pragma D binding \"1.2\" name";
	const char *words[WORDS_MAX];
	const size_t n = split(c, p->args, words);
	uint32_t version;

	if (n != 2 || p->args[strspn(p->args, " \t")] != '"')
		malformed(c, p, hint, "a version in quotes and a name are needed");
	else if (!option_version(words[0], &version))
		malformed(c, p, hint, arena_printf(c->arena, "invalid version \"%s\"", words[0]));
	else {
		remember(c, p, words[1], NULL);
		c->pragma_names.v[c->pragma_names.n - 1].version = version;
	}
}

void pragma_bind(struct compilation *c)
{
	for (size_t i = 0; i < c->pragma_names.n && c->opts->version; i++)
		if (c->pragma_names.v[i].version > c->opts->version)
			checker_hide(c->checker, c->pragma_names.v[i].name);
}

bool pragma_attrs(void *ctx, const char *name, struct stability *out)
{
	const struct compilation *c = ctx;

	for (size_t i = 0; i < c->pragma_names.n; i++)
		if (c->pragma_names.v[i].has_attrs && !strcmp(c->pragma_names.v[i].name, name)) {
			*out = c->pragma_names.v[i].attrs;
			return true;
		}
	return false;
}

/* Does the program declare this name as an inline, a variable or a type? */
static bool declares(const struct program *prog, const char *name)
{
	for (size_t i = 0; i < prog->decls.n; i++) {
		const struct decl *d = prog->decls.v[i];

		if ((d->kind == DECL_INLINE && !strcmp(d->u.inl.name, name)) ||
			(d->kind == DECL_VAR && !strcmp(d->u.var.name, name)) ||
			(d->kind == DECL_TYPEDEF && !strcmp(d->u.typedef_.name, name)))
			return true;
	}
	return false;
}

/* A name that the program itself declares is good. A name of the built-in library or of nothing at all is an error. */
void pragma_finish(struct compilation *c)
{
	for (size_t i = 0; i < c->pragma_names.n; i++) {
		const struct pragma_name *n = &c->pragma_names.v[i];
		const struct symbol *s = checker_find(c->checker, n->name);
		bool ours = s && s->loc.src && !s->loc.src->library;

		for (size_t k = 0; k < c->texts.n && !ours; k++)
			ours = declares(&c->texts.v[k].prog, n->name);
		if (ours || (n->loc.src && n->loc.src->library))
			continue;
		if (s || declares(&c->library, n->name))
			diag_error(c->diags, n->loc, D_PRAGMA_SCOPE, NULL,
				"#pragma cannot modify %s, which is defined outside of the program", n->name);
		else
			diag_error(c->diags, n->loc, D_PRAGMA_UNUSED, NULL,
				"unrecognized or unused pragma: nothing is called %s", n->name);
	}
}

/* ---- depends_on -------------------------------------------------------------------------------------------------- */
/* #pragma D depends_on KIND NAME. In a library only the form is checked here: library.c has read the line before
 * anything was parsed. */
static void read_depends_on(struct compilation *c, const struct pragma *p)
{
	const char *words[WORDS_MAX];
	const size_t n = split(c, p->args, words);

	if (n != 2) {
		malformed(c, p, "as in #pragma D depends_on provider tcp", "a kind and a name are needed");
		return;
	}
	if (strcmp(words[0], "provider") && strcmp(words[0], "module") && strcmp(words[0], "library"))
		diag_error(c->diags, p->loc, D_PRAGMA_INVAL, "a provider, a module or a library",
			"#pragma D depends_on: invalid kind %s", words[0]);
	else if (!c->in_library && !strcmp(words[0], "library"))
		diag_error(c->diags, p->loc, D_PRAGMA_DEPEND, "all libraries are there for every program",
			"#pragma D depends_on library stands in libraries only");
	else if (!c->in_library && !library_met(c, words[0], words[1]))
		diag_error(c->diags, p->loc, D_PRAGMA_DEPEND, NULL, "program requires %s %s", words[0], words[1]);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */
void pragma_read(void *ctx, const struct pragma *p)
{
	static const char *const names[] = { "option", "attributes", "binding", "depends_on", "error", NULL };
	static void (*const readers[])(struct compilation *, const struct pragma *) = { read_option, read_attributes,
		read_binding, read_depends_on };
	struct compilation *c = ctx;
	const char *near;

	for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		if (!strcmp(names[i], p->word)) {
			readers[i](c, p);
			return;
		}
	if (!strcmp(p->word, "error")) {
		diag_error(c->diags, p->loc, D_PRAGERR, NULL, "#error: %s", p->args);
		return;
	}
	/* For the preprocessor of C: accepted without effect. */
	if (!strcmp(p->word, "ident") || !strcmp(p->word, "line"))
		return;
	near = nearest_name(p->word, names);
	diag_error(c->diags, p->loc, D_PRAGMA_INVAL,
		near ? arena_printf(c->arena, "did you mean %s?", near) : "#pragma D option ...",
		"invalid pragma: there is no #pragma D %s", p->word);
}
