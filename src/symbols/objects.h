/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects: the programs and libraries that processes have mapped, each file once. Files are opened as the process sees
 * them (containers, deleted and replaced files too) and stay open, so that what was looked at is what is traced. */
#ifndef DWIRE_SYMBOLS_OBJECTS_H
#define DWIRE_SYMBOLS_OBJECTS_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/report.h"
#include "base/vec.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/insn.h"
#include "symbols/elf/sdtnotes.h"

struct object {
	const char *path; /* as its process sees it */
	const char *base; /* ... without folders, safe to print */
	uint64_t dev, ino;
	bool program; /* the process executes it */
	pid_t pid;    /* a process that has mapped it at start..end; 0: opened by its path */
	uint64_t start, end;
	const char *file; /* path by which the kernel and we open it: "/proc/self/fd/7"; set by object_open() */
	int fd;           /* -1: not open */
	int error;        /* of opening it */
	unsigned listed;  /* number of the last list that it is in */
	bool parsed;
	struct elfsyms *syms; /* NULL: none, or not read yet */
	bool noted;
	sdt_list notes;
};

typedef VEC(struct object *) object_list;
struct objects;

/* to: borrowed; gets warnings of files that are not read; NULL: nobody does. */
struct objects *objects_new(struct arena *a, const struct reporter *to);
void objects_free(struct objects *o); /* closes the files; NULL is fine */

/* What the process has mapped to execute, in the order of its addresses. 0; -ESRCH, -EACCES, ...;
 * -ENOEXEC: nothing, as of a kernel thread. */
int objects_process(struct objects *o, pid_t pid, object_list *out) __attribute__((warn_unused_result));
/* What all processes have mapped to execute and is wanted, each file once. */
void objects_everywhere(
	struct objects *o, bool (*wanted)(void *ctx, const char *path, const char *base), void *ctx, object_list *out);
/* The file of that name, as the process sees it (0: as we do). NULL: there is none. */
struct object *objects_file(struct objects *o, pid_t pid, const char *path);

enum object_kind { OBJECT_GOOD, OBJECT_UNREADABLE, OBJECT_NO_ELF, OBJECT_FOREIGN };
/* Opens it; FOREIGN: of another kind of machine, *machine says which. */
enum object_kind object_open(struct objects *o, struct object *obj, const char **machine);
void object_close(struct object *obj);     /* nothing in it is traced */
bool object_cut(const struct object *obj); /* opened: is its list of sections not within it, or no such list? */
/* What is at this offset in the function that begins at func in the file, and has size bytes. */
enum insn_place object_insn(const struct object *obj, uint64_t func, uint64_t size, uint64_t off);
/* Where in it the only instruction is that returns; 0: not known. */
uint64_t object_return(const struct object *obj, uint64_t func, uint64_t size);
/* Calls each for every instruction of the function that the kernel puts probes on, up to one that we do not know. */
void object_each_insn(
	const struct object *obj, uint64_t func, uint64_t size, void (*each)(void *ctx, uint64_t off), void *ctx);
bool object_refused(const struct object *obj, uint64_t off); /* the kernel puts no probe there */
/* Its functions; NULL: it tells none. */
const struct elfsyms *object_functions(struct objects *o, struct object *obj);
/* The probes that its author put into it. */
const sdt_list *object_notes(struct objects *o, struct object *obj);
#endif
