/* ksyms: see ksyms.h. Input: /proc/kallsyms; output: address, kind and room of a symbol. Invariant: the text ends with
 * a newline and a NUL. */
#include "kernel/ksyms.h"
#include "kernel/readall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ksyms {
	char *text;
	size_t len;
};

int ksyms_open(struct ksyms **out)
{
	struct ksyms *k = calloc(1, sizeof(*k));
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), err = fd < 0 ? -errno : 0;

	*out = NULL;
	if (!k)
		err = -ENOMEM;
	if (!err)
		err = read_all(fd, (size_t)8 << 20, &k->text, &k->len);
	if (fd >= 0)
		close(fd);
	if (!err)
		memcpy(k->text + k->len, "\n", 2); /* the last line ends like the others */
	if (err)
		ksyms_close(k);
	else
		*out = k;
	return err;
}

void ksyms_close(struct ksyms *k)
{
	if (!k)
		return;
	free(k->text);
	free(k);
}

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

static bool has_module(const struct ksyms *k, const char *module)
{
	size_t n = strlen(module);

	for (const char *p = k->text; (p = strchr(p, '[')) != NULL; p++)
		if (!strncmp(p + 1, module, n) && p[n + 1] == ']')
			return true;
	return false;
}

int ksyms_find(const struct ksyms *k, const char *module, const char *name, struct ksym *out)
{
	bool any = !module || !*module, kernel = !any && ksyms_is_kernel(module);
	size_t n = strlen(name), m = any ? 0 : strlen(module);

	for (const char *p = k->text; (p = strstr(p, name)) != NULL; p += n) {
		const char *end = p + n;

		if (p - k->text < 3 || p[-1] != ' ' || p[-3] != ' ' || (*end != '\n' && *end != '\t'))
			continue;
		if (!any && kernel != (*end == '\n'))
			continue;
		if (!any && !kernel && (end[1] != '[' || strncmp(end + 2, module, m) != 0 || end[m + 2] != ']'))
			continue;
		parse_line(line_start(k, p), out);
		return 0;
	}
	return any || kernel || has_module(k, module) ? -ENOENT : -ENODEV;
}

/* Those that scripts read. Source: the declarations in Linux 6.1 to 6.18. */
const char *ksyms_type(const char *name)
{
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

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].name, name))
			return known[i].type;
	return NULL;
}
