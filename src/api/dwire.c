/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script: the library's front, api/dwire.h: options, texts and processes in; a compilation, a list or a session out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/dwire_priv.h"
#include "base/diag_text.h"
#include "base/report.h"
#include "compile/library.h"
#include "compile/preproc.h"
#include "namespaces/pidns.h"
#include "session/session.h"

_Static_assert((int)TEXT_SCRIPT == DWIRE_SCRIPT && (int)TEXT_ID == DWIRE_ID, "kinds of texts");
_Static_assert((int)STAGE_TOKENS == DWIRE_DUMP_TOKENS && (int)STAGE_BPF == DWIRE_DUMP_BPF, "stages");

/* ---- what the compiler asks -------------------------------------------------------------------------------------- */
/* A process of ours, as programs see it. */
static int64_t as_seen(struct dwire *d, struct seen_pid *p, pid_t pid, bool in_probe)
{
	if (in_probe || !d->kernel || !pid || !pidns_inner())
		return pid;
	if (p->pid != pid)
		*p = (struct seen_pid){ .pid = pid, .outer = pidns_outer(pid) };
	return p->outer ? p->outer : pid;
}

static int64_t macro_number(void *ctx, const char *name, bool in_probe, bool *known)
{
	struct dwire *d = ctx;

	*known = true;
	if (!strcmp(name, "target"))
		return as_seen(d, &d->seen_target, d->target, in_probe);
	if (!strcmp(name, "pid"))
		return as_seen(d, &d->seen_self, getpid(), in_probe);
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
	/* Projects and tasks are Solaris's own, and all of a machine is one zone here: the first of each. */
	*known = !strcmp(name, "projid") || !strcmp(name, "taskid") || !strcmp(name, "zoneid");
	return 0;
}

/* Of the coarse clock's resolution: it advances once a jiffy. */
static long jiffies_rate(void)
{
	struct timespec res = { 0, 0 };

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &res) || res.tv_nsec <= 0)
		return 250;
	return (1000000000 + res.tv_nsec / 2) / res.tv_nsec;
}

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
int dwire_new(struct dwire **out)
{
	struct arena *a = arena_new();
	struct dwire *d;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	d = ARENA_NEW(a, struct dwire);
	d->arena = a;
	d->features = features_new();
	if (!d->features) {
		arena_free(a);
		return -ENOMEM;
	}
	options_init(&d->opts);
	d->c.arena = a;
	d->c.diags = diags_new(a);
	d->c.opts = &d->opts;
	d->c.macros.number = macro_number;
	d->c.macros.ctx = d;
	d->c.hz = jiffies_rate();
	d->c.has_module = has_module;
	*out = d;
	return 0;
}

void dwire_free(struct dwire *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nchildren; i++)
		child_free(d->children[i]);
	kernel_env_close(d->kernel);
	features_free(d->features);
	arena_free(d->arena);
}

int dwire_set(struct dwire *d, int letter, const char *option, FILE *err)
{
	const char *name, *value, *hint;
	int r;

	option_split(d->arena, option, &name, &value);
	r = option_set(&d->opts, d->arena, OPTION_COMMAND, name, value, &hint);
	if (r == -ENOENT && hint)
		hint = arena_printf(d->arena, "did you mean %s?", hint);
	if (r && letter == 'x')
		fprintf(err, "dwire: failed to set -x %s%s%s: %s\n", name, value ? "=" : "", value ? value : "",
			option_error(r));
	else if (r)
		fprintf(err, "dwire: failed to set -%c %s: %s\n", letter, value ? value : "", option_error(r));
	if (r && hint)
		fprintf(err, "    hint: %s\n", hint);
	return r;
}

void dwire_disassemble(struct dwire *d, FILE *out)
{
	d->c.disasm = out;
}

bool dwire_quiet(const struct dwire *d)
{
	return d->opts.quiet;
}

bool dwire_destructive(const struct dwire *d)
{
	return d->opts.destructive;
}

void dwire_args(struct dwire *d, int argc, const char *const *argv)
{
	d->c.macros.argc = argc;
	d->c.macros.argv = argv;
}

void dwire_add(struct dwire *d, enum dwire_kind kind, const char *name, const char *text, size_t len)
{
	compile_add(&d->c, (enum text_kind)kind, name, text, len);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */
static int add_child(struct dwire *d, struct child *c)
{
	d->children[d->nchildren++] = c;
	if (!d->target)
		d->target = child_pid(c);
	return 0;
}

static int too_many(FILE *err)
{
	fprintf(err, "dwire: more than %d processes given with -c and -p\n", MAX_CHILDREN);
	return -E2BIG;
}

int dwire_command(struct dwire *d, const char *command, FILE *err)
{
	const struct reporter to = { diag_write, err };
	struct child *c;
	int r;

	if (d->nchildren == MAX_CHILDREN)
		return too_many(err);
	r = child_start(command, &c, &to);
	return r ? r : add_child(d, c);
}

int dwire_grab(struct dwire *d, pid_t pid, FILE *err)
{
	const struct reporter to = { diag_write, err };
	struct child *c;
	int r;

	if (d->nchildren == MAX_CHILDREN)
		return too_many(err);
	r = child_grab(pid, &c, &to);
	return r ? r : add_child(d, c);
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */
int dwire_require(struct dwire *d, FILE *err)
{
	const struct reporter to = { diag_write, err };

	return features_require(d->features, &to);
}

/* A process of ours that probes are wanted in has to have its libraries. */
static int make_ready(void *ctx, pid_t pid, const struct reporter *to)
{
	struct dwire *d = ctx;

	for (size_t i = 0; i < d->nchildren; i++)
		if (child_pid(d->children[i]) == pid)
			return child_ready(d->children[i], to);
	return 0;
}

int dwire_open_kernel(struct dwire *d)
{
	const struct kernel_env_opts o = {
		.arena = d->arena, .options = &d->opts, .features = d->features, .ready = make_ready, .ctx = d
	};
	int r = kernel_env_open(&o, &d->kernel);

	if (!r)
		kernel_env_give(d->kernel, &d->c);
	return r;
}

int dwire_prepare(struct dwire *d, FILE *err)
{
	int r = preproc_texts(&d->c, err);

	return r ? r : library_load(&d->c, err);
}

int dwire_compile(struct dwire *d, enum dwire_dump dump, FILE *out, FILE *err)
{
	bool needs_kernel = dump != DWIRE_DUMP_TOKENS && dump != DWIRE_DUMP_AST;
	int r = needs_kernel ? dwire_open_kernel(d) : 0;

	if (r)
		fprintf(err, "dwire: cannot read the kernel's types (/sys/kernel/btf/vmlinux): %s\n", strerror(-r));
	d->c.tree = err;
	if (!r)
		r = dwire_prepare(d, err);
	if (!r)
		r = compile_run(&d->c, (enum stage)dump, out);
	diags_print(d->c.diags, err);
	return r;
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

/* ---- running ----------------------------------------------------------------------------------------------------- */
static void warn_pids(const struct dwire *d, FILE *err)
{
	const struct seen_pid *p = d->seen_target.pid ? &d->seen_target : &d->seen_self;

	if (p->pid && !p->outer)
		fprintf(err,
			"dwire: warning: in a pid namespace: $%s is its number here, and probes see another, which "
			"was not found; run outside of the container\n",
			p == &d->seen_self ? "pid" : "target");
}

int dwire_run(struct dwire *d, FILE *out, FILE *err, int *status)
{
	const struct reporter to = { diag_write, err };
	struct session_options so = {
		.features = d->features,
		.out = out,
		.err = err,
		.to = &to,
		.options = &d->opts,
		.children = d->children,
		.nchildren = d->nchildren,
	};
	struct session *s;
	int r, e;

	if (!d->c.image.progs.n && !d->c.image.idle && !d->opts.zdefs) {
		fprintf(err, "dwire: nothing to trace: no probe is enabled\n");
		return -ENOENT;
	}
	if (d->c.image.destructive && !d->opts.destructive) {
		fprintf(err, "dwire: could not enable tracing: Destructive actions not allowed\n");
		return -EACCES;
	}
	(void)as_seen(d, &d->seen_target, d->target, false);
	warn_pids(d, err);
	so.outer = d->seen_target.outer;
	so.inner = d->seen_target.pid;
	s = session_new(&d->c.image, &so);
	if (!s) {
		fprintf(err, "dwire: no memory\n");
		return -ENOMEM;
	}
	r = session_arm(s);
	if (r)
		goto out;
	r = session_loop(s);
	e = session_end(s);
	r = r ? r : e;
	*status = session_status(s);
out:
	session_free(s);
	return r;
}
