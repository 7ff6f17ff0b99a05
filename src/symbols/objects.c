/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects: see objects.h.
 * Input: /proc/PID/maps, exe, map_files, root. Output: open files.
 * Invariant: an object is known by device, inode and path, and opened at most once. Objects that turn out to be one
 * file have the same path to open it by. */
#include "symbols/objects.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "abi/arch.h"
#include "base/escape.h"
#include "kernel/features.h"
#include "symbols/sandbox/budget.h"
#include "symbols/sandbox/safeopen.h"

#define PATH_LEN 4096
#define FUNCTION_MOST (4u << 20) /* bytes; of a longer one only those are looked at */

#define BUCKETS 1024
#define OBJECTS_MOST 16384u /* files; processes choose how many they map */

struct objects {
	struct arena *arena;
	object_list all;
	VEC(struct object *) buckets[BUCKETS]; /* by inode */
	VEC(struct object *) opened[BUCKETS];  /* by the inode that the open file has */
	unsigned list;                         /* number of the list that is being made */
	const struct reporter *to;             /* or NULL */
	struct sandbox *sandbox;
	struct budget *budgets; /* by the owners of files */
	bool warned;            /* that processes are hidden from us */
};

/* The list and its entries are in the arena. objects_free() frees descriptors, symbol tables and the child. */
struct objects *objects_new(struct arena *a, const struct reporter *to)
{
	struct objects *o = ARENA_NEW(a, struct objects);

	o->arena = a;
	o->to = to;
	o->sandbox = sandbox_new(NULL);
	return o;
}

void objects_free(struct objects *o)
{
	for (size_t i = 0; o && i < o->all.n; i++) {
		elfsyms_free(o->all.v[i]->syms);
		if (o->all.v[i]->fd >= 0)
			close(o->all.v[i]->fd);
	}
	if (o) {
		sandbox_free(o->sandbox);
		budgets_free(o->budgets);
	}
}

/* "libc.so.6" of "/usr/lib/libc.so.6". */
static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */
/* A line of /proc/PID/maps. */
struct line {
	unsigned long long start, end, ino;
	unsigned major, minor;
	char *path;
};

/* The kernel says of a file without a name that it is gone. */
static void cut_gone(char *path)
{
	static const char gone[] = " (deleted)";
	const size_t n = strlen(path);

	if (n > sizeof(gone) && strcmp(path + n - (sizeof(gone) - 1), gone) == 0)
		path[n - (sizeof(gone) - 1)] = '\0';
}

/* "7f12…-7f13… r-xp 00001000 fd:01 1234   /usr/lib/libc.so.6"; false: no file that is executed. */
static bool parse_line(char *text, struct line *l)
{
	const char *perms = strchr(text, ' ');
	int at = 0;

	/* Most lines end here, without the cost of sscanf(). */
	if (!perms || strnlen(perms, 4) < 4 || perms[3] != 'x')
		return false;
	text[strcspn(text, "\n")] = '\0';
	if (sscanf(text, "%llx-%llx %*s %*x %x:%x %llu %n", &l->start, &l->end, &l->major, &l->minor, &l->ino, &at) <
			5 ||
		!at || text[at] != '/')
		return false;
	l->path = text + at;
	cut_gone(l->path);
	return true;
}

/* Several files may have one inode number: of other devices, or after one was replaced. */
static struct object *known(const struct objects *o, uint64_t dev, uint64_t ino, const char *path)
{
	size_t b = ino % BUCKETS;

	for (size_t i = 0; i < o->buckets[b].n; i++)
		if (o->buckets[b].v[i]->ino == ino && o->buckets[b].v[i]->dev == dev &&
			!strcmp(o->buckets[b].v[i]->path, path))
			return o->buckets[b].v[i];
	return NULL;
}

/* The name that users see is escaped once, here. */
static struct object *add(struct objects *o, uint64_t dev, uint64_t ino, const char *path)
{
	struct object *obj = ARENA_NEW(o->arena, struct object);

	obj->path = arena_strdup(o->arena, path);
	obj->base = escape_name(o->arena, base_of(obj->path));
	obj->dev = dev;
	obj->ino = ino;
	obj->fd = -1;
	*vec_push(o->arena, &o->all) = obj;
	*vec_push(o->arena, &o->buckets[ino % BUCKETS]) = obj;
	return obj;
}

/* NULL: there are OBJECTS_MOST already. */
static struct object *of_line(struct objects *o, pid_t pid, const struct line *l)
{
	uint64_t dev = makedev(l->major, l->minor);
	struct object *obj = known(o, dev, l->ino, l->path);

	if (obj || o->all.n >= OBJECTS_MOST)
		return obj;
	obj = add(o, dev, l->ino, l->path);
	obj->pid = pid;
	obj->start = l->start;
	obj->end = l->end;
	return obj;
}

/* For read_maps(): all files are wanted. */
static bool any(void *ctx, const char *path, const char *base)
{
	(void)ctx;
	(void)path;
	(void)base;
	return true;
}

/* What is wanted of a process, and where it goes. */
struct wish {
	pid_t pid;
	bool (*wanted)(void *ctx, const char *path, const char *base);
	void *ctx;
	object_list *out;
};

static void take_line(struct objects *o, const struct wish *w, const struct line *l)
{
	struct object *obj = w->wanted(w->ctx, l->path, base_of(l->path)) ? of_line(o, w->pid, l) : NULL;

	if (!obj || obj->listed == o->list)
		return;
	obj->listed = o->list;
	*vec_push(o->arena, w->out) = obj;
}

/* Closes fd. */
static int read_lines(struct objects *o, const struct wish *w, int fd)
{
	FILE *f = fdopen(fd, "r");
	char *text = NULL;
	size_t len = 0;
	struct line l;

	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	while (getline(&text, &len, f) > 0)
		if (parse_line(text, &l))
			take_line(o, w, &l);
	free(text);
	fclose(f);
	return 0;
}

/* A question about one mapping (Linux 6.11): the first from an address on of an executable file. The kernel need not
 * write lines of all the others, which are ten times as many. */
struct query {
	uint64_t size, flags, addr;                               /* given */
	uint64_t start, end, vma_flags, page_size, offset, inode; /* the answer */
	uint32_t major, minor;
	uint32_t name_size, id_size; /* given: of these buffers */
	uint64_t name, id;
};
#define QUERY _IOWR('f', 17, struct query)
enum { QUERY_EXECUTABLE = 4, QUERY_OR_NEXT = 16, QUERY_FILE = 32 };

/* 0, or -errno: the lines have to be read. */
static int ask_maps(struct objects *o, const struct wish *w, int fd)
{
	char path[PATH_LEN];
	struct query q = { .end = 0 };

	for (;;) {
		struct line l;

		q = (struct query){ .size = sizeof(q),
			.flags = QUERY_EXECUTABLE | QUERY_OR_NEXT | QUERY_FILE,
			.addr = q.end,
			.name = (uintptr_t)path,
			.name_size = sizeof(path) };
		if (ioctl(fd, QUERY, &q) < 0)
			return errno == ENOENT || errno == ESRCH ? 0 : -errno; /* no more; or no memory at all */
		l = (struct line){ q.start, q.end, q.inode, q.major, q.minor, path };
		if (q.name_size && path[0] == '/') {
			cut_gone(path);
			take_line(o, w, &l);
		}
	}
}

/* Only mappings that can be executed count: probes are in code. */
static int read_maps(struct objects *o, pid_t pid, bool (*wanted)(void *ctx, const char *path, const char *base),
	void *ctx, object_list *out)
{
	const struct wish w = { pid, wanted, ctx, out };
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	if (ask_maps(o, &w, fd))
		return read_lines(o, &w, fd);
	close(fd);
	return 0;
}

/* The program is found by its path or, if that was deleted or is a container's, by its inode. */
int objects_process(struct objects *o, pid_t pid, object_list *out)
{
	char name[64], exe[PATH_LEN];
	struct stat s;
	ssize_t n;
	int r;

	o->list++;
	r = read_maps(o, pid, any, NULL, out);
	if (r)
		return r;
	snprintf(name, sizeof(name), "/proc/%d/exe", (int)pid);
	n = readlink(name, exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = '\0';
	if (stat(name, &s) < 0)
		s.st_ino = 0;
	for (size_t i = 0; i < out->n; i++)
		if (!strcmp(out->v[i]->path, exe) || (s.st_ino && out->v[i]->ino == s.st_ino))
			out->v[i]->program = true;
	return out->n ? 0 : -ENOEXEC; /* kernel threads and the dead have no memory */
}

/* A process that ends in between is no error. */
void objects_everywhere(
	struct objects *o, bool (*wanted)(void *ctx, const char *path, const char *base), void *ctx, object_list *out)
{
	DIR *d = opendir("/proc");
	const struct dirent *e;
	bool hidden = false;

	o->list++;
	while (d && (e = readdir(d)) != NULL) {
		long pid = strtol(e->d_name, NULL, 10);
		int err = pid > 0 ? read_maps(o, (pid_t)pid, wanted, ctx, out) : 0; /* it may have ended */

		hidden |= err == -EACCES || err == -EPERM;
	}
	if (d)
		closedir(d);
	/* With the capability, the kernel or a security module hides them from root, too: nothing can be done. */
	hidden = hidden && !features_may_ptrace();
	if (hidden && !o->warned)
		report_warning(o->to, D_NONE, NULL,
			"processes of other users cannot be looked at without CAP_SYS_PTRACE: a library that only "
			"they have is not traced");
	o->warned |= hidden;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
/* pid 0: in our own root. */
static int open_in_root(pid_t pid, const char *path)
{
	int root = pid ? safeopen_root(pid) : -1, fd = pid && root < 0 ? root : safeopen(root, path, 0);

	if (root >= 0)
		close(root);
	return fd;
}

struct object *objects_file(struct objects *o, pid_t pid, const char *path)
{
	struct object *obj;
	struct stat s;
	int fd;

	for (size_t i = 0; i < o->all.n; i++)
		if (pid && o->all.v[i]->pid == pid && !strcmp(o->all.v[i]->path, path))
			return o->all.v[i];
	fd = open_in_root(pid, path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &s) < 0) {
		close(fd);
		return NULL;
	}
	obj = known(o, s.st_dev, s.st_ino, path);
	if (!obj)
		obj = add(o, s.st_dev, s.st_ino, path);
	if (obj->fd >= 0)
		close(fd);
	else
		obj->fd = fd;
	return obj;
}

/* The file that has this name for us too. In a container it is another one: some file systems show processes another
 * device than their files have, so the inode number decides. */
static int open_here(const struct object *obj)
{
	int fd = safeopen(-1, obj->path, 0);
	struct stat s;

	if (fd >= 0 && (fstat(fd, &s) || s.st_ino != obj->ino)) {
		close(fd);
		fd = -ESTALE;
	}
	return fd;
}

/* Opens the file by its mapping, which also leads to deleted files and into containers; else by its name in the root
 * of the process; else, without CAP_SYS_PTRACE, by its name in ours. */
static int open_mapped(const struct object *obj)
{
	int fd = safeopen_mapping(obj->pid, obj->start, obj->end);

	if (fd < 0)
		fd = open_in_root(obj->pid, obj->path);
	return fd == -EACCES || fd == -EPERM ? open_here(obj) : fd;
}

/* The machine of an ELF file, for messages. */
static const char *machine_name(unsigned char class, uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = { { EM_386, "32-bit x86" }, { EM_X86_64, "x86-64" }, { EM_AARCH64, "arm64" },
		{ EM_ARM, "32-bit arm" }, { EM_RISCV, "RISC-V" }, { EM_PPC64, "PowerPC" }, { EM_S390, "s390" } };

	if (machine == EM_X86_64 && class == ELFCLASS32)
		return "x32";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == machine)
			return names[i].name;
	return "another machine";
}

/* The path by which the kernel opens the file; that of another object, if it is the same file: by another name, or
 * where /proc/PID/maps has another number than stat() (Linux 6.1, a file that an overlay has copied into its upper
 * folder). Whoever compares paths then puts one probe on it, not two. */
static const char *path_to_open(struct objects *o, struct object *obj)
{
	struct stat s;
	size_t b;

	if (fstat(obj->fd, &s))
		return arena_printf(o->arena, "/proc/self/fd/%d", obj->fd);
	b = s.st_ino % BUCKETS;
	for (size_t i = 0; i < o->opened[b].n; i++) {
		struct object *v = o->opened[b].v[i];

		if (v == obj || v->fd < 0 || !v->file || v->file_ino != s.st_ino || v->file_dev != s.st_dev)
			continue;
		v->lent = true;
		return v->file;
	}
	if (!obj->opened)
		*vec_push(o->arena, &o->opened[b]) = obj;
	obj->opened = true;
	obj->file_dev = s.st_dev;
	obj->file_ino = s.st_ino;
	return arena_printf(o->arena, "/proc/self/fd/%d", obj->fd);
}

/* Reads the ELF header only, which needs no sandbox. */
enum object_kind object_open(struct objects *o, struct object *obj, const char **machine)
{
	unsigned char head[sizeof(Elf64_Ehdr)];
	uint16_t m;
	ssize_t n;

	if (obj->fd < 0 && !obj->error) {
		obj->fd = open_mapped(obj);
		if (obj->fd < 0)
			obj->error = -obj->fd;
	}
	if (obj->fd < 0)
		return OBJECT_UNREADABLE;
	if (!obj->file)
		obj->file = path_to_open(o, obj);
	n = pread(obj->fd, head, sizeof(head), 0);
	if (n < 20 || memcmp(head, ELFMAG, SELFMAG) != 0)
		return OBJECT_NO_ELF;
	memcpy(&m, head + 18, sizeof(m));
	*machine = machine_name(head[EI_CLASS], m);
	if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB || m != ARCH_ELF_MACHINE)
		return OBJECT_FOREIGN;
	return n == (ssize_t)sizeof(head) ? OBJECT_GOOD : OBJECT_NO_ELF;
}

/* Compares the header with the size of the file: a copy may have been cut short. */
bool object_cut(const struct object *obj)
{
	Elf64_Ehdr h;
	struct stat st;

	return pread(obj->fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) || fstat(obj->fd, &st) ||
		h.e_shoff > (uint64_t)st.st_size ||
		(uint64_t)h.e_shnum * h.e_shentsize > (uint64_t)st.st_size - h.e_shoff ||
		(h.e_shnum && (h.e_shentsize != sizeof(Elf64_Shdr) || h.e_shstrndx >= h.e_shnum));
}

/* The table of functions stays; the descriptor is opened again when it is needed. */
void object_close(struct object *obj)
{
	if (obj->lent)
		return;
	if (obj->fd >= 0)
		close(obj->fd);
	obj->fd = -1;
	obj->file = NULL;
}

/* ---- what is in them --------------------------------------------------------------------------------------------- */
/* The budget of the file's owner; NULL: it is used up, which is reported once, or there is no memory. */
static struct budget *payer_of(struct objects *o, const struct object *obj)
{
	struct stat st;
	struct budget *b = fstat(obj->fd, &st) == 0 && o->sandbox ? budget_of(&o->budgets, st.st_uid) : NULL;

	if (!b || budget_left(b))
		return b;
	if (!b->reported)
		report_warning(o->to, D_NONE, NULL,
			"not all files of user %u are searched for probes: it takes too long", (unsigned)b->uid);
	b->reported = true;
	return NULL;
}

/* Probes are found once, before the trace starts: the cost is charged to the owner of the file. */
static void charge(struct objects *o, const struct object *obj, struct budget *b, uint64_t spent, int err)
{
	const char *why = sandbox_why(err);

	budget_spend(b, sandbox_spent(o->sandbox) - spent);
	if (why)
		report_warning(o->to, D_NONE, NULL, "%s is not searched for probes: %s", obj->path, why);
}

/* Parsed once, whether it succeeds or not. */
const struct elfsyms *object_functions(struct objects *o, struct object *obj)
{
	struct budget *b = obj->parsed || obj->fd < 0 ? NULL : payer_of(o, obj);
	uint64_t spent;

	obj->parsed = obj->parsed || obj->fd >= 0;
	if (b) {
		spent = sandbox_spent(o->sandbox);
		charge(o, obj, b, spent, elfsyms_open(o->sandbox, obj->fd, -1, obj->file, &obj->syms));
	}
	return obj->syms;
}

const sdt_list *object_notes(struct objects *o, struct object *obj)
{
	struct budget *b = obj->noted || obj->fd < 0 ? NULL : payer_of(o, obj);
	uint64_t spent;

	obj->noted = true;
	if (b) {
		spent = sandbox_spent(o->sandbox);
		charge(o, obj, b, spent, sdt_read(o->sandbox, o->arena, obj->fd, &obj->notes));
	}
	return &obj->notes;
}

/* The function's code, as far as it is looked at: the caller's. */
static uint8_t *read_code(const struct object *obj, uint64_t func, uint64_t size, size_t *n)
{
	size_t want = size < FUNCTION_MOST ? size : FUNCTION_MOST;
	uint8_t *code = malloc(want + 1);
	ssize_t got = code ? pread(obj->fd, code, want, (off_t)func) : -1;

	*n = got < 0 ? 0 : (size_t)got;
	return code;
}

enum insn_place object_insn(const struct object *obj, uint64_t func, uint64_t size, uint64_t off)
{
	size_t n;
	uint8_t *code = read_code(obj, func, size, &n);
	enum insn_place place = n ? insn_at(code, n, off) : INSN_UNKNOWN;

	free(code);
	return place;
}

void object_each_insn(
	const struct object *obj, uint64_t func, uint64_t size, void (*each)(void *ctx, uint64_t off), void *ctx)
{
	size_t n, len;
	uint8_t *code = read_code(obj, func, size, &n);

	for (size_t at = 0; at < n && (len = insn_length(code + at, n - at)) != 0; at += len)
		if (!insn_refused(code + at, n - at))
			each(ctx, at);
	free(code);
}

/* For a probe at a function's return without a uretprobe. 0: see insn_only_return(). */
uint64_t object_return(const struct object *obj, uint64_t func, uint64_t size)
{
	size_t n;
	uint8_t *code = read_code(obj, func, size, &n);
	uint64_t at = n == size ? insn_only_return(code, n) : 0;

	free(code);
	return at;
}

bool object_refused(const struct object *obj, uint64_t off)
{
	uint8_t code[16];
	ssize_t n = pread(obj->fd, code, sizeof(code), (off_t)off);

	return n <= 0 || insn_refused(code, (size_t)n);
}
