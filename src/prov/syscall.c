/* syscall: entry and return of every system call, by name. All that are enabled share one program at sys_enter and one
 * at sys_exit. Names and numbers are those of the machine that dwire was built for; what a 32-bit program calls has
 * other numbers and fires nothing. */
#include <string.h>

#include "prov/all.h"
#include "prov/lists.h"

static const struct call {
	uint32_t number;
	const char *name;
	const char *args; /* a letter each */
} calls[] = {
#define X(number, name, args) { number, #name, args },
#if defined(__aarch64__)
#include "prov/syscalls_aarch64.def"
#else
#include "prov/syscalls_x86_64.def"
#endif
#undef X
};
#define NCALLS (sizeof(calls) / sizeof(calls[0]))

static const char *const enter_values[] = { "P->a0", "P->a1", "P->a2", "P->a3", "P->a4", "P->a5", NULL };
static const char *const exit_values[] = { "P->ret", "P->ret", NULL };

static const struct site enter_site[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "sys_enter",
		.nargs = 2,
		.native = "dw_sysenter",
		.when = "P->foreign == 0",
		.number = "P->nr",
		.values = enter_values,
		.sees = "every system call of a native program" },
};
static const struct site exit_site[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "sys_exit",
		.nargs = 2,
		.native = "dw_sysexit",
		.when = "P->foreign == 0",
		.number = "P->nr",
		.values = exit_values,
		.error = "P->error",
		.sees = "the end of every system call of a native program, but of those that never return" },
};

static const struct probe_def probes[] = {
	{ "entry", NULL, enter_site, 1, "a thread enters the system call: arg0 to arg5 are its arguments" },
	{ "return", NULL, exit_site, 1, "the system call returns: arg0 and arg1 are its value, -1 if errno is set" },
};

static bool could(const struct kernel_lists *k, const struct pdesc *pd)
{
	(void)k;
	return (pdesc_glob(pd->name, "entry") || pdesc_glob(pd->name, "return")) && pdesc_glob(pd->mod, "vmlinux");
}

static void list(struct probe_list *l, const struct provider *p)
{
	for (size_t i = 0; i < NCALLS; i++)
		for (size_t k = 0; k < 2; k++) {
			const struct probe pr = {
				.prov = p,
				.def = &probes[k],
				.mod = "vmlinux",
				.func = calls[i].name,
				.name = probes[k].name,
				.number = calls[i].number,
			};

			probes_add(l, &pr);
		}
}

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

static const char *const *args(struct probe_list *l, const struct probe *p)
{
	static const char *const value[] = { "long", "long", NULL };
	const char *letters = "", **v;
	size_t n;

	if (p->def == &probes[1])
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

/* What C libraries, the kernel's source and Solaris call them. */
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

static const struct probe_source source = { .could = could, .list = list, .args = args, .alias = alias };

const struct provider syscall_provider = {
	.name = "syscall",
	.raw = "dw_sys",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = 2,
	.source = &source,
};
