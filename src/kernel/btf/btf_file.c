/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_file: reads BTF files.
 * Input: /sys/kernel/btf/vmlinux, and the files of modules beside it. Output: struct kbtf: the position of each type,
 * and an index of the names.
 * Invariant: nothing outside of the file is read. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <bpf/btf.h>

#include "kernel/btf/btf_priv.h"
#include "kernel/ksyms.h"

#define BTF_PATH "/sys/kernel/btf/vmlinux"

/* Kinds that are looked up by name. */
#define NAMED_KINDS                                                                                   \
	(1u << BTF_KIND_STRUCT | 1u << BTF_KIND_UNION | 1u << BTF_KIND_ENUM | 1u << BTF_KIND_ENUM64 | \
		1u << BTF_KIND_TYPEDEF | 1u << BTF_KIND_VAR | 1u << BTF_KIND_INT)

/* Builds a hash table from names to ids. At most half of it is full, so that a search ends at an empty slot. */
static int make_index(struct kbtf *k, const uint32_t *named, uint32_t n)
{
	k->nslots = 256;
	while (k->nslots < 2 * n)
		k->nslots *= 2;
	k->slots = calloc(k->nslots, sizeof(*k->slots));
	if (!k->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = base_n(k) + named[i];

		index_add(k->slots, k->nslots, str_at(k, type_at(k, id)->name_off), id);
	}
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */
/* Older kernels cannot map the file, and return one page per read. */
static int read_all(struct kbtf *k, int fd)
{
	uint8_t *buf = malloc(k->size);
	size_t got = 0;

	if (!buf)
		return -ENOMEM;
	k->raw = buf;
	while (got < k->size) {
		ssize_t n = read(fd, buf + got, k->size - got);

		if (n <= 0)
			return n < 0 ? -errno : -EINVAL;
		got += (size_t)n;
	}
	return 0;
}

/* Maps the file, or reads it where that is impossible. A mapping costs no memory for types that are never used. */
static int open_file(struct kbtf *k, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(struct btf_header)) {
		err = -EINVAL;
	} else {
		k->size = (size_t)st.st_size;
		p = mmap(NULL, k->size, PROT_READ, MAP_PRIVATE, fd, 0);
		k->mapped = p != MAP_FAILED;
		if (k->mapped)
			k->raw = p;
		else
			err = read_all(k, fd);
	}
	close(fd);
	return err;
}

/* Checks that both sections lie in the file, that types are aligned and that the last string ends with a NUL. 0 or
 * -EINVAL. */
static int check_header(struct kbtf *k)
{
	struct btf_header h;

	if (!k->raw || k->size < sizeof(h))
		return -EINVAL;
	memcpy(&h, k->raw, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION || h.hdr_len < sizeof(h) || h.hdr_len > k->size ||
		(uint64_t)h.hdr_len + h.type_off + h.type_len > k->size ||
		(uint64_t)h.hdr_len + h.str_off + h.str_len > k->size || !h.str_len ||
		((uint64_t)h.hdr_len + h.type_off) % sizeof(uint32_t))
		return -EINVAL;
	k->types = k->raw + h.hdr_len + h.type_off;
	k->types_len = h.type_len;
	k->strings = (const char *)k->raw + h.hdr_len + h.str_off;
	k->strings_len = h.str_len;
	return k->strings[h.str_len - 1] ? -EINVAL : 0;
}

/* Bytes that a type takes in the file; 0 for an unknown kind, behind which nothing can be found. Runs for each of the
 * kernel's types, so it is a table. */
static uint32_t type_size(const struct btf_type *t)
{
	static const struct {
		uint8_t head, each;
	} sizes[32] = {
		[BTF_KIND_FWD] = { 12, 0 },
		[BTF_KIND_CONST] = { 12, 0 },
		[BTF_KIND_VOLATILE] = { 12, 0 },
		[BTF_KIND_RESTRICT] = { 12, 0 },
		[BTF_KIND_PTR] = { 12, 0 },
		[BTF_KIND_TYPEDEF] = { 12, 0 },
		[BTF_KIND_FUNC] = { 12, 0 },
		[BTF_KIND_FLOAT] = { 12, 0 },
		[BTF_KIND_TYPE_TAG] = { 12, 0 },
		[BTF_KIND_INT] = { 16, 0 },
		[BTF_KIND_VAR] = { 16, 0 },
		[BTF_KIND_DECL_TAG] = { 16, 0 },
		[BTF_KIND_ARRAY] = { 12 + sizeof(struct btf_array), 0 },
		[BTF_KIND_ENUM] = { 12, sizeof(struct btf_enum) },
		[BTF_KIND_ENUM64] = { 12, sizeof(struct btf_enum64) },
		[BTF_KIND_STRUCT] = { 12, sizeof(struct btf_member) },
		[BTF_KIND_UNION] = { 12, sizeof(struct btf_member) },
		[BTF_KIND_FUNC_PROTO] = { 12, sizeof(struct btf_param) },
		[BTF_KIND_DATASEC] = { 12, sizeof(struct btf_var_secinfo) },
	};
	uint32_t kind = btf_kind(t);
	_Static_assert(sizeof(struct btf_type) == 12, "head");

	return sizes[kind].head + (uint32_t)btf_vlen(t) * sizes[kind].each;
}

/* Notes where each type begins and which have names. Arrays are larger than needed: pages that are not touched cost
 * nothing. */
static int find_types(struct kbtf *k)
{
	uint32_t most = k->types_len / (uint32_t)sizeof(struct btf_type) + 2, off = 0, nnamed = 0;
	uint32_t *named = malloc(most * sizeof(*named));
	int err = 0;

	k->at = calloc(most, sizeof(*k->at));
	if (!k->at || !named)
		err = -ENOMEM;
	for (k->n = !k->base; !err && off + sizeof(struct btf_type) <= k->types_len; k->n++) {
		const struct btf_type *t = (const struct btf_type *)(const void *)(k->types + off);
		uint32_t size = type_size(t);

		if (!size || size > k->types_len - off)
			err = -EINVAL;
		k->at[k->n] = off;
		named[nnamed] = k->n;
		nnamed += NAMED_KINDS >> btf_kind(t) & (t->name_off != 0);
		off += size;
	}
	if (!err)
		err = make_index(k, named, nnamed);
	free(named);
	return err;
}

/* base: the kernel's types, on which a module's stand; NULL: these are the kernel's. */
static int open_btf(struct kbtf *base, const char *path, struct kbtf **out)
{
	struct kbtf *k = calloc(1, sizeof(*k));
	int err;

	*out = NULL;
	if (!k)
		return -ENOMEM;
	k->base = base;
	err = open_file(k, path);
	if (!err)
		err = check_header(k);
	if (!err)
		err = find_types(k);
	if (!err) {
		k->made = calloc(k->n + 1, sizeof(struct type *));
		err = k->made ? 0 : -ENOMEM;
	}
	if (err)
		kbtf_close(k);
	else
		*out = k;
	return err;
}

int kbtf_open(struct kbtf **out)
{
	return open_btf(NULL, BTF_PATH, out);
}

/* A module that could not be opened is tried again at the next call: it may have been loaded since. */
struct kbtf *kbtf_open_module(struct kbtf *k, const char *name, size_t len)
{
	char path[128];
	struct kbtf *m;

	if (!len || len >= sizeof(k->name) || memchr(name, '/', len))
		return NULL;
	for (m = k->modules; m; m = m->next)
		if (!strncmp(m->name, name, len) && !m->name[len])
			return m;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%.*s", (int)len, name);
	if (open_btf(k, path, &m))
		return NULL;
	memcpy(m->name, name, len);
	m->next = k->modules;
	k->modules = m;
	return m;
}

/* Types that were made of it stay valid: they live in the arenas of compilations. */
void kbtf_close(struct kbtf *k)
{
	if (!k)
		return;
	while (k->modules) {
		struct kbtf *m = k->modules;

		k->modules = m->next;
		kbtf_close(m);
	}
	if (k->mapped)
		munmap((void *)(uintptr_t)k->raw, k->size);
	else
		free((void *)(uintptr_t)k->raw);
	free(k->at);
	free(k->slots);
	free(k->funcs);
	free(k->enums);
	free(k->made);
	ksyms_close(k->syms);
	free(k);
}

/* The id of the type of that name and one of the kinds (bits); 0: there is none. */
uint32_t kbtf_find_id(const struct kbtf *k, const char *name, uint64_t kinds)
{
	uint32_t h = name_hash(name), id;

	for (; (id = k->slots[h & (k->nslots - 1)]) != 0; h++) {
		const struct btf_type *t = type_at(k, id);

		if ((kinds >> btf_kind(t) & 1) && !strcmp(str_at(k, t->name_off), name))
			return id;
	}
	return 0;
}

/* Looks functions up in one walk through all types. An index, as for other names, would cost more: functions are most
 * of the names and rarely needed. */
void kbtf_funcs(struct kbtf *k, const char *const *names, uint32_t *ids, size_t n)
{
	bool first[256] = { false }; /* letters that a name begins with */
	size_t left = n;

	memset(ids, 0, n * sizeof(*ids));
	for (size_t i = 0; i < n; i++)
		first[(uint8_t)names[i][0]] = true;
	for (uint32_t id = 1; id < k->n && left; id++) {
		const struct btf_type *t = type_at(k, id);
		const char *name = btf_is_func(t) ? str_at(k, t->name_off) : "";

		for (size_t i = 0; i < n && first[(uint8_t)name[0]]; i++) {
			if (ids[i] || strcmp(name, names[i]) != 0)
				continue;
			ids[i] = id;
			left--;
		}
	}
}

uint32_t kbtf_var(struct kbtf *k, const char *name)
{
	return kbtf_find_id(k, name, 1u << BTF_KIND_VAR);
}
