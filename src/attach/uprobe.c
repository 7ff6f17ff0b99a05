/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobe: see uprobe.h. Since Linux 6.6 one link takes all places of a file; before that each place is
 * a perf event.
 * Input: a loaded program and its places. Output: descriptors.
 * Invariant: the list holds the descriptor of every attachment. */
#include "attach/uprobe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diag/report.h"

#define KERNEL_ENOTSUPP 524 /* the kernel's own number, which reaches us from uprobes */
#define LINK_MOST 100000u   /* places of one link */

/* The part of union bpf_attr that newer headers have. */
struct multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctrs, cookies;
	uint32_t cnt, multi_flags, pid, reserved;
};
#define MULTI_RETURN 1u

void uprobes_free(struct uprobe_links *links)
{
	free(links->files);
	links->files = NULL;
	links->nfiles = 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
/* The path leads to an open file (/proc/self/fd or map_files), so it works after the last name was removed. */
static bool is_gone(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_nlink == 0;
}

/* Without memory for it, a later replacement of the file goes unnoticed. */
static void keep_file(struct uprobe_links *links, const char *path)
{
	struct uprobe_file *v;

	for (size_t i = 0; i < links->nfiles; i++)
		if (!strcmp(links->files[i].path, path))
			return;
	v = realloc(links->files, (links->nfiles + 1) * sizeof(*v));
	if (!v)
		return;
	v[links->nfiles++] = (struct uprobe_file){ .path = path, .gone = is_gone(path) };
	links->files = v;
}

void uprobes_look(struct uprobe_links *links, const struct reporter *to)
{
	static const char deleted[] = " (deleted)"; /* the kernel puts it behind the name */
	char name[512];

	for (size_t i = 0; i < links->nfiles; i++) {
		struct uprobe_file *f = &links->files[i];
		ssize_t n;

		if (f->gone || !is_gone(f->path))
			continue;
		f->gone = true;
		n = readlink(f->path, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = 0;
		if (n >= (ssize_t)sizeof(deleted) && !strcmp(name + n - (sizeof(deleted) - 1), deleted))
			name[n - (ssize_t)(sizeof(deleted) - 1)] = 0;
		report_warning(to, D_NONE, NULL,
			"the file %s was replaced or deleted: processes that start with another from now on are not "
			"traced",
			name);
	}
}

/* ---- Linux 6.6 and later ----------------------------------------------------------------------------------------- */

/* n places of one file and process. The link's descriptor, or -errno. */
static int link_multi(int prog, const struct uplace *v, size_t n, bool returns)
{
	struct multi_attr attr;
	uint64_t *words = calloc(n, 3 * sizeof(*words));
	bool counted = false;
	long fd;

	if (!words)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		words[i] = v[i].off;
		words[n + i] = v[i].ref_ctr;
		words[2 * n + i] = v[i].cookie;
		counted = counted || v[i].ref_ctr;
	}
	memset(&attr, 0, sizeof(attr));
	attr.prog_fd = (uint32_t)prog;
	attr.attach_type = TRACE_UPROBE_MULTI;
	attr.path = (uintptr_t)v->path;
	attr.offsets = (uintptr_t)words;
	attr.ref_ctrs = counted ? (uintptr_t)(words + n) : 0;
	attr.cookies = (uintptr_t)(words + 2 * n);
	attr.cnt = (uint32_t)n;
	attr.multi_flags = returns ? MULTI_RETURN : 0;
	attr.pid = (uint32_t)v->pid;
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	if (fd < 0)
		fd = -errno;
	free(words);
	return (int)fd;
}

/* ---- before ------------------------------------------------------------------------------------------------------ */

/* One perf event at a place; ref_ctr is the semaphore of an USDT probe, which the kernel counts up while it is
 * traced. */
static int link_event(int prog, const struct uplace *u, bool returns)
{
	struct perf_event_attr attr;
	int type = links_sys_number("/sys/bus/event_source/devices/uprobe/type");
	int bit = links_sys_number("/sys/bus/event_source/devices/uprobe/format/retprobe");
	int shift = links_sys_number("/sys/bus/event_source/devices/uprobe/format/ref_ctr_offset");

	if (type < 0 || bit < 0 || bit > 63 || (u->ref_ctr && (shift < 0 || shift > 63)))
		return -ENOENT;
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = (uint32_t)type;
	attr.config = (returns ? 1ull << bit : 0) | (u->ref_ctr ? u->ref_ctr << shift : 0);
	attr.uprobe_path = (uintptr_t)u->path;
	attr.probe_offset = u->off;
	return links_perf_event(prog, &attr, u->pid ? u->pid : -1, u->cookie);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Is the error specific to this instruction? Else it concerns us or the whole process. */
static bool is_refusal(int err)
{
	return err == -EINVAL || err == -KERNEL_ENOTSUPP || err == -EOPNOTSUPP || err == -ENOEXEC || err == -EIO;
}

/* Attaches those of n places, all of one file and process, that can be probed. */
static int attach_places(
	const struct image_prog *p, int prog, const struct uplace *v, size_t n, struct uprobe_links *links)
{
	bool multi = p->expected_attach_type == TRACE_UPROBE_MULTI, returns = p->attach == ATTACH_URETPROBE;
	int fd = -EINVAL, err;

	if (n == 1 || multi)
		fd = multi ? link_multi(prog, v, n, returns) : link_event(prog, v, returns);
	if (fd >= 0)
		return links_keep(&links->fds, fd);
	if (!is_refusal(fd))
		return fd;
	if (n == 1) {
		if (!links->refused++) {
			links->first = v;
			links->error = fd;
		}
		return 0;
	}
	err = attach_places(p, prog, v, n / 2, links);
	return err ? err : attach_places(p, prog, v + n / 2, n - n / 2, links);
}

/* Why a place cannot be traced, for messages. */
static const char *reason(int err)
{
	if (is_refusal(err))
		return "the kernel cannot put a probe on its instruction";
	if (err == -ESRCH)
		return "the process has ended";
	return strerror(-err);
}

void uprobes_warn_refused(const struct uprobe_links *links, const struct reporter *to)
{
	if (links->refused)
		report_warning(to, D_NONE, NULL, "%zu place%s not traced; %s: %s", links->refused,
			links->refused == 1 ? " is" : "s are", links->first->shown, reason(links->error));
}

int uprobes_report(const struct uprobe_links *links, int err, struct features *f, const struct reporter *to)
{
	const struct uplace *u = links->failed;
	char text[320];

	if (err == -EMFILE)
		return report_error(to, err, D_NONE, NULL,
			"cannot attach to %zu places: each needs a file descriptor (on Linux before 6.6), and this "
			"process may not have so many (ulimit -n)",
			links->nfailed);
	if (is_refusal(err) || err == -ESRCH)
		return report_error(to, err, D_NONE, NULL, "cannot trace %s: %s", u->shown, reason(err));
	features_explain(f, err, text, sizeof(text));
	return report_error(to, err, D_NONE, NULL, "cannot trace %s: %s", u->shown, text);
}

/* The places from u on cannot be traced. Returns err. */
static int failed(struct uprobe_links *links, const struct image_prog *p, const struct uplace *u, int err)
{
	links->failed = u;
	links->nfailed = p->nplaces;
	return err;
}

int uprobes_attach(const struct image_prog *p, int prog, struct uprobe_links *links)
{
	size_t before = links->refused, end;

	for (size_t i = 0; i < p->nplaces; i = end) {
		const struct uplace *u = &p->places[i];
		int err;

		for (end = i + 1; end < p->nplaces && end - i < LINK_MOST && p->places[end].pid == u->pid &&
			strcmp(p->places[end].path, u->path) == 0;)
			end++;
		err = attach_places(p, prog, u, end - i, links);
		if (!err && !u->pid)
			keep_file(links, u->path);
		if (err)
			return failed(links, p, u, err);
	}
	if (p->nplaces && links->refused - before == p->nplaces)
		return failed(links, p, links->first, links->error);
	return 0;
}
