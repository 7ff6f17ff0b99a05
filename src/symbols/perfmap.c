/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmap: see perfmap.h. Output: a sorted table; of functions at one place the one that was written last.
 * Invariant: whatever the file holds, only lines that are whole count; not more than FUNCS_MAX of them.
 * /tmp is everybody's: what another user than the process's has put there is not read. */
#include "symbols/perfmap.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FUNCS_MAX (4u << 20)
#define SIZE_MOST (1 << 30)

struct func {
	uint64_t start, size;
	size_t line; /* the later one counts */
	char *name;
};

struct perfmap {
	struct func *v;
	size_t n, cap;
};

static bool add_line(struct perfmap *m, char *line)
{
	char *end;
	struct func f = { .line = m->n };

	line[strcspn(line, "\n")] = '\0';
	f.start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return true;
	f.size = strtoull(end + 1, &end, 16);
	if (*end != ' ' || !end[1] || !f.size)
		return true;
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 256;
		struct func *v = cap > FUNCS_MAX ? NULL : reallocarray(m->v, cap, sizeof(*v));

		if (!v)
			return false;
		m->v = v;
		m->cap = cap;
	}
	f.name = strdup(end + 1);
	if (!f.name)
		return false;
	m->v[m->n++] = f;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->line > y->line ? -1 : x->line < y->line;
}

static bool is_trusted(int fd, uid_t uid)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SIZE_MOST &&
		(st.st_uid == uid || st.st_uid == 0);
}

struct perfmap *perfmap_read(int fd, uid_t uid)
{
	FILE *f = fd >= 0 && is_trusted(fd, uid) ? fdopen(fd, "r") : NULL;
	struct perfmap *m = f ? calloc(1, sizeof(*m)) : NULL;
	char *line = NULL;
	size_t cap = 0;

	while (m && getline(&line, &cap, f) > 0)
		if (!add_line(m, line))
			break;
	free(line);
	if (m && m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_start);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return m;
}

struct perfmap *perfmap_open_file(const char *path, uid_t uid)
{
	return perfmap_read(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW), uid);
}

struct perfmap *perfmap_open(pid_t pid, pid_t nspid, uid_t uid)
{
	char path[128];
	struct perfmap *m;

	snprintf(path, sizeof(path), "/proc/%d/root/tmp/perf-%d.map", (int)pid, (int)nspid);
	m = perfmap_open_file(path, uid);
	if (m)
		return m;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)nspid);
	return perfmap_open_file(path, uid);
}

void perfmap_free(struct perfmap *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i].name);
	free(m->v);
	free(m);
}

const char *perfmap_find(const struct perfmap *m, uint64_t addr, uint64_t *off)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	while (lo > 1 && m->v[lo - 2].start == m->v[lo - 1].start)
		lo--;
	if (!lo || addr - m->v[lo - 1].start >= m->v[lo - 1].size)
		return NULL;
	*off = addr - m->v[lo - 1].start;
	return m->v[lo - 1].name;
}
