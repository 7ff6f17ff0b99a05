/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit: the checks of the test programs. A failed check prints FILE:LINE and the test goes on. main() returns
 * unit_end(), which prints "N passed, N failed, N skipped"; ./check reads that line. Each test is one program. */
#ifndef DWIRE_TESTS_UNIT_H
#define DWIRE_TESTS_UNIT_H
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	unsigned passed, failed, skipped;
} unit_tally;

#define ROWS(a) (sizeof(a) / sizeof((a)[0]))

/* Counts a check, and says whether it passed. */
static inline bool unit_check(bool ok)
{
	if (ok)
		unit_tally.passed++;
	else
		unit_tally.failed++;
	return ok;
}

#define EXPECT(cond)                                                                \
	do {                                                                        \
		if (!unit_check(cond))                                              \
			printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #cond); \
	} while (0)

/* EXPECT with a message in the manner of printf. */
#define CHECK(cond, ...)                                                  \
	do {                                                              \
		if (!unit_check(cond)) {                                  \
			printf("%s:%d: %s: ", __FILE__, __LINE__, #cond); \
			printf(__VA_ARGS__);                              \
			printf("\n");                                     \
		}                                                         \
	} while (0)

#define EXPECT_STR(got, want) unit_expect_str(__FILE__, __LINE__, "", (got), (want))
#define EXPECT_INT(got, want) unit_expect_int(__FILE__, __LINE__, (long long)(got), (long long)(want))
/* EXPECT_STR with a name that a failure shows. */
#define CHECK_TEXT(name, got, want) unit_expect_str(__FILE__, __LINE__, (name), (got), (want))

static inline void unit_expect_str(const char *file, int line, const char *name, const char *got, const char *want)
{
	if (!unit_check(got && want && !strcmp(got, want)))
		printf("%s:%d: %s\n--- want\n%s\n--- got\n%s\n---\n", file, line, name, want ? want : "(null)",
			got ? got : "(null)");
}

static inline void unit_expect_int(const char *file, int line, long long got, long long want)
{
	if (!unit_check(got == want))
		printf("%s:%d: got %lld, want %lld\n", file, line, got, want);
}

/* A check that this machine cannot make. */
static inline void unit_skip(const char *why)
{
	unit_tally.skipped++;
	printf("skipped: %s\n", why);
}

static inline int unit_end(void)
{
	printf("%u passed, %u failed, %u skipped\n", unit_tally.passed, unit_tally.failed, unit_tally.skipped);
	return unit_tally.failed ? 1 : 0;
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

/* A stream into memory. text is what was written up to the last capture_text(). */
struct capture {
	FILE *f;
	char *text;
	size_t len;
};

static inline void capture_open(struct capture *c)
{
	c->text = NULL;
	c->f = open_memstream(&c->text, &c->len);
	if (!c->f)
		abort();
}

static inline const char *capture_text(struct capture *c)
{
	fflush(c->f);
	/* After a rewind the stream keeps what stood behind its end. */
	c->text[c->len] = '\0';
	return c->text;
}

static inline void capture_reset(struct capture *c)
{
	rewind(c->f);
}

static inline void capture_close(struct capture *c)
{
	fclose(c->f);
	free(c->text);
}

#endif
