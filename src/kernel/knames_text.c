/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knames_text: names of addresses from /proc/kallsyms, for kernels whose BPF programs cannot ask (before 5.16).
 * Input: the file, read once. Output: its symbols, sorted by address; a name and module point into its text. */
#include "kernel/knames_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/readall.h"

struct symbol {
	uint64_t addr;
	const char *name, *mod; /* mod NULL: the kernel itself */
};

struct knames_text {
	char *text;
	struct symbol *v;
	size_t n;
};

static int by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]": splits it. Absolute symbols (a, A), which are
 * places in per-CPU memory, name no address. */
static bool parse(char *line, struct symbol *s)
{
	char *end, *tab, *close;

	s->addr = strtoull(line, &end, 16);
	if (!s->addr || *end != ' ' || !end[1] || end[2] != ' ' || end[1] == 'a' || end[1] == 'A')
		return false;
	s->name = end + 3;
	s->mod = NULL;
	tab = strchr(end + 3, '\t');
	if (!tab)
		return true;
	*tab = '\0';
	close = strchr(tab + 1, ']');
	if (tab[1] == '[' && close) {
		*close = '\0';
		s->mod = tab + 2;
	}
	return true;
}

static int parse_all(struct knames_text *k)
{
	size_t lines = 1;
	char *next;

	for (const char *p = k->text; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	k->v = calloc(lines, sizeof(*k->v));
	if (!k->v)
		return -ENOMEM;
	for (char *line = k->text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		k->n += parse(line, &k->v[k->n]);
	}
	qsort(k->v, k->n, sizeof(*k->v), by_address);
	return k->n ? 0 : -EPERM;
}

int knames_text_open(struct knames_text **out)
{
	struct knames_text *k = calloc(1, sizeof(*k));
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;

	*out = NULL;
	if (!k)
		err = -ENOMEM;
	if (!err)
		err = read_all(fd, (size_t)8 << 20, &k->text, NULL);
	if (!err)
		err = parse_all(k);
	if (fd >= 0)
		close(fd);
	if (err)
		knames_text_close(k);
	else
		*out = k;
	return err;
}

void knames_text_close(struct knames_text *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->v);
	free(k);
}

bool knames_text_at(const struct knames_text *k, uint64_t addr, struct kname *out)
{
	size_t low = 0, high = k->n;
	const struct symbol *s;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->v[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	memset(out, 0, sizeof(*out));
	if (!low || low == k->n) /* beyond the last there is no end */
		return false;
	s = &k->v[low - 1];
	while (s > k->v && s[-1].addr == s->addr)
		s--;
	strncpy(out->name, s->name, sizeof(out->name) - 1);
	strncpy(out->mod, s->mod ? s->mod : "vmlinux", sizeof(out->mod) - 1);
	out->addr = s->addr;
	out->size = k->v[low].addr - s->addr;
	return true;
}
