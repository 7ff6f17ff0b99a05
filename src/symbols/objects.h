/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects: the programs and libraries that processes have mapped, each file once. dwire looks for probes in them. A
 * file is opened as its process sees it, even if it belongs to a container, was deleted or replaced. It stays open, so
 * that the file that was searched is the file that is traced. */
#ifndef DWIRE_SYMBOLS_OBJECTS_H
#define DWIRE_SYMBOLS_OBJECTS_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag/report.h"
#include "base/vec.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/insn.h"
#include "symbols/elf/sdtnotes.h"

struct object {
	const char *path; /* as its process sees it */
	const char *base; /* path without folders, safe to print */
	uint64_t dev, ino;
	bool program; /* the process's own program, not a library */
	pid_t pid;    /* a process that has mapped it at start..end; 0: opened by its path */
	uint64_t start, end;
	const char *file; /* path by which the kernel and we open it: "/proc/self/fd/7"; set by object_open() */
	int fd;           /* -1: not open */
	bool lent;        /* its path is also that of another object, which is the same file by another name */
	bool opened;      /* once at least; then, what fstat() said: */
	uint64_t file_dev, file_ino;
	int error;       /* errno of opening it; else 0 */
	unsigned listed; /* number of the last list that includes it */
	bool parsed;
	struct elfsyms *syms; /* NULL: none, or not read yet */
	bool noted;
	sdt_list notes;
};

typedef VEC(struct object *) object_list;
struct objects;

/* to: borrowed; gets warnings about files that are not read; may be NULL. */
struct objects *objects_new(struct arena *a, const struct reporter *to);
void objects_free(struct objects *o); /* closes the files; NULL is fine */

/* Lists the executable mappings of the process, by address. out: empty. 0; -ESRCH, -EACCES, ...; -ENOEXEC: it has none,
 * as a kernel thread. */
int objects_process(struct objects *o, pid_t pid, object_list *out) __attribute__((warn_unused_result));
/* The same for all processes: the files for which wanted() returns true, each once. */
void objects_everywhere(
	struct objects *o, bool (*wanted)(void *ctx, const char *path, const char *base), void *ctx, object_list *out);
/* The regular file with this absolute path, as the process sees it; pid 0: as we see it. NULL: there is none. */
struct object *objects_file(struct objects *o, pid_t pid, const char *path);

enum object_kind { OBJECT_GOOD, OBJECT_UNREADABLE, OBJECT_NO_ELF, OBJECT_FOREIGN };
/* Opens the file and reads its ELF header. OBJECT_FOREIGN: built for another architecture, whose name is *machine. */
enum object_kind object_open(struct objects *o, struct object *obj, const char **machine);
void object_close(struct object *obj); /* for a file in which nothing is traced */
/* Is the open file truncated: does its section table lie beyond its end? */
bool object_cut(const struct object *obj);
/* Does an instruction begin at this offset in the function? func: the function's offset in the file; size: in bytes. */
enum insn_place object_insn(const struct object *obj, uint64_t func, uint64_t size, uint64_t off);
/* The offset in the function of its only return instruction; 0: there are several, or it is not known. */
uint64_t object_return(const struct object *obj, uint64_t func, uint64_t size);
/* Calls each for the instructions of the function on which the kernel permits probes, up to the first one that we
 * cannot decode. */
void object_each_insn(
	const struct object *obj, uint64_t func, uint64_t size, void (*each)(void *ctx, uint64_t off), void *ctx);
/* Does the kernel refuse a probe at this offset of the file? */
bool object_refused(const struct object *obj, uint64_t off);
/* The functions of the file; NULL: it has no symbols, or cannot be read, which is reported. */
const struct elfsyms *object_functions(struct objects *o, struct object *obj);
/* The file's static probes. */
const sdt_list *object_notes(struct objects *o, struct object *obj);
#endif
