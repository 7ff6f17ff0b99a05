/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwire: the handle. Input: options, texts and processes. Output: a compilation, or a dump of a stage.
 * Invariant: errors are reported before they are returned, except that dwire_new() has no one to report to yet. */
#include "api/dwire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "api/dwire_priv.h"
#include "compile/library.h"
#include "compile/preproc.h"
#include "namespaces/pidns.h"

_Static_assert((int)TEXT_SCRIPT == DWIRE_SCRIPT && (int)TEXT_ID == DWIRE_ID, "kinds of texts");
_Static_assert((int)STAGE_TOKENS == DWIRE_STAGE_TOKENS && (int)STAGE_BPF == DWIRE_STAGE_BPF, "stages");

const char *dwire_version(void)
{
	return DWIRE_VERSION;
}

/* ---- what the compiler asks -------------------------------------------------------------------------------------- */
/* In a probe's description pid123 names a process by our number, since /proc is ours. In an expression $target is
 * compared with what the kernel reports, so it becomes the outer number. Searching that is slow: p caches it. */
int64_t dwire_seen_as(struct dwire *d, struct seen_pid *p, pid_t pid, bool in_probe)
{
	if (in_probe || !d->kernel || !pid || !pidns_inner())
		return pid;
	if (p->pid != pid)
		*p = (struct seen_pid){ .pid = pid, .outer = pidns_outer(pid) };
	return p->outer ? p->outer : pid;
}

/* The integer macro variables of D ($pid, $target, $uid, ...). *known: false if D has no such name. */
static int64_t macro_number(void *ctx, const char *name, bool in_probe, bool *known)
{
	struct dwire *d = ctx;

	*known = true;
	if (!strcmp(name, "target"))
		return dwire_seen_as(d, &d->seen_target, d->target, in_probe);
	if (!strcmp(name, "pid"))
		return dwire_seen_as(d, &d->seen_self, getpid(), in_probe);
	if (!strcmp(name, "ppid"))
		return getppid();
	if (!strcmp(name, "uid") || !strcmp(name, "ruid"))
		return getuid();
	if (!strcmp(name, "euid"))
		return geteuid();
	if (!strcmp(name, "gid") || !strcmp(name, "rgid"))
		return getgid();
	if (!strcmp(name, "egid"))
		return getegid();
	if (!strcmp(name, "pgid"))
		return getpgrp();
	if (!strcmp(name, "sid"))
		return getsid(0);
	/* Linux has no projects and tasks, and all of a machine is one zone here: the first of each. */
	*known = !strcmp(name, "projid") || !strcmp(name, "taskid") || !strcmp(name, "zoneid");
	return 0;
}

/* The coarse clock advances once a jiffy: its resolution gives their rate. */
static long jiffies_rate(void)
{
	struct timespec res = { 0, 0 };

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &res) || res.tv_nsec <= 0)
		return 250;
	return (1000000000 + res.tv_nsec / 2) / res.tv_nsec;
}

/* For depends_on module. Modules that are built in have a folder in /sys/module only if they have parameters or a
 * version. */
static bool has_module(void *ctx, const char *name)
{
	char path[128];

	(void)ctx;
	if (!strcmp(name, "vmlinux") || !strcmp(name, "kernel"))
		return true;
	return !strchr(name, '/') && snprintf(path, sizeof(path), "/sys/module/%s", name) < (int)sizeof(path) &&
		access(path, F_OK) == 0;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
/* The parts that can fail. After an error dwire_free() frees the rest. */
static int make_parts(struct dwire *d)
{
	d->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->stop < 0)
		return -errno;
	dwire_make_reporter(d);
	d->features = features_new();
	return d->features ? 0 : -ENOMEM;
}

int dwire_new(struct dwire **out)
{
	struct arena *a = arena_new();
	struct dwire *d;
	int r;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	d = ARENA_NEW(a, struct dwire);
	d->arena = a;
	options_init(&d->opts);
	d->c.arena = a;
	d->c.diags = diags_new(a);
	d->c.opts = &d->opts;
	d->c.macros.number = macro_number;
	d->c.macros.ctx = d;
	d->c.hz = jiffies_rate();
	d->c.has_module = has_module;
	r = make_parts(d);
	if (r)
		dwire_free(d);
	else
		*out = d;
	return r;
}

/* The session goes first: it borrows nearly all that follows. The arena holds the handle itself, so it goes last. */
void dwire_free(struct dwire *d)
{
	if (!d)
		return;
	dwire_merge_close(d);
	session_free(d->session);
	sink_free(d->sink);
	(void)dwire_record_end(d);
	for (size_t i = 0; i < d->nchildren; i++)
		child_free(d->children[i]);
	kernel_env_close(d->kernel);
	features_free(d->features);
	if (d->stop >= 0)
		close(d->stop);
	arena_free(d->arena);
}

/* ---- the program ------------------------------------------------------------------------------------------------- */
int dwire_set(struct dwire *d, const char *option, const char *shown)
{
	const char *name, *value, *hint;
	int r;

	option_split(d->arena, option, &name, &value);
	r = option_set(&d->opts, d->arena, OPTION_COMMAND, name, value, &hint);
	if (arena_failed(d->arena))
		return report_no_memory(&d->report, "set an option");
	if (!r)
		return 0;
	if (r == -ENOENT && hint)
		hint = arena_printf(d->arena, "did you mean %s?", hint);
	if (!shown)
		shown = arena_printf(d->arena, "%s%s%s", name, value ? "=" : "", value ? value : "");
	return report_error(&d->report, r, D_NONE, hint, "failed to set %s: %s", shown, option_error(r));
}

const char *dwire_option_name(size_t i)
{
	return option_name(i);
}

bool dwire_is_set(const struct dwire *d, const char *option)
{
	return option_is_set(&d->opts, option);
}

/* compile_add() copies; what it could not copy shows in the arena. */
int dwire_add(struct dwire *d, enum dwire_kind kind, const char *name, const char *text, size_t len)
{
	compile_add(&d->c, (enum text_kind)kind, name, text, len);
	return arena_failed(d->arena) ? report_no_memory(&d->report, "add a program") : 0;
}

void dwire_args(struct dwire *d, int argc, const char *const *argv)
{
	d->c.macros.argc = argc;
	d->c.macros.argv = argv;
}

/* ---- processes --------------------------------------------------------------------------------------------------- */
/* The first process becomes $target. */
static int add_child(struct dwire *d, struct child *c)
{
	d->children[d->nchildren++] = c;
	if (!d->target)
		d->target = child_pid(c);
	return 0;
}

/* The limit is that of the array in struct dwire. */
static int too_many(const struct dwire *d)
{
	return report_error(
		&d->report, -E2BIG, D_NONE, NULL, "more than %d processes given with -c and -p", MAX_CHILDREN);
}

int dwire_command(struct dwire *d, const char *command)
{
	struct child *c = NULL;
	int r = d->nchildren == MAX_CHILDREN ? too_many(d) : child_start(command, &c, &d->report);

	return r ? r : add_child(d, c);
}

int dwire_command_status(const struct dwire *d, size_t index)
{
	return index < d->nchildren ? child_status(d->children[index]) : -1;
}

int dwire_grab(struct dwire *d, pid_t pid)
{
	struct child *c = NULL;
	int r = d->nchildren == MAX_CHILDREN ? too_many(d) : child_grab(pid, &c, &d->report);

	return r ? r : add_child(d, c);
}

/* A process of ours that probes are wanted in has to have its libraries. */
static int make_ready(void *ctx, pid_t pid, const struct reporter *to)
{
	struct dwire *d = ctx;

	for (size_t i = 0; i < d->nchildren; i++)
		if (child_pid(d->children[i]) == pid)
			return child_ready(
				d->children[i], d->opts.evaltime == EVAL_EXEC ? EVAL_PREINIT : d->opts.evaltime, to);
	return 0;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */
int dwire_made_of(struct dwire *d, const char *text, size_t len)
{
	char *copy = arena_try(d->arena, len + 1);

	if (!copy)
		return report_no_memory(&d->report, "keep the script");
	d->made_of = memcpy(copy, text, len);
	d->made_of_len = len;
	return 0;
}

int dwire_require(struct dwire *d)
{
	d->required = true;
	return features_require(d->features, &d->report);
}

/* make_ready() runs later, when a description first looks into a process. */
int dwire_open_kernel(struct dwire *d)
{
	const struct kernel_env_opts o = { .arena = d->arena,
		.options = &d->opts,
		.features = d->features,
		.to = &d->report,
		.ready = make_ready,
		.ctx = d,
		.ahead = d->required };
	int r = kernel_env_open(&o, &d->kernel);

	if (!r)
		kernel_env_give(d->kernel, &d->c);
	return r;
}

/* The preprocessor runs first: what it includes may hold the #pragma lines that libraries depend on. */
int dwire_prepare(struct dwire *d)
{
	int r = preproc_texts(&d->c);

	return r ? r : library_load(&d->c);
}

/* Without types of the kernel (-ENOENT: no CONFIG_DEBUG_INFO_BTF) no stage beyond the tree is possible. */
int dwire_dump(struct dwire *d, enum dwire_stage stage, FILE *out)
{
	bool needs_kernel = stage != DWIRE_STAGE_TOKENS && stage != DWIRE_STAGE_AST;
	int r = needs_kernel ? dwire_open_kernel(d) : 0;

	if (r)
		report_error(&d->report, r, D_NONE, NULL,
			"cannot read the kernel's types (/sys/kernel/btf/vmlinux): %s", strerror(-r));
	if (!r)
		r = dwire_prepare(d);
	if (out)
		d->c.lenv.secret = 0; /* a dump of the same script is the same */
	if (!r)
		r = compile_run(&d->c, (enum stage)stage, out);
	dwire_report_diags(d);
	return r;
}

/* A dump of nothing: the same stages, without output. */
int dwire_compile(struct dwire *d)
{
	int r;

	report_progress(&d->report, "compiling", 0, 0);
	r = dwire_dump(d, DWIRE_STAGE_ALL, NULL);
	report_progress(&d->report, NULL, 0, 0);
	return r;
}

void dwire_listing(struct dwire *d, bool instructions, FILE *out)
{
	d->c.tree = out;
	d->c.disasm = instructions ? out : NULL;
}

bool dwire_matched(const struct dwire *d, size_t i, enum dwire_kind *kind, const char **text, size_t *probes)
{
	if (i >= d->c.texts.n)
		return false;
	*kind = (enum dwire_kind)d->c.texts.v[i].kind;
	*text = d->c.texts.v[i].shown;
	*probes = d->c.texts.v[i].matched;
	return true;
}
