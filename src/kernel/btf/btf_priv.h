/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_priv: definitions shared by the files that read BTF.
 * Invariant: every walk from type to type counts its steps, so it ends whatever the file contains. */
#ifndef DWIRE_KERNEL_BTF_BTF_PRIV_H
#define DWIRE_KERNEL_BTF_BTF_PRIV_H
#include <bpf/btf.h>

#include "kernel/btf/btf.h"

/* The longest chain of types that is followed: qualifiers, typedefs, pointers, arrays, nested structures. The kernel
 * refuses BTF with longer chains, too (MAX_RESOLVE_DEPTH in kernel/bpf/btf.c). Beyond it, types are void. */
#define KBTF_DEPTH 32

/* The types of the kernel itself, or of one module. */
struct kbtf {
	const uint8_t *raw;   /* the file, mapped or read; owned */
	size_t size;          /* of the file, in bytes */
	bool mapped;          /* raw comes from mmap(), else from malloc() */
	const uint8_t *types; /* the section of types, in raw */
	const char *strings;  /* the section of strings, in raw; its last byte is 0 */
	uint32_t types_len;   /* bytes */
	uint32_t strings_len; /* bytes */
	uint32_t n;           /* types are 1..n-1 */
	uint32_t *at;         /* by id: offset in types */
	uint32_t *slots;      /* hash table of names: id, or 0 for an empty slot */
	uint32_t nslots;      /* a power of two */
	uint64_t generations; /* in the kernel's own entry: compilations begun so far */
	uint64_t made_for;    /* the generation whose types are in made */
	struct type **made;   /* by id: structures, unions and enums of that compilation; borrowed from its arena */
	struct ksyms *syms;   /* NULL until a symbol is looked up; owned */
	uint32_t *funcs;      /* hash table of function names, like slots; NULL until a function is looked up */
	uint32_t nfuncs;      /* slots of funcs, a power of two */
	uint32_t *enums;      /* ... of enumerators' names, to their enums; NULL until ENUM_WALKS were looked up */
	uint32_t nenums;      /* slots of enums, a power of two */
	unsigned enum_walks;
	struct kbtf *base;    /* of a module: the kernel, whose ids and strings come before the module's own */
	char name[64];        /* of a module */
	struct kbtf *modules; /* of the kernel: modules that were looked up; owned */
	struct kbtf *next;    /* of a module: the next in that list */
};

static inline uint32_t base_n(const struct kbtf *k)
{
	return k->base ? k->base->n : 0;
}

/* Maps the file and uses only libbpf's inline accessors. libbpf itself reads the file through stdio, page by page, and
 * copies it; that took half of dwire's start. */
static inline const struct btf_type *type_at(const struct kbtf *k, uint32_t id)
{
	static const struct btf_type none; /* a type that is missing from the file is void */

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

/* Adds a name to a hash table of n slots, a power of two, at least half of them empty. A name is left out after
 * INDEX_PROBES used slots, because a file whose types all have the same name would take n * n steps. (On Linux 6.18
 * the longest probe is 16.) */
#define INDEX_PROBES 1000
static inline void index_add(uint32_t *slots, uint32_t n, const char *name, uint32_t id)
{
	uint32_t h = name_hash(name);

	for (unsigned i = 0; i < INDEX_PROBES; i++, h++)
		if (!slots[h & (n - 1)]) {
			slots[h & (n - 1)] = id;
			return;
		}
}

/* The type behind typedefs, const, volatile and the like; *id becomes its id. NULL: void. */
const struct btf_type *kbtf_skip_modifiers(const struct kbtf *k, uint32_t *id);
/* Opens the BTF of a module (name has len bytes) and keeps it in k. NULL: the module has none or is not loaded. */
struct kbtf *kbtf_open_module(struct kbtf *k, const char *name, size_t len);
/* The D type of that id, for the compilation of ts. Structures are incomplete at first. Unknown types are void, never
 * NULL. */
struct type *kbtf_make_type(struct kbtf *k, struct types *ts, uint32_t id);
/* Implements symbol() of struct ktypes. */
int kbtf_symbol(void *ctx, struct types *ts, const char *module, const char *name, struct ksymbol *out);
/* The id of the type called name of one of the kinds (a bit each); 0: none. Forward declarations do not count. */
uint32_t kbtf_find_id(const struct kbtf *k, const char *name, uint64_t kinds);
/* The structure that a type points to, as in of[] of struct ktracepoint. */
uint32_t kbtf_known_pointee(const struct kbtf *k, uint32_t id);
/* A type as D text in the arena; "unsigned long" for void. */
const char *kbtf_d_text(struct kbtf *k, struct arena *a, uint32_t id);
#endif
