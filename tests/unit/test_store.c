/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_store: what fill and ring keep, in order, and how much. */
#include "consume/store.h"
#include "datum.h"
#include "unit.h"

/* Records of 8 bytes, CPU and number: what is kept as text. */
static void run(const char *name, bool ring, uint64_t size, const unsigned *cpus, size_t n, const char *want)
{
	struct store *s = store_new(2, size, ring);
	char got[256] = "";
	size_t len = 0;

	if (!s)
		abort();
	for (size_t i = 0; i < n; i++) {
		const uint64_t rec = i;

		if (!store_add(s, cpus[i], (const uint8_t *)&rec, sizeof(rec)))
			len += (size_t)snprintf(got + len, sizeof(got) - len, "full%zu ", i);
	}
	for (const struct store_rec *r = store_first(s); r; r = r->next) {
		uint64_t rec;

		memcpy(&rec, r->rec, sizeof(rec));
		len += (size_t)snprintf(got + len, sizeof(got) - len, "%u:%u ", r->cpu, (unsigned)rec);
		CHECK(r->len == sizeof(rec) && r->cpu == cpus[rec], "%s: record %u", name, (unsigned)rec);
	}
	CHECK_TEXT(name, got, want);
	CHECK(store_lost(s) == 0, "%s", name);
	store_free(s);
}

int main(void)
{
	static const unsigned one[] = { 0, 0, 0, 0, 0, 0 }, two[] = { 0, 1, 1, 0, 1, 1, 1, 0 };

	run("nothing", true, 64, one, 0, "");
	run("ring with room", true, 48, one, 6, "0:0 0:1 0:2 0:3 0:4 0:5 ");
	run("ring", true, 17, one, 6, "0:4 0:5 ");
	run("ring of two CPUs", true, 16, two, 8, "0:3 1:5 1:6 0:7 ");
	run("ring: too small for any", true, 7, one, 6, "");
	run("fill", false, 16, one, 4, "full2 full3 0:0 0:1 ");
	run("fill of two CPUs", false, 24, two, 8, "full5 full6 0:0 1:1 1:2 0:3 1:4 0:7 ");
	run("fill: too small for any", false, 7, one, 2, "full0 full1 ");
	store_free(NULL);
	return unit_end();
}
