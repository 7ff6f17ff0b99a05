/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall: entry and return of every system call, by name. All enabled probes share one program at sys_enter and one
 * at sys_exit. The names are those of the machine that dwire was built for. System calls of 32-bit programs have
 * other numbers; here they are mapped to the native ones plus FOREIGN. A call without a native counterpart fires
 * nothing. */
#include <string.h>

#include "abi/arch.h"
#include "probes/lists.h"
#include "prov/provider.h"

static const struct call {
	uint32_t number;
	const char *name;
	const char *args; /* types, a letter each */
} calls[] = {
#define X(number, name, args) { number, #name, args },
#include ARCH_SYSCALLS
#undef X
};
#define FOREIGN 1024 /* as in dlib/system/syscall.d */

/* Pairs: the number in 32-bit programs plus FOREIGN, the native number. */
static const uint16_t foreign[][2] = {
#ifdef ARCH_SYSCALLS_32
#define X(theirs, native) { FOREIGN + theirs, native },
#include ARCH_SYSCALLS_32
#undef X
#endif
	{ 0, UINT16_MAX },
};

#define NCALLS (sizeof(calls) / sizeof(calls[0]))

static const char *const enter_values[] = { "P->a0", "P->a1", "P->a2", "P->a3", "P->a4", "P->a5", NULL };
static const char *const exit_values[] = { "P->ret", "P->ret", NULL };

static const struct site enter_site[] = {
	{ TP("sys_enter", 2, "dw_sysenter"), .number = "P->nr", .values = enter_values, .sees = "every system call" },
};
static const struct site exit_site[] = {
	{ TP("sys_exit", 2, "dw_sysexit"), .number = "P->nr", .values = exit_values, .error = "P->error",
		.sees = "the end of every system call, but of those that never return" },
};

/* -x legacycalls: numbers and arguments are those of the old calls that the new ones stand for. */
static const struct site old_enter_site[] = {
	{ TP("sys_enter", 2, "dw_oldenter"), .number = "P->nr", .values = enter_values,
		.sees = "every system call; openat(AT_FDCWD, ...) is open(...)" },
};
static const struct site old_exit_site[] = {
	{ TP("sys_exit", 2, "dw_oldexit"), .number = "P->nr", .values = exit_values, .error = "P->error",
		.sees = "the end of every system call, but of those that never return; openat(AT_FDCWD, ...) is "
			"open(...)" },
};

#define ENTRY "a thread enters the system call: arg0 to arg5 are its arguments"
#define RETURN "the system call returns: arg0 and arg1 are its value, -1 if errno is set"
enum { AT_ENTRY, AT_RETURN, NDEFS };
static const struct probe_def probes[NDEFS] = {
	{ "entry", NULL, TABLE(enter_site), ENTRY },
	{ "return", NULL, TABLE(exit_site), RETURN },
};
static const struct probe_def old_probes[NDEFS] = {
	{ "entry", NULL, TABLE(old_enter_site), ENTRY " (-x legacycalls)" },
	{ "return", NULL, TABLE(old_exit_site), RETURN " (-x legacycalls)" },
};

/* Every call has both probes in the module vmlinux: no list needs to be read to decide this. */
static bool could(const struct kernel_lists *k, const struct pdesc *pd)
{
	(void)k;
	return (pdesc_glob(pd->name, "entry") || pdesc_glob(pd->name, "return")) && pdesc_glob(pd->mod, "vmlinux");
}

/* The numbers of the call in 32-bit programs, ending with 0; NULL: they have no such call. */
static const uint16_t *foreign_of(struct arena *a, uint32_t number)
{
	uint16_t v[8] = { 0 };
	size_t n = 0;
	uint16_t *out;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]) && n + 1 < sizeof(v) / sizeof(v[0]); i++)
		if (foreign[i][1] == number)
			v[n++] = foreign[i][0];
	if (!n)
		return NULL;
	out = ARENA_ARRAY(a, uint16_t, n + 1);
	memcpy(out, v, (n + 1) * sizeof(*v));
	return out;
}

/* A mask of the arguments whose type is one of these letters. */
static uint8_t mask_of(const char *args, const char *letters)
{
	unsigned mask = 0;

	for (size_t i = 0; args[i]; i++)
		if (strchr(letters, args[i]))
			mask |= 1u << i;
	return (uint8_t)mask;
}

static void list(struct probe_list *l, const struct provider *p)
{
	const struct probe_def *defs = l->legacy_calls && *l->legacy_calls ? old_probes : probes;

	for (size_t i = 0; i < NCALLS; i++) {
		const uint16_t *also = foreign_of(l->arena, calls[i].number);

		for (size_t k = 0; k < NDEFS; k++) {
			const struct probe pr = {
				.prov = p,
				.def = &defs[k],
				.mod = "vmlinux",
				.func = calls[i].name,
				.name = defs[k].name,
				.number = calls[i].number,
				.also = also,
				.ints = k == AT_RETURN ? 0 : mask_of(calls[i].args, "id"),
				.uints = k == AT_RETURN ? 0 : mask_of(calls[i].args, "uagm"),
			};

			probes_add(l, &pr);
		}
	}
}

/* The letters of src/prov/system/syscalls_*.def; any other is U. */
static const char *type_of(char letter)
{
	static const struct {
		char letter;
		const char *type;
	} types[] = {
		{ 'i', "int" },
		{ 'u', "unsigned int" },
		{ 'l', "long" },
		{ 'z', "size_t" },
		{ 'o', "off_t" },
		{ 's', "char *" },
		{ 'p', "void *" },
		{ 'd', "pid_t" },
		{ 'a', "uid_t" },
		{ 'g', "gid_t" },
		{ 'm', "mode_t" },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].letter == letter)
			return types[i].type;
	return "unsigned long";
}

/* Types of the entry's arguments; the return has its value twice, as in DTrace. */
static const char *const *args(struct probe_list *l, const struct probe *p)
{
	static const char *const value[] = { "long", "long", NULL };
	const char *letters = "", **v;
	size_t n;

	if (p->def == &probes[AT_RETURN] || p->def == &old_probes[AT_RETURN])
		return value;
	for (size_t i = 0; i < NCALLS; i++)
		if (calls[i].number == p->number)
			letters = calls[i].args;
	n = strlen(letters);
	v = ARENA_ARRAY(l->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		v[i] = type_of(letters[i]);
	return v;
}

/* Other names of a call: those of C libraries, of the kernel's source and of Solaris. NULL: none. */
static const char *alias(const char *func)
{
	static const char *const names[][2] = {
		{ "pread", "pread64" },
		{ "pwrite", "pwrite64" },
		{ "fstatat", "newfstatat" },
		{ "fstatat64", "newfstatat" },
		{ "newstat", "stat" },
		{ "stat64", "stat" },
		{ "newfstat", "fstat" },
		{ "fstat64", "fstat" },
		{ "newlstat", "lstat" },
		{ "lstat64", "lstat" },
		{ "newuname", "uname" },
		{ "umount", "umount2" },
		{ "sendfile64", "sendfile" },
		{ "lseek64", "lseek" },
		{ "mmap64", "mmap" },
		{ "open64", "open" },
		{ "llseek", "lseek" },
		{ "exece", "execve" },
		{ "rexit", "exit_group" },
		{ "_exit", "exit_group" },
		{ "fork1", "fork" },
		{ "sysctl", "_sysctl" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], func))
			return names[i][1];
	return NULL;
}

#define OR_OLD "; or use -x legacycalls"
/* The call by which today's C libraries make this older one, with a hint; NULL: none. With -x legacycalls
 * dlib/system/syscall.d maps it. */
static const char *successor(const char *func, const char **hint)
{
	static const struct {
		const char *old, *now, *hint;
	} calls_now[] = {
		{ "open", "openat", "enable syscall::openat too; the path is its arg1" OR_OLD },
		{ "stat", "newfstatat", "enable syscall::newfstatat too; the path is its arg1" OR_OLD },
		{ "lstat", "newfstatat", "enable syscall::newfstatat too; the path is its arg1" OR_OLD },
		{ "fork", "clone", "enable syscall::clone too, or proc:::create" OR_OLD },
		{ "nanosleep", "clock_nanosleep", "enable syscall::clock_nanosleep too" OR_OLD },
	};

	for (size_t i = 0; i < sizeof(calls_now) / sizeof(calls_now[0]); i++)
		if (!strcmp(calls_now[i].old, func)) {
			*hint = calls_now[i].hint;
			return calls_now[i].now;
		}
	return NULL;
}

static const struct probe_source source = {
	.could = could, .list = list, .args = args, .alias = alias, .successor = successor
};

static const struct prov_stability stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, COMMON),
	.module = STABILITY_PRIVATE,
	.function = STABILITY(UNSTABLE, UNSTABLE, ISA),
	.name = STABILITY(EVOLVING, EVOLVING, COMMON),
	.args = STABILITY(UNSTABLE, UNSTABLE, ISA),
};

const struct provider syscall_provider = {
	.name = "syscall",
	.stability = &stability,
	.raw = "dw_sys",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = NDEFS,
	.source = &source,
};
