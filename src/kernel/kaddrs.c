/* kaddrs: see kaddrs.h. Input: lines "ADDRESS TYPE NAME [MODULE]". Output: a table sorted by address.
 * Invariant: one symbol an address, the one that says most; addresses outside of the kernel's half (per-CPU offsets,
 * and everything when the kernel hides them) are left out. */
#include "kernel/kaddrs.h"
#include "kernel/readall.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODS_MAX 4096
#define FAR (1u << 20) /* no function is that long: what lies behind has no symbol */

struct entry {
	uint64_t addr;
	uint32_t name; /* offset in text */
	uint16_t mod;
	uint16_t rank; /* of several names for one address the least is taken */
};

struct kaddrs {
	char *text; /* the file, its names terminated */
	struct entry *v;
	size_t n;
	const char *mods[MODS_MAX];
	size_t nmods;
};

/* ---- reading ----------------------------------------------------------------------------------------------------- */
static int read_file(const char *path, char **text, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : read_all(fd, 1u << 23, text, len);

	if (fd >= 0)
		close(fd);
	return err;
}

static uint16_t mod_index(struct kaddrs *k, const char *name)
{
	/* A module's symbols stand together. */
	for (size_t i = k->nmods; i-- > 0;)
		if (strcmp(k->mods[i], name) == 0)
			return (uint16_t)i;
	if (k->nmods == MODS_MAX)
		return 0;
	k->mods[k->nmods] = name;
	return (uint16_t)k->nmods++;
}

/* Functions before data, global before local, plain names before those with underscores or dots. */
static uint16_t rank_of(char type, const char *name)
{
	bool func = strchr("tTwWi", type) != NULL, global = type >= 'A' && type <= 'Z';

	return (uint16_t)((func ? 0 : 4) + (global ? 0 : 1) + (name[0] == '_' || strchr(name, '.') ? 2 : 0));
}

/* One line, ended by a NUL. False: no symbol that we want. */
static bool parse_line(struct kaddrs *k, char *line, struct entry *e)
{
	char *p = line, *name, *end;

	e->addr = 0;
	for (; *p && *p != ' '; p++)
		e->addr = e->addr << 4 | (uint64_t)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
	if (*p != ' ' || !p[1] || p[2] != ' ' || !(e->addr >> 63))
		return false;
	name = p + 3;
	end = name + strcspn(name, " \t");
	e->mod = 0;
	if (*end) {
		char *mod = end + strspn(end, " \t");

		*end = '\0';
		mod += *mod == '[';
		mod[strcspn(mod, "]")] = '\0';
		e->mod = mod_index(k, mod);
	}
	e->rank = rank_of(p[1], name);
	e->name = (uint32_t)(name - k->text);
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static int parse_text(struct kaddrs *k, size_t len)
{
	size_t lines = 1, n = 0;

	for (size_t i = 0; i < len; i++)
		lines += k->text[i] == '\n';
	k->v = calloc(lines, sizeof(*k->v));
	if (!k->v)
		return -ENOMEM;
	for (char *p = k->text, *next; p && *p; p = next) {
		size_t l = strcspn(p, "\n");

		next = p + l + (p[l] == '\n');
		p[l] = '\0';
		if (parse_line(k, p, &k->v[n]))
			n++;
	}
	if (!n)
		return -EACCES;
	qsort(k->v, n, sizeof(*k->v), by_addr);
	for (size_t i = 0; i < n; i++)
		if (!k->n || k->v[k->n - 1].addr != k->v[i].addr)
			k->v[k->n++] = k->v[i];
	return 0;
}

int kaddrs_load_file(const char *path, struct kaddrs **out)
{
	struct kaddrs *k = calloc(1, sizeof(*k));
	size_t len = 0;
	int err = k ? read_file(path, &k->text, &len) : -ENOMEM;

	*out = NULL;
	if (!err) {
		k->mods[k->nmods++] = "vmlinux";
		err = parse_text(k, len);
	}
	if (err) {
		kaddrs_free(k);
		return err;
	}
	*out = k;
	return 0;
}

int kaddrs_load(struct kaddrs **out)
{
	return kaddrs_load_file("/proc/kallsyms", out);
}

void kaddrs_free(struct kaddrs *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->v);
	free(k);
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */
bool kaddrs_find(const struct kaddrs *k, uint64_t addr, struct kaddr *out)
{
	size_t lo = 0, hi = k->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - k->v[lo - 1].addr >= FAR)
		return false;
	out->mod = k->mods[k->v[lo - 1].mod];
	out->name = k->text + k->v[lo - 1].name;
	out->addr = k->v[lo - 1].addr;
	return true;
}
