/* SPDX-License-Identifier: GPL-2.0-or-later */
/* procnet: see procnet.h. Formats: net/ipv4/proc.c, net/ipv6/proc.c, net/core/net-procfs.c, neigh_stat_seq_show() in
 * net/core/neighbour.c, ct_cpu_seq_show() in net/netfilter/nf_conntrack_standalone.c.
 * Input: the kernel's text. Output: names and numbers.
 * Invariant: a line that does not have the form is skipped. */
#include "namespaces/procnet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "namespaces/spaces.h"
#include "namespaces/zone.h"

#define BLANKS ": \t\n"

bool procnet_places(struct zones *z, const char *list, int (*open)(void *ctx), void *ctx, const struct reporter *to)
{
	char *names = list ? strdup(list) : NULL, *rest = NULL;
	int own = list ? spaces_own() : -1;
	bool lost = list && !names;

	if (!list)
		(void)open(ctx);
	for (char *name = names ? strtok_r(names, ",", &rest) : NULL; name && !lost;
		name = strtok_r(NULL, ",", &rest)) {
		int fd = zone_open(z, name), err = fd < 0 ? -ENOENT : own;

		if (fd >= 0 && own >= 0)
			err = spaces_inside(fd, own, open, ctx, &lost);
		if (err < 0)
			report_warning(to, D_NONE, NULL, "no counters of the network namespace %s: %s", name,
				fd < 0 ? "it is not there" : strerror(-err));
		if (fd >= 0)
			close(fd);
	}
	if (own >= 0)
		close(own);
	free(names);
	return !lost;
}

FILE *procnet_open(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/thread-self/net/%s", name);
	return fopen(path, "re");
}

/* A seek within what is buffered reads nothing; after fflush() the buffer counts no more. */
void procnet_again(FILE *f)
{
	(void)fflush(f);
	rewind(f);
}

/* Calls line for each line of the file. The line may be changed. */
static void each_line(FILE *f, void (*line)(void *ctx, char *text, size_t number), void *ctx)
{
	char *text = NULL;
	size_t size = 0, number = 0;

	if (!f)
		return;
	procnet_again(f);
	while (getline(&text, &size, f) > 0)
		line(ctx, text, number++);
	free(text);
}

struct out {
	procnet_fn *fn;
	void *ctx;
	const char *table;
	char *heads; /* the line of names; freed by the user */
};

static void put(const struct out *o, const char *prefix, const char *group, const char *name, int64_t value)
{
	char full[160];

	snprintf(full, sizeof(full), "%s%s%s", prefix, group, name);
	o->fn(o->ctx, full, value);
}

/* "Tcp: RtoAlgorithm RtoMin ..." and "Tcp: 1 200 ...": name without the colon, then column by column. */
static void put_pair(const struct out *o, char *names, char *values)
{
	char *n = NULL, *v = NULL, *group = strtok_r(names, BLANKS, &n), *name, *value;

	if (!group || !strtok_r(values, BLANKS, &v))
		return;
	while ((name = strtok_r(NULL, BLANKS, &n)) && (value = strtok_r(NULL, BLANKS, &v)))
		put(o, "", group, name, strtoll(value, NULL, 10));
}

static void pair_line(void *ctx, char *text, size_t number)
{
	struct out *o = ctx;

	if (number % 2 && o->heads)
		put_pair(o, o->heads, text);
	free(o->heads);
	o->heads = number % 2 ? NULL : strdup(text);
}

void procnet_pairs(FILE *f, procnet_fn *fn, void *ctx)
{
	struct out o = { fn, ctx, NULL, NULL };

	each_line(f, pair_line, &o);
	free(o.heads);
}

void procnet_lines(FILE *f, procnet_fn *fn, void *ctx)
{
	char name[96], value[32];

	if (!f)
		return;
	procnet_again(f);
	while (fscanf(f, "%95s %31s", name, value) == 2)
		fn(ctx, name, strtoll(value, NULL, 10));
}

/* A line a CPU of hexadecimal numbers. */
static void softnet_line(void *ctx, char *text, size_t number)
{
	static const char *const names[] = { "processed", "dropped", "time_squeeze" };
	char *rest, *value = strtok_r(text, BLANKS, &rest);

	(void)number;
	for (size_t i = 0; value && i < sizeof(names) / sizeof(names[0]); i++) {
		put(ctx, "softnet.", "", names[i], (int64_t)strtoull(value, NULL, 16));
		value = strtok_r(NULL, BLANKS, &rest);
	}
}

void procnet_softnet(FILE *f, procnet_fn *fn, void *ctx)
{
	each_line(f, softnet_line, &(struct out){ fn, ctx, NULL, NULL });
}

/* "TCP: inuse 5 orphan 0 ..." */
static void sockstat_line(void *ctx, char *text, size_t number)
{
	char *rest, *group = strtok_r(text, BLANKS, &rest), *name, *value, prefix[64];

	(void)number;
	if (!group)
		return;
	snprintf(prefix, sizeof(prefix), "sockstat.%s.", group);
	while ((name = strtok_r(NULL, BLANKS, &rest)) && (value = strtok_r(NULL, BLANKS, &rest)))
		put(ctx, prefix, "", name, strtoll(value, NULL, 10));
}

void procnet_sockstat(FILE *f, procnet_fn *fn, void *ctx)
{
	each_line(f, sockstat_line, &(struct out){ fn, ctx, NULL, NULL });
}

/* Two lines of heads; then a device and eight numbers of each direction. */
static void device_line(void *ctx, char *text, size_t number)
{
	static const char *const names[] = { "rx_bytes", "rx_packets", "rx_errs", "rx_drop", "rx_fifo", "rx_frame",
		"rx_compressed", "rx_multicast", "tx_bytes", "tx_packets", "tx_errs", "tx_drop", "tx_fifo", "tx_colls",
		"tx_carrier", "tx_compressed" };
	char *rest, *device = number < 2 ? NULL : strtok_r(text, BLANKS, &rest), *value;

	if (!device || !strcmp(device, "lo"))
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && (value = strtok_r(NULL, BLANKS, &rest)); i++)
		put(ctx, "dev.", "", names[i], (int64_t)strtoull(value, NULL, 10));
}

void procnet_devices(FILE *f, procnet_fn *fn, void *ctx)
{
	each_line(f, device_line, &(struct out){ fn, ctx, NULL, NULL });
}

/* A line of names, then a line a CPU of hexadecimal numbers. Each line has the entries of the whole table. */
static void stat_line(void *ctx, char *text, size_t number)
{
	struct out *o = ctx;
	char *heads = o->heads ? strdup(o->heads) : NULL, *h = NULL, *v = NULL, *name, *value, prefix[64];

	if (!number)
		o->heads = strdup(text);
	snprintf(prefix, sizeof(prefix), "stat.%s.", o->table);
	name = heads ? strtok_r(heads, BLANKS, &h) : NULL;
	value = name ? strtok_r(text, BLANKS, &v) : NULL;
	while (name && value) {
		if (number == 1 || strcmp(name, "entries") != 0)
			put(o, prefix, "", name, (int64_t)strtoull(value, NULL, 16));
		name = strtok_r(NULL, BLANKS, &h);
		value = strtok_r(NULL, BLANKS, &v);
	}
	free(heads);
}

void procnet_stat(FILE *f, const char *table, procnet_fn *fn, void *ctx)
{
	struct out o = { fn, ctx, table, NULL };

	each_line(f, stat_line, &o);
	free(o.heads);
}
