/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provider: see provider.h.
 * Input: a provider's name. Output: a result.
 * A program is made for each tier: a clause for each probe that the kernel can show there, loaded and
 * attached. Traffic in a separate namespace must be counted as the kernel counts it. For each type of argument a
 * program that reads all members is compiled. */
#include "cli/selftest/provider.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/dwire.h"
#include "cli/selftest/traffic.h"

const char *const selftest_tiers[SELFTEST_TIERS] = { "hooks", "functions", "kprobes" };

/* A provider with more probes is tested by a sample: they share their sites. */
enum { ALL = 128, SAMPLE = 16, COUNTED = 8, TYPES = 16 };

struct counted {
	char name[32];
	const char *counters; /* of the provider's table */
	int64_t before, kernel, traced;
};

/* Made when the first probe needs it. */
struct namespace
{
	struct traffic traffic;
	bool tried, made;
};

/* The program for one tier. */
struct tier_test {
	struct result *r;
	const char *provider, *tier;
	struct namespace *space;
	unsigned members;
	unsigned seen, usable, taken, every; /* probes: listed, that the kernel shows, in the program, one in so many */
	bool own;                            /* there are sites of this tier, not of all */
	char types[TYPES][48];
	unsigned ntypes;
	struct counted counted[COUNTED];
	unsigned ncounted;
	FILE *text;
};

static __attribute__((format(printf, 2, 3))) void wrong(struct result *r, const char *fmt, ...)
{
	va_list ap;

	if (r->wrong)
		return;
	r->wrong = true;
	va_start(ap, fmt);
	vsnprintf(r->note, sizeof(r->note), fmt, ap);
	va_end(ap);
}

/* Errors of the library; the first one is kept. */
static void heard(void *ctx, const struct dwire_message *m)
{
	if (m->level == DWIRE_ERROR)
		wrong(ctx, "%s", m->text);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */
static bool is_new(struct tier_test *t, const char *type)
{
	for (unsigned i = 0; i < t->ntypes; i++)
		if (!strcmp(t->types[i], type))
			return false;
	if (t->ntypes < TYPES)
		snprintf(t->types[t->ntypes++], sizeof(t->types[0]), "%s", type);
	return true;
}

/* False: a network namespace may not be made here, which the result says. */
static bool has_traffic(struct tier_test *t)
{
	int err;

	if (t->space->tried)
		return t->space->made;
	t->space->tried = true;
	err = traffic_start(&t->space->traffic);
	t->space->made = !err;
	if (err && !t->r->wrong)
		snprintf(t->r->note, sizeof(t->r->note), "no traffic: cannot make a network namespace: %s",
			strerror(-err));
	return !err;
}

static struct dwire *handle(struct result *r, const char *tier)
{
	char option[32];
	struct dwire *d;

	if (dwire_new(&d))
		return NULL;
	dwire_on_message(d, heard, r);
	snprintf(option, sizeof(option), "tier=%s", tier);
	if (!dwire_set(d, option, option) && !dwire_set(d, "quiet", NULL))
		return d;
	dwire_free(d);
	return NULL;
}

/* Of a program that reads members. */
struct reading {
	struct result *r;
	bool lacks; /* it needs what only later kernels have */
	char what[128];
};

static void heard_of_members(void *ctx, const struct dwire_message *m)
{
	struct reading *rd = ctx;

	if (m->level != DWIRE_ERROR)
		return;
	if (!m->tag || strcmp(m->tag, "D_KERNEL") != 0 || !m->hint || !strstr(m->hint, "later")) {
		wrong(rd->r, "%s", m->text);
		return;
	}
	rd->lacks = true;
	snprintf(rd->what, sizeof(rd->what), "%s", m->text);
}

/* Compiles a program, which is not loaded: the kernel's types must have what the translators read. False if an older
 * kernel cannot run it; any other error is one of the result. */
static bool compile_members(struct tier_test *t, const char *text, size_t len, struct reading *rd)
{
	struct dwire *d = handle(t->r, t->tier);

	*rd = (struct reading){ .r = t->r };
	if (d)
		dwire_on_message(d, heard_of_members, rd);
	if ((!d || dwire_add(d, DWIRE_SCRIPT, "self-test", text, len) || dwire_compile(d)) && !rd->lacks)
		wrong(t->r, "members of arguments cannot be read");
	dwire_free(d);
	return !rd->lacks;
}

static int write_member(FILE *f, const struct dwire_probe *p, size_t arg, const char *member)
{
	return fprintf(f, "%s:%s:%s:%s { trace(args[%zu]->%s); }\n", p->provider, p->module, p->function, p->name, arg,
		member);
}

/* Member by member: those that this kernel cannot show are left out, and the first one is named. */
static void test_each_member(struct tier_test *t, struct dwire *d, const struct dwire_probe *p, size_t arg)
{
	const char *member, *type = dwire_probe_arg(d, p, arg);
	struct reading rd;
	char text[512];

	for (size_t k = 0; type && (member = dwire_member(d, type, k)); k++) {
		FILE *f = fmemopen(text, sizeof(text), "w");
		const int len = f ? write_member(f, p, arg, member) : -1;

		if (!f || fclose(f) || len < 0 || (size_t)len >= sizeof(text)) {
			wrong(t->r, "%s", strerror(ENOMEM));
		} else if (!compile_members(t, text, (size_t)len, &rd)) {
			t->members--;
			if (!*t->r->note)
				snprintf(t->r->note, sizeof(t->r->note), "not here: %s: %s", member, rd.what);
		}
	}
}

/* The arguments whose type did not come yet: every member of each is read. */
static void test_members(struct tier_test *t, struct dwire *d, const struct dwire_probe *p)
{
	const char *type, *member;
	struct reading rd;

	for (size_t i = 0; (type = dwire_probe_arg(d, p, i)); i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *f;

		if (!dwire_member(d, type, 0) || !is_new(t, type))
			continue;
		f = open_memstream(&text, &len);
		for (size_t k = 0; f && (member = dwire_member(d, type, k)); k++) {
			write_member(f, p, i, member);
			t->members++;
		}
		if (!f || fclose(f))
			wrong(t->r, "%s", strerror(ENOMEM));
		else if (!compile_members(t, text, len, &rd))
			test_each_member(t, d, p, i);
		free(text);
	}
}

static void write_probe(struct tier_test *t, struct dwire *d, const struct dwire_probe *p)
{
	const char *counters = dwire_probe_counters(p);

	fprintf(t->text, "%s:%s:%s:%s", p->provider, p->module, p->function, p->name);
	if (counters && t->ncounted < COUNTED && has_traffic(t)) {
		struct counted *c = &t->counted[t->ncounted++];

		snprintf(c->name, sizeof(c->name), "%s", p->name);
		c->counters = counters;
		fprintf(t->text, " /args[1]->cs_netns == %u/ { @[probename] = count(); }\n", t->space->traffic.netns);
	} else
		fprintf(t->text, " /pid == 2147483646/ { @[probename] = count(); }\n");
	test_members(t, d, p);
}

static bool is_usable(struct tier_test *t, struct dwire *d, const struct dwire_probe *p)
{
	const char *tier = selftest_tiers[0];
	struct dwire_site s;
	bool used = false;

	for (size_t i = 0; dwire_probe_site(d, p, i, &s); i++) {
		used |= s.used;
		t->own |= s.used && s.tier && strcmp(s.tier, tier) != 0;
	}
	return used;
}

static int count_probe(void *ctx, const struct dwire_probe *p)
{
	(void)p;
	++*(unsigned *)ctx;
	return 0;
}

struct taking {
	struct dwire *d;
	struct tier_test *t;
};

static int take_probe(void *ctx, const struct dwire_probe *p)
{
	const struct taking *k = ctx;
	struct tier_test *t = k->t;

	if (t->seen++ % t->every || !is_usable(t, k->d, p))
		return 0;
	t->usable++;
	write_probe(t, k->d, p);
	return 0;
}

/* Writes the program. Lists twice: how many there are decides which are taken. False: there is nothing to run. */
static bool write_program(struct tier_test *t)
{
	for (int pass = 0; pass < 2; pass++) {
		struct dwire *d = handle(t->r, t->tier);
		struct taking k = { d, t };
		unsigned n = 0;

		if (!d || dwire_add(d, DWIRE_PROVIDER, "self-test", t->provider, strlen(t->provider)) ||
			dwire_list(d, pass ? take_probe : count_probe, pass ? (void *)&k : &n)) {
			dwire_free(d);
			return false;
		}
		if (!pass) {
			t->r->probes = n;
			t->every = n > ALL ? n / SAMPLE : 1;
		}
		dwire_free(d);
	}
	return t->usable > 0;
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */
static int take_row(void *ctx, const struct dwire_row *row)
{
	struct tier_test *t = ctx;

	for (unsigned i = 0; i < t->ncounted; i++)
		if (row->nkeys && row->keys[0].text && !strcmp(row->keys[0].text, t->counted[i].name))
			t->counted[i].traced = row->value;
	return 0;
}

/* The program is attached: makes traffic, and notes what the kernel counts of it. */
static void make_traffic(struct tier_test *t)
{
	for (unsigned i = 0; i < t->ncounted; i++)
		t->counted[i].before = traffic_count(&t->space->traffic, t->counted[i].counters);
	if (!t->ncounted)
		return;
	if (traffic_make(&t->space->traffic))
		wrong(t->r, "the traffic on loopback failed");
	for (unsigned i = 0; i < t->ncounted; i++)
		t->counted[i].kernel = traffic_count(&t->space->traffic, t->counted[i].counters) - t->counted[i].before;
}

static void compare(struct tier_test *t)
{
	for (unsigned i = 0; i < t->ncounted; i++) {
		const struct counted *c = &t->counted[i];

		t->r->counted++;
		if (c->kernel <= 0 || c->kernel != c->traced)
			wrong(t->r, "%s (%s): dwire counts %lld, the kernel %lld (%s)", c->name, t->tier,
				(long long)c->traced, (long long)c->kernel, c->counters);
	}
}

static bool run(struct tier_test *t, const char *text, size_t len)
{
	const struct dwire_handlers h = { .size = sizeof(h), .row = take_row };
	struct dwire *d = handle(t->r, t->tier);
	bool ok = d && !dwire_add(d, DWIRE_SCRIPT, "self-test", text, len);
	int status;

	if (ok) {
		dwire_on_data(d, &h, t);
		ok = !dwire_compile(d) && !dwire_start(d);
	}
	if (ok) {
		make_traffic(t);
		ok = !dwire_end(d, &status);
	}
	dwire_free(d);
	if (!ok)
		wrong(t->r, "cannot be traced (%s)", t->tier);
	else
		compare(t);
	return ok;
}

static void test_tier(struct result *r, const char *provider, unsigned tier, struct namespace *space)
{
	struct tier_test t = { .r = r, .provider = provider, .tier = selftest_tiers[tier], .space = space };
	char *text = NULL;
	size_t len = 0;
	bool any;

	t.text = open_memstream(&text, &len);
	if (!t.text) {
		wrong(r, "%s", strerror(ENOMEM));
		return;
	}
	any = write_program(&t);
	fclose(t.text);
	if (any && (tier == 0 || t.own)) {
		r->tier[tier] = run(&t, text, len);
		r->usable = t.usable > r->usable ? t.usable : r->usable;
		if (r->tier[tier] && t.usable > r->tried)
			r->tried = t.usable;
	}
	if (r->tier[tier] && t.members > r->members)
		r->members = t.members;
	free(text);
}

void provider_test(const char *name, struct result *r)
{
	struct namespace space = { .made = false };

	for (unsigned t = 0; t < SELFTEST_TIERS; t++)
		test_tier(r, name, t, &space);
	if (space.made)
		traffic_end(&space.traffic);
}
