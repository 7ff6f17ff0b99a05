/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_face: each call of libdwire that needs memory reports that there is none, and does nothing then. */
#include <errno.h>

#include "api/dwire_priv.h"
#include "unit.h"

static struct {
	unsigned n;
	char last[256];
} messages;

static void keep_message(void *ctx, const struct dwire_message *m)
{
	(void)ctx;
	messages.n++;
	snprintf(messages.last, sizeof(messages.last), "%s", m->text);
}

static int count_probe(void *ctx, const struct dwire_probe *p)
{
	(void)p;
	++*(unsigned *)ctx;
	return 0;
}

/* A handle whose memory is used up. */
static struct dwire *without_memory(void)
{
	struct dwire *d = NULL;

	EXPECT_INT(dwire_new(&d), 0);
	dwire_on_message(d, keep_message, NULL);
	arena_fail(d->arena);
	messages.n = 0;
	return d;
}

int main(void)
{
	struct dwire *d = without_memory();
	unsigned probes = 0;

	EXPECT_INT(dwire_set(d, "quiet", NULL), -ENOMEM);
	EXPECT_INT(messages.n, 1);
	EXPECT_STR(messages.last, "not enough memory to set an option");
	EXPECT_INT(dwire_add(d, DWIRE_SCRIPT, "x", "BEGIN", 5), -ENOMEM);
	EXPECT_INT(messages.n, 2);
	dwire_free(d);

	d = without_memory();
	EXPECT_INT(dwire_list(d, count_probe, &probes), -ENOMEM);
	EXPECT_INT(probes, 0);
	EXPECT(messages.n == 1 && strstr(messages.last, "not enough memory"));
	dwire_free(d);
	return unit_end();
}
