/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions: see functions.h.
 * Input: available_filter_functions of tracefs, with lines "NAME" or "NAME [MODULE]"; a private mount is used if
 * tracefs is not mounted. Output: the names in one text, and a hash that finds them.
 * Invariant: kfuncs_each() never returns a name that does not say which function is meant: one that a module has
 * twice, or that another module or the kernel itself has, too. The kernel's own stays: kprobes find it first. */
#include "kernel/functions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "kernel/readall.h"

#define FILE_NAME "available_filter_functions"

struct func {
	const char *name, *module;
	bool ambiguous; /* the name does not say that it is this one */
};

struct kfuncs {
	char *text;
	struct func *v;
	size_t n;
	uint32_t *slots; /* hash: index + 1, or 0 */
	size_t nslots;   /* a power of two */
};

/* A mount of tracefs that no directory shows. fsopen(2): Linux 5.2. */
static int open_detached(void)
{
	int fs = fsopen("tracefs", FSOPEN_CLOEXEC), mnt = -1, fd = -1, err = ENOENT;

	if (fs < 0)
		return -errno;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (mnt >= 0) {
		fd = openat(mnt, FILE_NAME, O_RDONLY | O_CLOEXEC);
		err = errno;
		close(mnt);
	}
	close(fs);
	return fd < 0 ? -err : fd;
}

/* available_filter_functions: the functions that ftrace, and so fentry and kprobe.multi, can attach to. */
static int open_list(void)
{
	static const char *const paths[] = { "/sys/kernel/tracing/" FILE_NAME, "/sys/kernel/debug/tracing/" FILE_NAME };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			return fd;
	}
	return open_detached();
}

static size_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

static bool is_kernels(const char *module)
{
	return !strcmp(module, "vmlinux");
}

/* The next function of that name, from *h on, which is hash(name) at first; NULL: there is none, and *h is a free
 * slot. */
static struct func *next_named(const struct kfuncs *k, const char *name, size_t *h)
{
	uint32_t i;

	for (; (i = k->slots[*h & (k->nslots - 1)]) != 0; ++*h) {
		if (strcmp(k->v[i - 1].name, name) != 0)
			continue;
		++*h;
		return &k->v[i - 1];
	}
	return NULL;
}

static struct func *find(const struct kfuncs *k, const char *module, const char *name)
{
	size_t h = hash(name);
	struct func *f;

	while ((f = next_named(k, name, &h)) != NULL)
		if (!strcmp(f->module, module))
			return f;
	return NULL;
}

/* Kprobes, and links of many of them, are asked for names. Strings stay in the text. */
static void add(struct kfuncs *k, const char *module, const char *name)
{
	size_t h = hash(name);
	bool ambiguous = false;
	struct func *f;

	while ((f = next_named(k, name, &h)) != NULL) {
		if (!strcmp(f->module, module)) {
			f->ambiguous = true;
			return;
		}
		f->ambiguous |= !is_kernels(f->module);
		ambiguous |= !is_kernels(module);
	}
	k->v[k->n++] = (struct func){ name, module, ambiguous };
	k->slots[h & (k->nslots - 1)] = (uint32_t)k->n;
}

/* Lines are "name" or "name [module]". */
static int parse(struct kfuncs *k)
{
	size_t lines = 1;

	if (!k->text)
		return -EINVAL;
	for (const char *p = k->text; *p; p++)
		lines += *p == '\n';
	for (k->nslots = 1; k->nslots < 2 * lines;)
		k->nslots *= 2;
	k->v = calloc(lines, sizeof(*k->v));
	k->slots = calloc(k->nslots, sizeof(*k->slots));
	if (!k->v || !k->slots)
		return -ENOMEM;
	for (char *p = k->text, *next; *p; p = next) {
		size_t len = strcspn(p, "\n");
		char *blank, *module = (char *)(uintptr_t) "vmlinux";

		next = p + len + (p[len] == '\n');
		p[len] = '\0';
		blank = strchr(p, ' ');
		if (blank) {
			*blank = '\0';
			module = blank + 1 + (blank[1] == '[');
			module[strcspn(module, "]")] = '\0';
		}
		/* Parts and copies that the compiler made (x.part.0) do not have the arguments of x. */
		if (*p && !strchr(p, '.'))
			add(k, module, p);
	}
	return k->n ? 0 : -ENOENT;
}

int kfuncs_open(struct kfuncs **out)
{
	struct kfuncs *k = calloc(1, sizeof(*k));
	int fd = open_list(), err = fd < 0 ? fd : 0;

	*out = NULL;
	if (!k)
		err = -ENOMEM;
	if (!err)
		err = read_all(fd, 1u << 21, &k->text, NULL);
	if (fd >= 0)
		close(fd);
	if (!err)
		err = parse(k);
	if (err) {
		kfuncs_close(k);
		return err;
	}
	*out = k;
	return 0;
}

void kfuncs_close(struct kfuncs *k)
{
	if (!k)
		return;
	free(k->text);
	free(k->v);
	free(k->slots);
	free(k);
}

bool kfuncs_has(const struct kfuncs *k, const char *module, const char *name)
{
	const struct func *f = find(k, module && *module ? module : "vmlinux", name);

	return f && !f->ambiguous;
}

void kfuncs_each(const struct kfuncs *k, void (*each)(void *ctx, const char *module, const char *name), void *ctx)
{
	for (size_t i = 0; i < k->n; i++)
		if (!k->v[i].ambiguous)
			each(ctx, k->v[i].module, k->v[i].name);
}
