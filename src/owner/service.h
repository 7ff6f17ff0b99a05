/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service: programs and maps from an object file that bpf/gen_service.py has made tables of (struct service), in the
 * running kernel.
 *
 * CO-RE relocations are resolved here, from types that dwire has indexed. The kernel can resolve them, too, but walks
 * all of its types for each name, which was a third of the time that the service took to load. Programs are checked on
 * several CPUs at a time, and some of them load only when they are needed. */
#ifndef DWIRE_OWNER_SERVICE_H
#define DWIRE_OWNER_SERVICE_H
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct kbtf;

/* What the instruction at a place needs: a map (arg: index in maps), the address of a variable (arg: where in .bss), a
 * function of the kernel (arg: index in kfuncs), something of the kernel's types (arg: index in cores). */
enum place_kind { PLACE_MAP, PLACE_VALUE, PLACE_KFUNC, PLACE_CORE };
/* Numbers for a member: its offset, its size, is it there, is it signed, how far a word is shifted to leave a
 * bit-field; for a structure: its BTF id, is it there, its size; for a tracepoint: does it have so many arguments? */
enum core_kind {
	CORE_OFFSET,
	CORE_SIZE,
	CORE_EXISTS,
	CORE_SIGNED,
	CORE_LSHIFT,
	CORE_RSHIFT,
	CORE_TYPE_ID,
	CORE_TYPE_EXISTS,
	CORE_TYPE_SIZE,
	CORE_TRACEPOINT
};

struct service_prog {
	const char *name, *at; /* at: its tracepoint, function or iterator; NULL: none */
	uint32_t prog_type, attach_type;
	uint32_t insn, ninsns;   /* in the instructions of all */
	uint32_t place, nplaces; /* in places */
	uint32_t start, nstarts; /* in starts: where its functions begin, itself first */
};
struct service_place {
	uint16_t insn, kind, arg; /* insn: from the program's first */
};
struct service_core {
	enum core_kind kind;
	const char *tag, *path; /* path: members and elements ("regs.2"); NULL: of the structure or tracepoint itself */
	uint32_t size; /* of the member as the program declares it, if it is a number; arguments of a tracepoint */
};
struct service_map {
	const char *name;
	uint32_t type, key, value, n, flags;
};
struct service_var {
	const char *name;
	uint32_t at; /* in .bss */
};

struct service {
	const unsigned char *packed; /* the instructions, compressed by zlib */
	size_t packed_len;
	uint32_t ninsns, bss;
	const struct service_prog *progs;
	size_t nprogs;
	const struct service_map *maps;
	size_t nmaps;
	const struct service_var *vars;
	size_t nvars;
	const struct service_core *cores;
	size_t ncores;
	const char *const *kfuncs;
	size_t nkfuncs;
	const struct service_place *places;
	const uint16_t *starts;
};

struct service_kernel;

/* Finds what the programs need of the kernel's types; loads nothing. -ENOENT: the kernel lacks a tracepoint or
 * function. Borrows btf for the call. */
int service_open(struct service_kernel **out, const struct service *s, struct kbtf *btf)
	__attribute__((warn_unused_result));
/* Makes the maps, once, before any program is loaded. entries: of the map "owners". 0 or -errno. */
int service_make_maps(struct service_kernel *k, uint32_t entries) __attribute__((warn_unused_result));
/* Loads the programs of these numbers, several at a time; those that are loaded stay. 0 or -errno. */
int service_load(struct service_kernel *k, const size_t *progs, size_t n) __attribute__((warn_unused_result));
/* Closes everything. NULL is fine. */
void service_close(struct service_kernel *k);

/* The number of a program, or -1. */
int service_prog(const struct service *s, const char *name);
/* The function of the kernel at which it is a kprobe; NULL: it is none. */
const char *service_prog_kprobe(const struct service_kernel *k, int prog);
/* Its descriptor, or -1. */
int service_prog_fd(const struct service_kernel *k, int prog);
int service_map_fd(const struct service_kernel *k, const char *name); /* -1: there is none */
void *service_var(const struct service_kernel *k, const char *name);  /* NULL: there is none */
#endif
