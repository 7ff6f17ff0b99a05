/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit: checks for unit tests. A failure prints file:line and goes on; unit_end() prints the sum, which
 * ./check reads. */
#ifndef DWIRE_TESTS_UNIT_H
#define DWIRE_TESTS_UNIT_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned unit_passed, unit_failed;

#define UNIT_ROWS(a) (sizeof(a) / sizeof((a)[0]))

#define EXPECT(cond)                                                                \
	do {                                                                        \
		if (cond) {                                                         \
			unit_passed++;                                              \
		} else {                                                            \
			unit_failed++;                                              \
			printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
		}                                                                   \
	} while (0)

#define EXPECT_STR(got, want) unit_expect_str(__FILE__, __LINE__, (got), (want))
#define EXPECT_INT(got, want) unit_expect_int(__FILE__, __LINE__, (long long)(got), (long long)(want))

static inline void unit_expect_str(const char *file, int line, const char *got, const char *want)
{
	if (got && want && !strcmp(got, want)) {
		unit_passed++;
		return;
	}
	unit_failed++;
	printf("%s:%d: got\n%s\nwant\n%s\n", file, line, got ? got : "(null)", want ? want : "(null)");
}

static inline void unit_expect_int(const char *file, int line, long long got, long long want)
{
	if (got == want) {
		unit_passed++;
		return;
	}
	unit_failed++;
	printf("%s:%d: got %lld, want %lld\n", file, line, got, want);
}

/* What fn(ctx, out) prints, in malloc'ed memory. */
static inline char *unit_capture(void (*fn)(void *ctx, FILE *out), void *ctx)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		abort();
	fn(ctx, out);
	fclose(out);
	return text;
}

static inline int unit_end(void)
{
	printf("%u passed, %u failed\n", unit_passed, unit_failed);
	return unit_failed ? 1 : 0;
}
#endif
