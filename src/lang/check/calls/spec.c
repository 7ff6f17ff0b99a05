/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec: checks which speculative and recording actions a clause may combine.
 * Input: a checked clause. Output: errors.
 * Invariant: a clause records either for a speculation or for the consumer, and records nothing after a commit.
 * Source: D manual, chapter "Speculative Tracing". */
#include "lang/check/calls/calls.h"

unsigned func_traits(enum func f)
{
	static const unsigned char traits[FN_COUNT] = {
		[FN_raise] = FT_DESTRUCTIVE | FT_KERNEL,
		[FN_stop] = FT_DESTRUCTIVE | FT_KERNEL,
		[FN_panic] = FT_DESTRUCTIVE | FT_KERNEL,
		[FN_breakpoint] = FT_DESTRUCTIVE | FT_KERNEL,
		[FN_chill] = FT_DESTRUCTIVE | FT_KERNEL,
		[FN_copyout] = FT_DESTRUCTIVE | FT_KERNEL,
		[FN_copyoutstr] = FT_DESTRUCTIVE | FT_KERNEL,
		[FN_system] = FT_DESTRUCTIVE | FT_RECORD,
		[FN_freopen] = FT_DESTRUCTIVE | FT_RECORD,
		[FN_speculate] = FT_KERNEL,
	};

	if (func_class(f) == FC_SYM) /* stack(), func(), ... as a statement */
		return FT_RECORD;
	if (func_class(f) != FC_ACTION)
		return 0;
	return traits[f] || f == FN_commit || f == FN_discard ? traits[f] : FT_RECORD;
}

/* What the statements so far have done. */
struct history {
	bool records, speculates, commits;
};

/* Checks one action against those before it, and adds it to the history. */
static void follow_call(struct checker *ck, const struct expr *e, struct history *h)
{
	enum func f = e->sym->func;

	if (f == FN_speculate) {
		if (h->commits)
			err(ck, e->loc, D_SPEC_COMM, NULL, "speculate() cannot follow commit()");
		else if (h->records)
			err(ck, e->loc, D_SPEC_DREC, NULL, "speculate() cannot follow an action that records data");
		else if (h->speculates)
			err(ck, e->loc, D_SPEC_SPEC, NULL, "a clause has one speculate() at most");
		h->speculates = true;
		return;
	}
	if (f == FN_commit) {
		if (h->commits)
			err(ck, e->loc, D_COMM_COMM, NULL, "a clause has one commit() at most");
		else if (h->records)
			err(ck, e->loc, D_COMM_DREC, NULL, "commit() cannot follow an action that records data");
		h->commits = true;
		return;
	}
	if ((func_traits(f) & FT_DESTRUCTIVE) && h->speculates)
		err(ck, e->loc, D_ACT_SPEC, NULL, "%s() cannot follow speculate(): it cannot be undone", e->name);
	else if (f == FN_exit && h->speculates)
		err(ck, e->loc, D_EXIT_SPEC, NULL, "exit() cannot follow speculate()");
	else if ((func_traits(f) & FT_RECORD) && h->commits)
		err(ck, e->loc, D_DREC_COMM, NULL, "%s() records data and cannot follow commit()", e->name);
	h->records |= (func_traits(f) & FT_RECORD) != 0;
}

/* Both branches of an if count as if they ran one after the other, as a clause may run either. */
static void follow(struct checker *ck, struct stmt *const *v, size_t n, struct history *h)
{
	for (size_t i = 0; i < n; i++) {
		const struct expr *e = v[i]->expr;

		if (v[i]->kind == ST_IF) {
			follow(ck, v[i]->then.v, v[i]->then.n, h);
			follow(ck, v[i]->otherwise.v, v[i]->otherwise.n, h);
		} else if (e->kind == EX_ASSIGN && e->a->kind == EX_AGG) {
			if (h->commits)
				err(ck, e->loc, D_AGG_COMM, NULL, "an aggregation cannot follow commit()");
			else if (h->speculates)
				err(ck, e->loc, D_AGG_SPEC, NULL, "an aggregation cannot follow speculate()");
		} else if (e->kind == EX_CALL && e->sym && func_class(e->sym->func) == FC_ACTION) {
			follow_call(ck, e, h);
		}
	}
}

void check_together(struct checker *ck, const struct clause *c)
{
	struct history h = { 0 };

	follow(ck, c->body.v, c->body.n, &h);
}
