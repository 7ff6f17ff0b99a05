/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_priv: declarations shared by the files that read the kernel's BTF. */
#ifndef DWIRE_KERNEL_BTF_BTF_PRIV_H
#define DWIRE_KERNEL_BTF_BTF_PRIV_H
#include <bpf/btf.h>

#include "kernel/btf/btf.h"

struct kbtf {
	const uint8_t *raw; /* the file, mapped or read */
	size_t size;
	bool mapped;
	const uint8_t *types;
	const char *strings;
	uint32_t types_len, strings_len;
	uint32_t n;         /* types are 1..n-1 */
	uint32_t *at;       /* by id: where in types */
	uint32_t *slots;    /* hash of names: id, or 0 */
	uint32_t nslots;    /* a power of two */
	struct type **made; /* by id: structs, unions and enums of the current compilation */
	struct arena *made_in;
	struct ksyms *syms; /* once asked for */
	uint32_t *funcs;    /* hash of the functions' names: id, or 0; made when first asked for */
	uint32_t nfuncs;    /* slots of it, a power of two */
	/* Of a module: ids and places of strings go on behind those of the kernel itself. */
	struct kbtf *base;
	char name[64];
	struct kbtf *modules; /* those that were asked for */
	struct kbtf *next;
};

static inline uint32_t base_n(const struct kbtf *k)
{
	return k->base ? k->base->n : 0;
}

/* libbpf reads the file through stdio, page by page, and copies it: half of the time that dwire takes to start. Its
 * accessors serve as well for a mapped file. */
static inline const struct btf_type *type_at(const struct kbtf *k, uint32_t id)
{
	static const struct btf_type none; /* a type that the file names and does not have is void */

	if (k->base && id < k->base->n)
		k = k->base;
	id -= base_n(k);
	return id < k->n ? (const struct btf_type *)(const void *)(k->types + k->at[id]) : &none;
}

static inline const char *str_at(const struct kbtf *k, uint32_t off)
{
	if (k->base && off < k->base->strings_len)
		k = k->base;
	off -= k->base ? k->base->strings_len : 0;
	return off < k->strings_len ? k->strings + off : "";
}

static inline uint32_t name_hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h;
}

/* A module's types, which stand on the kernel's; NULL: it has none, or is not there. */
struct kbtf *kbtf_open_module(struct kbtf *k, const char *name, size_t len);
struct type *kbtf_make_type(struct kbtf *k, struct types *ts, uint32_t id);
/* The interface's symbol(): struct ktypes. */
int kbtf_symbol(void *ctx, struct types *ts, const char *module, const char *name, struct ksymbol *out);
/* The id that name has as one of the kinds (a bit each); 0: none. A full structure wins over a forward one. */
uint32_t kbtf_find_id(const struct kbtf *k, const char *name, uint64_t kinds);
/* What a type points to: of[] of btf.h. */
uint32_t kbtf_known_pointee(const struct kbtf *k, uint32_t id);
/* A type as D writes it, in the arena. */
const char *kbtf_d_text(struct kbtf *k, struct arena *a, uint32_t id);
#endif
