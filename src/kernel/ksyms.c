/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ksyms: see ksyms.h.
 * Input: knames.h; /proc/kallsyms for what knames.h lacks: modules, per-CPU variables, and everything if the kernel
 * hides addresses. Output: address, kind and room of a symbol.
 * Invariant: the text of /proc/kallsyms ends with a newline and a NUL. */
#include "kernel/ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/knames.h"
#include "kernel/readall.h"

/* Symbols that the linker script defines (vmlinux.lds.S). */
#define BOUND_LIST(X) X(STEXT, "_stext") X(ETEXT, "_etext") X(SINIT, "_sinittext") X(EINIT, "_einittext") X(END, "_end")
#define X(bound, name) bound,
enum bound { BOUND_LIST(X) BOUNDS };
#undef X

struct ksyms {
	char *text; /* NULL: not read yet */
	size_t len;
	struct knames *names;    /* NULL: not available */
	uint64_t bounds[BOUNDS]; /* of the kernel's image; 0: not asked yet; 1: not known */
};

/* /proc/kallsyms, megabytes of text, is read only for a name that knames.h does not know. */
int ksyms_open(struct ksyms **out)
{
	struct ksyms *k = calloc(1, sizeof(*k));

	*out = k;
	if (!k)
		return -ENOMEM;
	if (knames_open(&k->names))
		k->names = NULL;
	return 0;
}

/* The kernel makes the text anew at each read: once is enough. */
static int read_text(struct ksyms *k)
{
	int fd, err;

	if (k->text)
		return 0;
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : read_all(fd, (size_t)8 << 20, &k->text, &k->len);
	if (fd >= 0)
		close(fd);
	if (!err && k->text)
		memcpy(k->text + k->len, "\n", 2); /* the last line ends like the others */
	return err;
}

void ksyms_close(struct ksyms *k)
{
	if (!k)
		return;
	knames_close(k->names);
	free(k->text);
	free(k);
}

/* Names of other systems too: scripts written there use them. */
bool ksyms_is_kernel(const char *module)
{
	static const char *const names[] = { "vmlinux", "kernel", "unix", "genunix", "mach_kernel", "linux", NULL };

	for (size_t i = 0; names[i]; i++)
		if (!strcmp(names[i], module))
			return true;
	return false;
}

/* A line: "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]". */
static void parse_line(const char *line, struct ksym *out)
{
	char *end;
	const char *next = strchr(line, '\n');
	uint64_t after = next ? strtoull(next + 1, NULL, 16) : 0;

	out->addr = strtoull(line, &end, 16);
	out->type = *end == ' ' ? end[1] : '?';
	out->room = after > out->addr && out->addr ? after - out->addr : 0;
}

static const char *line_start(const struct ksyms *k, const char *at)
{
	while (at > k->text && at[-1] != '\n')
		at--;
	return at;
}

/* For the message: is the name unknown, or the module? */
static bool has_module(const struct ksyms *k, const char *module)
{
	size_t n = strlen(module);

	for (const char *p = k->text; (p = strchr(p, '[')) != NULL; p++)
		if (!strncmp(p + 1, module, n) && p[n + 1] == ']')
			return true;
	return false;
}

/* The line of a name that the kernel has (end '\n') or a module (end '\t': its name follows in brackets). */
static const char *line_of(const struct ksyms *k, const char *module, const char *name, char end)
{
	char whole[512 + 3]; /* KSYM_NAME_LEN */
	size_t n = (size_t)snprintf(whole, sizeof(whole), " %s%c", name, end), m = strlen(module);

	if (n >= sizeof(whole))
		return NULL;
	for (const char *p = k->text; (p = strstr(p, whole)) != NULL; p += n) {
		bool in = end == '\n' || !m || (p[n] == '[' && !strncmp(p + n + 1, module, m) && p[n + m + 1] == ']');

		if (in && p - k->text > 2 && p[-2] == ' ')
			return line_start(k, p);
	}
	return NULL;
}

/* Without a module the kernel's own symbol comes first. */
static int find_in_text(const struct ksyms *k, const char *module, const char *name, struct ksym *out)
{
	bool any = !*module, kernel = any || ksyms_is_kernel(module);
	const char *line = kernel ? line_of(k, module, name, '\n') : NULL;

	if (!line && (any || !kernel))
		line = line_of(k, module, name, '\t');
	if (line)
		parse_line(line, out);
	return line ? 0 : kernel || has_module(k, module) ? -ENOENT : -ENODEV;
}

static uint64_t bound(struct ksyms *k, enum bound b)
{
#define X(bound, name) name,
	static const char *const names[BOUNDS] = { BOUND_LIST(X) };
#undef X
	struct kname s;

	if (!k->bounds[b])
		k->bounds[b] = !knames_find(k->names, names[b], &s) && s.addr ? s.addr : 1;
	return k->bounds[b];
}

static bool between(struct ksyms *k, uint64_t addr, enum bound from, enum bound to)
{
	return bound(k, from) > 1 && addr >= bound(k, from) && addr < bound(k, to);
}

/* Does knames.h know the address? Only if it lies in the kernel's image; else it may be a module's or per-CPU. */
static bool ask_kernel(struct ksyms *k, const char *module, const char *name, struct ksym *out, int *err)
{
	struct kname s;

	if (!k->names || (*module && !ksyms_is_kernel(module)))
		return false;
	*err = knames_find(k->names, name, &s);
	if (*err == -ENOENT)
		return true;
	*out = (struct ksym){ .addr = s.addr, .room = s.size, .type = 'T' };
	if (*err || between(k, s.addr, STEXT, ETEXT))
		return !*err;
	if (!between(k, s.addr, SINIT, EINIT))
		out->type = 'D';
	return between(k, s.addr, STEXT, END); /* "_end" is there only with CONFIG_KALLSYMS_ALL */
}

int ksyms_find(struct ksyms *k, const char *module, const char *name, struct ksym *out)
{
	int err = 0;

	module = module ? module : "";
	if (ask_kernel(k, module, name, out, &err))
		return err;
	err = read_text(k);
	return err ? err : find_in_text(k, module, name, out);
}

/* Variables that scripts read and BTF lacks. Source: the declarations in Linux 6.1 to 6.18. */
static const struct {
	const char *name, *type;
} known[] = {
	{ "jiffies", "unsigned long" },
	{ "jiffies_64", "uint64_t" },
	{ "avenrun", "unsigned long [3]" },
	{ "total_forks", "unsigned long" },
	{ "nr_threads", "int" },
	{ "max_threads", "int" },
	{ "pid_max", "int" },
	{ "init_task", "struct task_struct" },
	{ "init_net", "struct net" },
	{ "init_pid_ns", "struct pid_namespace" },
	{ "init_uts_ns", "struct uts_namespace" },
	{ "init_user_ns", "struct user_namespace" },
	{ "init_cred", "struct cred" },
	{ "init_mm", "struct mm_struct" },
	{ "init_nsproxy", "struct nsproxy" },
	{ "init_css_set", "struct css_set" },
	{ "cad_pid", "struct pid *" },
	{ "linux_banner", "char [256]" },
	{ "linux_proc_banner", "char [64]" },
	{ "saved_command_line", "char *" },
	{ "boot_command_line", "char [2048]" },
	{ "system_state", "int" },
	{ "panic_timeout", "int" },
	{ "panic_on_oops", "int" },
	{ "panic_on_warn", "unsigned long" },
	{ "max_pfn", "unsigned long" },
	{ "min_low_pfn", "unsigned long" },
	{ "max_low_pfn", "unsigned long" },
	{ "_totalram_pages", "long" },
	{ "totalreserve_pages", "unsigned long" },
	{ "nr_cpu_ids", "unsigned int" },
	{ "__num_online_cpus", "int" },
	{ "loops_per_jiffy", "unsigned long" },
	{ "lpj_fine", "unsigned long" },
	{ "tsc_khz", "unsigned int" },
	{ "cpu_khz", "unsigned int" },
	{ "preset_lpj", "unsigned long" },
	{ "tick_nsec", "unsigned long" },
	{ "console_printk", "int [4]" },
	{ "printk_delay_msec", "int" },
	{ "vm_swappiness", "int" },
	{ "sysctl_overcommit_memory", "int" },
	{ "sysctl_overcommit_ratio", "int" },
	{ "sysctl_max_map_count", "int" },
	{ "min_free_kbytes", "int" },
	{ "sysctl_tcp_mem", "long [3]" },
	{ "sysctl_udp_mem", "long [3]" },
	{ "sysctl_wmem_max", "unsigned int" },
	{ "sysctl_rmem_max", "unsigned int" },
	{ "sysctl_wmem_default", "unsigned int" },
	{ "sysctl_rmem_default", "unsigned int" },
	{ "tcp_memory_allocated", "long" },
	{ "udp_memory_allocated", "long" },
	{ "tcp_prot", "struct proto" },
	{ "tcpv6_prot", "struct proto" },
	{ "udp_prot", "struct proto" },
	{ "udpv6_prot", "struct proto" },
	{ "tcp_hashinfo", "struct inet_hashinfo" },
	{ "netdev_max_backlog", "int" },
	{ "high_memory", "void *" },
	{ "swapper_pg_dir", "unsigned long [512]" },
	{ "boot_cpu_data", "struct cpuinfo_x86" },
	{ "page_offset_base", "unsigned long" },
	{ "vmalloc_base", "unsigned long" },
	{ "vmemmap_base", "unsigned long" },
	{ "root_task_group", "struct task_group" },
	{ "hz", "int" },
};

const char *ksyms_type(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name))
			return known[i].type;
	return NULL;
}
