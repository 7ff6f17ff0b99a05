/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_prov: the providers' tables without a kernel: names are unique, the structures and types that they name are in
 * dlib, their D expressions parse, and their conditions name the kernel's numbers. tests/kernel/prov/tables_test.c
 * compiles them against the kernel's types. */
#include <ctype.h>

#include "compile/compile.h"
#include "lang/dlib.h"
#include "prov/providers.h"
#include "unit.h"

static bool in_dlib(const char *name)
{
	for (size_t i = 0; i < dlib_nnames; i++)
		if (!strcmp(dlib_names[i].name, name))
			return true;
	return false;
}

static bool parses(const char *text)
{
	struct arena *a = arena_new();
	struct options o;
	struct compilation c = { .arena = a, .diags = diags_new(a), .opts = &o, .hz = 100 };
	const char *d = arena_printf(a, "BEGIN / %s / { }", text);
	bool good;

	options_init(&o);
	compile_add(&c, TEXT_SCRIPT, "t", d, strlen(d));
	good = !compile_parse(&c);
	arena_free(a);
	return good;
}

/* The first number other than 0 and 1 in a condition, or NULL: a number has a name in dlib, except that a header's
 * length counts words of 4 bytes, and a table of pointers has entries of 8. */
static const char *bare_number(const char *s)
{
	for (const char *p = s; *p; p++) {
		size_t len = strspn(p, "0123456789abcdefx");

		if (!isdigit((unsigned char)*p))
			continue;
		if (p > s && (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == '.')) {
			p += len - 1;
			continue;
		}
		if (!(len == 1 && *p <= '1') && !(p - s > 2 && !strncmp(p - 2, "* ", 2)))
			return p;
		p += len - 1;
	}
	return NULL;
}

static void expect_named(const char *where, const char *text)
{
	const char *number = text ? bare_number(text) : NULL;

	CHECK(!number, "%s: a number without a name: %s", where, number);
}

static void expect_text(const char *where, const char *text)
{
	CHECK(!text || parses(text), "%s: no D: %s", where, text);
}

static void expect_known(const char *where, const char *name)
{
	CHECK(!name || in_dlib(name), "%s: not in dlib: %s", where, name);
}

/* The text of a file of dlib. */
static const char *dlib_text(const char *name)
{
	for (size_t i = 0; i < dlib_nfiles; i++)
		if (!strcmp(dlib_files[i].name, name))
			return dlib_files[i].text;
	return "";
}

/* The member func of a site in libraries is an index into the table of their functions. In dlib the file of the
 * provider gives each index a name, and the name a text: DW_GETADDRINFO is 0, and dw_lkp_func[0] "getaddrinfo". */
static void check_functions(const struct provider *p, const struct ufunctions *f)
{
	char file[64], constant[128], number[160], name[160];
	const char *text;
	size_t n = 0;

	snprintf(file, sizeof(file), "%s.d", p->name);
	text = dlib_text(file);
	for (; f->names[n]; n++) {
		snprintf(constant, sizeof(constant), "DW_%s", f->names[n]);
		for (char *c = constant; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		snprintf(number, sizeof(number), "inline int %s = %zu;\n", constant, n);
		if (f->names[n + 1])
			snprintf(name, sizeof(name), "f == %s ? \"%s\" :", constant, f->names[n]);
		else
			snprintf(name, sizeof(name), ": \"%s\";\n", f->names[n]);
		CHECK(strstr(text, number) && strstr(text, name), "%s: %s is not number %zu", file, f->names[n], n);
	}
}

static void check_site(const char *where, const struct site *s)
{
	expect_known(where, s->native);
	expect_text(where, s->when);
	expect_named(where, s->when);
	expect_text(where, s->value);
	expect_text(where, s->number);
	expect_text(where, s->error);
	for (size_t i = 0; s->values && s->values[i]; i++)
		expect_text(where, s->values[i]);
	EXPECT(s->sees != NULL);
}

static void check_probe(const struct provider *p, const struct probe_def *d)
{
	char where[128], type[64];

	snprintf(where, sizeof(where), "%s:::%s", p->name, d->name);
	EXPECT(d->nsites > 0 && d->meaning != NULL);
	for (size_t i = 0; i < d->nsites; i++) {
		check_site(where, &d->sites[i]);
		if (d->sites[i].user && d->sites[i].user->functions)
			check_functions(p, d->sites[i].user->functions);
	}
	for (size_t i = 0; d->args && d->args[i];
		i++) { /* "tcpinfo_t *" is of dlib; "int" and the kernel's siginfo_t are not */
		snprintf(type, sizeof(type), "%.*s", (int)strcspn(d->args[i], " *"), d->args[i]);
		if (p->raw && strlen(type) > 2 && !strcmp(type + strlen(type) - 2, "_t") && strchr(d->args[i], '*') &&
			strncmp(type, "uint", 4) != 0 && strcmp(type, "siginfo_t") != 0)
			expect_known(where, type);
	}
	for (const struct probe_def *o = p->probes; o < d; o++)
		EXPECT(strcmp(o->name, d->name) != 0);
}

static void check_provider(const struct provider *p)
{
	expect_known(p->name, p->raw);
	for (size_t i = 0; i < p->nprobes; i++)
		check_probe(p, &p->probes[i]);
	for (size_t i = 0; i < p->nstamps; i++)
		for (size_t k = 0; k < p->stamps[i].nevents; k++) {
			const struct stamp_event *e = &p->stamps[i].events[k];

			expect_known(p->name, e->site.native);
			expect_text(p->name, e->site.when);
			expect_text(p->name, e->key);
			expect_text(p->name, e->word);
		}
}

int main(void)
{
	bool listed = false;

	for (const struct provider *const *p = providers(); *p; p++) {
		check_provider(*p);
		for (const struct provider *const *o = providers(); o != p; o++)
			EXPECT(strcmp((*o)->name, (*p)->name) != 0);
		EXPECT(!listed || (*p)->source); /* those with lists stand last */
		listed = (*p)->source != NULL;
	}
	return unit_end();
}
