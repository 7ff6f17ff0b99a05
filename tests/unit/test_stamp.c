/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stamp: the code that reads each stamp of the providers' tables, and that which changes its word, for a program
 * made by hand: a table or a hash has it as its events say, and a stamp without events is in a hash. */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "prov/providers.h"
#include "unit.h"

/* FUNC("name", 1, 2), with as many numbers as it takes. */
static void call(struct clause_ctx *cx, struct types *ts, enum func func, const char *name)
{
	struct arena *a = cx->lw->arena;
	struct symbol sym = { .kind = SYM_FUNC, .func = func };
	struct expr text = { .kind = EX_STR, .str = name, .slen = strlen(name) };
	struct expr key = { .kind = EX_INT, .ival = 1, .type = ts->uint64 };
	struct expr word = { .kind = EX_INT, .ival = 2, .type = ts->uint64 };
	struct expr e = { .kind = EX_CALL, .sym = &sym, .type = ts->uint64 };

	*vec_push(a, &e.args) = &text;
	*vec_push(a, &e.args) = &key;
	*vec_push(a, &e.args) = &word;
	if (func == FN___former)
		stamp_exchange(cx, &e);
	else
		stamp_read(cx, &e);
}

/* The kind of the map that the code uses; 0: it uses none. */
static uint32_t map_of(const struct provider *p, enum func func, const char *name)
{
	struct arena *a = arena_new();
	struct types *ts = types_new(a, NULL);
	struct image im = { .probes.n = 0 };
	struct lower_env env = { .no_jit = NULL };
	struct lowerer lw = { .arena = a, .ts = ts, .env = &env, .im = &im, .d = diags_new(a) };
	struct prog_ctx pg = { .lw = &lw, .ir = ir_new(a) };
	struct clause_ctx cx = { .lw = &lw, .pg = &pg, .ir = pg.ir, .prov = p };
	uint32_t type;

	call(&cx, ts, func, name);
	type = im.maps.n ? im.maps.v[0].type : 0;
	EXPECT(im.maps.n == 0 || im.maps.v[0].role == MAP_STAMP);
	arena_free(a);
	return type;
}

static void check_stamp(const struct provider *p, const struct stamp *s)
{
	const uint32_t want = s->nevents && s->events[0].percpu ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_LRU_HASH;
	static const enum func funcs[] = { FN___stamp, FN___stamped, FN___former };

	for (size_t i = 0; i < ROWS(funcs); i++)
		CHECK(map_of(p, funcs[i], s->name) == want, "%s, %s: another map", p->name, s->name);
}

int main(void)
{
	unsigned without_events = 0;

	for (const struct provider *const *p = providers(); *p; p++) {
		for (size_t i = 0; i < (*p)->nstamps; i++) {
			check_stamp(*p, &(*p)->stamps[i]);
			without_events += !(*p)->stamps[i].nevents;
		}
		for (size_t i = 0; i < (*p)->nshared; i++)
			check_stamp(*p, &(*p)->shared[i]);
		EXPECT_INT(map_of(*p, FN___stamp, "no such stamp"), 0);
	}
	EXPECT(without_events > 0);
	return unit_end();
}
