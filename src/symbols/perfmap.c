/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmap: see perfmap.h. Output: a sorted table; of several functions at one place, the last one written counts.
 * The first part runs in the sandbox and writes a table; the second checks it and looks up names. */
#include "symbols/perfmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/sandbox/safeopen.h"

/* In a blob: how many, these, the names, whose last byte is NUL. */
struct func {
	uint64_t start, size;
	uint32_t line; /* the later one counts */
	uint32_t name; /* its place among the names */
};

struct perfmap {
	struct blob blob;
	const struct func *v;
	size_t n;
	const char *names;
};

/* ---- in the sandbox ---------------------------------------------------------------------------------------------- */
struct reading {
	uint64_t n;
	struct blob funcs, names;
};

/* line ends with a NUL. Lines of another form are left out. */
static int add_line(struct reading *r, const char *line)
{
	char *end;
	struct func f = { .line = (uint32_t)r->n, .name = (uint32_t)r->names.n };

	f.start = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return 0;
	f.size = strtoull(end + 1, &end, 16);
	if (*end != ' ' || !end[1] || !f.size)
		return 0;
	r->n++;
	(void)blob_put(&r->names, end + 1, strlen(end));
	(void)blob_put(&r->funcs, &f, sizeof(f));
	return r->names.err ? r->names.err : r->funcs.err;
}

/* By address. Of functions at one address the last one written comes first: it has replaced the others. */
static int by_start(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->line > y->line ? -1 : x->line < y->line;
}

/* text has room for a NUL behind its end. */
static int read_lines(struct reading *r, char *text, size_t len)
{
	int err = 0;

	for (char *line = text, *end; !err && line < text + len; line = end + 1) {
		end = memchr(line, '\n', len - (size_t)(line - text));
		end = end ? end : text + len;
		*end = '\0';
		err = add_line(r, line);
	}
	if (!err && r->n)
		qsort(r->funcs.v, r->n, sizeof(struct func), by_start);
	return err;
}

/* The process may still write to it: what it adds is read when the file has changed (usyms_files.c). */
static int read_file(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	struct reading r = { .funcs = blob_new(out->most), .names = blob_new(out->most) };
	struct stat st;
	ssize_t n = -1;
	char *text;
	int err;

	(void)in;
	(void)len;
	(void)kept;
	if (fstat(fd, &st) != 0 || st.st_size > PERFMAP_MOST)
		return -EFBIG;
	text = malloc((size_t)st.st_size + 1);
	if (text)
		n = pread(fd, text, (size_t)st.st_size, 0);
	err = n < 0 ? -ENOMEM : read_lines(&r, text, (size_t)n);
	if (!err) {
		(void)blob_put(out, &r.n, sizeof(r.n));
		(void)blob_put(out, r.funcs.v, r.funcs.n);
		err = blob_put(out, r.names.v, r.names.n);
	}
	free(text);
	blob_free(&r.funcs);
	blob_free(&r.names);
	return err;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* The table comes from the child that parsed a stranger's file, so it is checked like the file itself: counts,
 * places of names, the NUL at the end. Order is not checked: a wrong one gives wrong names, no wrong access. */
static int check(struct perfmap *m)
{
	struct blob_reader r = blob_read(&m->blob);
	uint64_t n;
	size_t len;

	if (!blob_take(&r, &n, sizeof(n)) || n > m->blob.n / sizeof(*m->v))
		return -EIO;
	m->v = blob_bytes(&r, n * sizeof(*m->v));
	len = (size_t)(r.end - r.p);
	m->names = r.p;
	if (n && (!m->v || !len || m->names[len - 1]))
		return -EIO;
	for (size_t i = 0; i < n; i++)
		if (m->v[i].name >= len)
			return -EIO;
	m->n = n;
	return 0;
}

int perfmap_read(struct sandbox *s, int fd, struct perfmap **out)
{
	struct perfmap *m = calloc(1, sizeof(*m));
	int err = -ENOMEM;

	if (m) {
		m->blob = blob_new(2 * (size_t)PERFMAP_MOST);
		err = sandbox_run(s, read_file, fd, NULL, 0, &m->blob);
	}
	if (!err)
		err = check(m);
	if (err) {
		perfmap_free(m);
		m = NULL;
	}
	*out = m;
	return err;
}

int perfmap_open(int root, const char *path, uid_t uid)
{
	int fd = safeopen(root, path, O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_uid == uid || st.st_uid == 0))
		return fd;
	if (fd < 0)
		return fd;
	close(fd);
	return -EPERM;
}

void perfmap_free(struct perfmap *m)
{
	if (m)
		blob_free(&m->blob);
	free(m);
}

size_t perfmap_bytes(const struct perfmap *m)
{
	return sizeof(*m) + m->blob.cap;
}

/* Binary search for the last function that starts at or before addr. */
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
	return m->names + m->v[lo - 1].name;
}
