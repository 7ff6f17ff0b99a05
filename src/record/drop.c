/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drop: see drop.h. DROP_KINDS makes the table; here are its readers.
 * Input: a kind of drop, or a drop. Output: static texts; the sentence that is shown for the drop. */
#include "record/drop.h"

#include <assert.h>
#include <stdio.h>

#include "abi/abi.h"

/* The first kinds are the causes that programs count by their index in MAP_DROPS. */
static_assert((int)DROP_RING == DW_DROP_RING && (int)DROP_AGG == DW_DROP_AGG && (int)DROP_DYN == DW_DROP_DYN &&
		(int)DROP_NEST == DW_DROP_NEST && (int)DROP_OWNER == DW_DROP_OWNER && (int)DROP_SPEC == DW_DROP_SPEC &&
		(int)DROP_SAMPLED == DW_DROP_SAMPLED && DW_DROP_COUNT == DW_DROP_SAMPLED + 1,
	"the programs' counters");

static const struct {
	const char *name, *tag;
	unsigned number;
	const char *what, *after;
} kinds[DROP_COUNT] = {
#define X(name, tag, number, what, after) [DROP_##name] = { #name, tag, number, what, after },
	DROP_KINDS(X)
#undef X
};

const char *drop_name(enum drop_kind k)
{
	return kinds[k].name;
}

const char *drop_tag(enum drop_kind k)
{
	return kinds[k].tag;
}

unsigned drop_number(enum drop_kind k)
{
	return kinds[k].number;
}

/* "12 drops on CPU 0". A drop with a probe is a missed firing: the kernel did not run the program within itself. */
void drop_text(const struct drop *d, bool by_cpu, char *buf, size_t size)
{
	char on[24] = "", of[48] = "";

	if (by_cpu && d->cpu >= 0)
		snprintf(on, sizeof(on), " on CPU %d", d->cpu);
	if (d->rate)
		snprintf(of, sizeof(of), " (1 in %llu ran)", (unsigned long long)d->rate);
	snprintf(buf, size, "%s%llu %s%s%s%s%s%s%s", d->at_most ? "up to " : "", (unsigned long long)d->n,
		kinds[d->kind].what, d->n == 1 ? "" : "s", kinds[d->kind].after, d->probe ? d->probe : "",
		d->probe ? " (recursion)" : "", of, on);
}
