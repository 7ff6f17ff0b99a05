/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_symtext: names of addresses: kept while they may be used, not for as long as a trace runs. */
#include <malloc.h>
#include <stdio.h>

#include "symbols/symtext.h"
#include "unit.h"

static size_t allocated(void)
{
	return mallinfo2().uordblks;
}

/* Processes come and go: their texts go too, once they are many. 1 is no address of any. */
static void test_processes(struct symtext *s)
{
	const char *first = symtext_name(s, FIELD_UADDR, 0x7ffffff0, 1);
	size_t before;

	EXPECT_STR(first, "0x1");
	EXPECT(symtext_name(s, FIELD_UADDR, 0x7ffffff0, 1) == first);
	EXPECT(symtext_name(s, FIELD_USYM, 0x7ffffff0, 1) != first);
	before = allocated();
	for (uint64_t i = 0; i < 40000; i++) {
		if (i % 50 == 0)
			symtext_refresh(s);
		(void)symtext_name(s, FIELD_UADDR, 0x10000000u + i, 1);
	}
	EXPECT(allocated() < before + (1 << 20));
}

/* An address that has no name is looked at again each time. */
static void test_nameless(struct symtext *s)
{
	size_t before = allocated();
	int same = 0;

	for (int i = 0; i < 50000; i++) {
		symtext_refresh(s);
		same += strcmp(symtext_name(s, FIELD_UADDR, 0x7ffffff0, 2), "0x2") == 0;
	}
	EXPECT_INT(same, 50000);
	EXPECT(allocated() < before + (1 << 16));
}

int main(void)
{
	struct symtext *s = symtext_new(&(struct symtext_opts){ 0 });

	EXPECT(s != NULL);
	if (s) {
		test_processes(s);
		test_nameless(s);
	}
	symtext_free(s);
	return unit_end();
}
