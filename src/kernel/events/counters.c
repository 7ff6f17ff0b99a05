/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: see counters.h.
 * Input: names such as "cpu_clock-all-1000000". Output: perf events.
 * Invariant: an event counts only what its mode names, and is disabled until the caller enables it. */
#include "kernel/events/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config, least;
} events[] = {
#define X(name, type, config, least, usual, what) { #name, PERF_TYPE_##type, config, least },
	COUNTERS(X)
#undef X
};

#define MODES(X) X(ALL, "all") X(KERNEL, "kernel") X(USER, "user")
#define X(mode, name) MODE_##mode,
enum { MODES(X) MODE_COUNT };
#undef X
#define X(mode, name) name,
static const char *const modes[MODE_COUNT] = { MODES(X) };
#undef X

/* name has len characters; the table is small. */
static const struct event *event_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (!strncmp(events[i].name, name, len) && !events[i].name[len])
			return &events[i];
	return NULL;
}

/* -1: there is no such mode. */
static int mode_of(const char *name, size_t len)
{
	for (int m = 0; m < MODE_COUNT; m++)
		if (!strncmp(modes[m], name, len) && !modes[m][len])
			return m;
	return -1;
}

/* Returns NULL if the text names no event and mode. */
static const struct event *parse(const char *text, struct counter *out)
{
	size_t name = strcspn(text, "-"), mode = text[name] ? strcspn(text + name + 1, "-") : 0;
	const struct event *e = event_of(text, name);
	int m = mode ? mode_of(text + name + 1, mode) : -1;
	const char *count = text + name + 1 + mode;
	char *end;

	if (!e || m < 0)
		return NULL;
	*out = (struct counter){ .name = e->name, .mode = (unsigned)m, .least = e->least };
	if (*count == '-' && count[1] >= '0' && count[1] <= '9') {
		errno = 0;
		out->count = strtoull(count + 1, &end, 10);
		if (*end || errno)
			out->count = 0;
	}
	return e;
}

bool counter_parse(const char *text, struct counter *out)
{
	return parse(text, out) != NULL;
}

/* Disabled: the caller attaches a program first. exclude_* need no privilege beyond perf_event_open(2) itself. */
int counter_open(const char *target, unsigned cpu, uint64_t period)
{
	struct perf_event_attr attr;
	const struct event *e;
	struct counter c;
	int fd;

	e = parse(target, &c);
	if (!e)
		return -EINVAL;
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = e->type;
	attr.config = e->config;
	attr.sample_period = period;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	attr.exclude_kernel = c.mode == MODE_USER;
	attr.exclude_user = c.mode == MODE_KERNEL;
	attr.disabled = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* CPU 0 may be offline on some machines: that is no answer. */
bool counter_there(const char *target)
{
	int fd = counter_open(target, 0, 1u << 30);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (fd != -ENOENT && fd != -EOPNOTSUPP && fd != -EINVAL);
}
