/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preproc: see preproc.h.
 * Input: scripts, and the options cpppath, cppargs, cpphdrs, stdc. Output: preprocessed scripts.
 * Invariant: the child is always waited for; nothing is written to disk. */
#include "compile/preproc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "compile/headers.h"

#define OUTPUT_MAX (32u << 20)

extern char **environ;

/* ---- the command ------------------------------------------------------------------------------------------------- */
typedef VEC(char *) arg_list;

static void add_arg(struct compilation *c, arg_list *args, const char *s)
{
	*vec_push(c->arena, args) = s ? arena_strdup(c->arena, s) : NULL;
}

/* -X: the value of __STDC__, as the Solaris compilers define it. */
static void add_stdc(struct compilation *c, arg_list *args)
{
	if (!c->opts->stdc_given || c->opts->stdc == 'c')
		return;
	add_arg(c, args, "-w"); /* that __STDC__ is built in */
	add_arg(c, args, "-U__STDC__");
	if (c->opts->stdc != 's')
		add_arg(c, args, "-D__STDC__=0");
}

static char **make_args(struct compilation *c, const char *script)
{
	/* Words that are macros of GNU C without underscores may be names in D. */
	static const char *const fixed[] = { "-Uunix", "-Ulinux", "-Ui386", "-D__SUNW_D=1", "-D__SUNW_D_64=1",
		"-D__SUNW_D_VERSION=0x02000000" };
	const char *slash = strrchr(script, '/');
	arg_list args = { 0 };

	add_arg(c, &args, c->opts->cpppath ? c->opts->cpppath : "cpp");
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		add_arg(c, &args, fixed[i]);
	add_stdc(c, &args);
	if (c->opts->cpphdrs)
		add_arg(c, &args, "-H");
	/* cpp reads the text from its standard input, so the script's own folder must be named for #include "x.h". */
	if (slash) {
		add_arg(c, &args, "-iquote");
		add_arg(c, &args, arena_strndup(c->arena, script, (size_t)(slash - script)));
	}
	for (size_t i = 0; i < c->opts->cppargs.n; i++)
		add_arg(c, &args, c->opts->cppargs.v[i]);
	add_arg(c, &args, "-");
	add_arg(c, &args, NULL);
	return args.v;
}

/* ---- its input and output ---------------------------------------------------------------------------------------- */
struct pipes {
	int in[2], out[2]; /* -1: closed */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int start(char **args, struct pipes *p, pid_t *pid)
{
	posix_spawn_file_actions_t acts;
	int r;

	/* A socket, not a pipe: if cpp exits before it has read everything, the write must fail without a SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->in) || pipe2(p->out, O_CLOEXEC))
		return -errno;
	r = posix_spawn_file_actions_init(&acts);
	if (r)
		return -r;
	r = posix_spawn_file_actions_adddup2(&acts, p->in[0], STDIN_FILENO);
	if (!r)
		r = posix_spawn_file_actions_adddup2(&acts, p->out[1], STDOUT_FILENO);
	if (!r)
		r = posix_spawnp(pid, args[0], &acts, NULL, args, environ);
	posix_spawn_file_actions_destroy(&acts);
	close_fd(&p->in[0]);
	close_fd(&p->out[1]);
	return -r;
}

/* Writes the input and reads the output at the same time; otherwise both processes could block on full buffers. */
static int pump(struct pipes *p, const char *text, size_t len, FILE *mem)
{
	struct pollfd fds[2];
	char buf[65536];
	size_t total = 0;
	ssize_t n;

	while (p->out[0] >= 0) {
		fds[0] = (struct pollfd){ .fd = p->in[1], .events = POLLOUT };
		fds[1] = (struct pollfd){ .fd = p->out[0], .events = POLLIN };
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents) {
			n = len ? send(p->in[1], text, len, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
			if (n > 0) {
				text += n;
				len -= (size_t)n;
			}
			if ((n < 0 && errno != EAGAIN) || !len)
				close_fd(&p->in[1]); /* all is written, or nobody reads any more */
		}
		if (fds[1].revents) {
			n = read(p->out[0], buf, sizeof(buf));
			if (n <= 0)
				close_fd(&p->out[0]);
			else
				fwrite(buf, 1, (size_t)n, mem);
			total += n > 0 ? (size_t)n : 0;
			if (total > OUTPUT_MAX)
				return -EFBIG;
		}
	}
	return 0;
}

/* Runs it. *status: as waitpid() has it. */
static int filter(char **args, const char *text, size_t len, FILE *mem, int *status)
{
	struct pipes p = { { -1, -1 }, { -1, -1 } };
	pid_t pid = -1;
	int r;

	r = start(args, &p, &pid);
	if (!r)
		r = pump(&p, text, len, mem);
	for (int i = 0; i < 2; i++) {
		close_fd(&p.in[i]);
		close_fd(&p.out[i]);
	}
	while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return r;
}

/* ---- one script -------------------------------------------------------------------------------------------------- */
/* A mark with the script's name, then its text; a #! line means nothing to cpp. */
static const char *marked(struct compilation *c, const struct source *src)
{
	const char *name = "";

	for (const char *s = src->name; *s; s++)
		name = arena_printf(c->arena, "%s%s%c", name, *s == '"' || *s == '\\' ? "\\" : "", *s);
	return arena_printf(c->arena, "# 1 \"%s\"\n%s%s", name, strncmp(src->text, "#!", 2) ? "" : "//", src->text);
}

static int preproc_source(struct compilation *c, struct source *src)
{
	char **args = make_args(c, src->name), *out = NULL;
	const char *text = marked(c, src);
	size_t len = 0;
	FILE *mem = open_memstream(&out, &len);
	int status = 0, r = mem ? 0 : -ENOMEM;

	if (!r)
		r = filter(args, text, strlen(text), mem, &status);
	if (mem && fclose(mem) && !r)
		r = -ENOMEM;
	if (r)
		report_error(diags_reporter(c->diags), r, D_NONE, NULL, "failed to run the preprocessor %s: %s%s",
			args[0], strerror(-r), r == -ENOENT ? "; install it, or name another with -x cpppath" : "");
	else if (status)
		r = report_error(diags_reporter(c->diags), -EINVAL, D_NONE, NULL,
			"failed to compile script %s: Preprocessor failed to process input program", src->name);
	else {
		char *copy = arena_try(c->arena, len + 1);

		headers_reduce(out, len);
		if (copy) {
			memcpy(copy, out, len);
			src->text = copy;
			src->len = len;
		} else {
			r = report_no_memory(diags_reporter(c->diags), "keep what the preprocessor made");
		}
	}
	free(out);
	return r;
}

int preproc_texts(struct compilation *c)
{
	int r = 0;

	for (size_t i = 0; !r && c->opts->cpp && i < c->texts.n; i++)
		if (c->texts.v[i].kind == TEXT_SCRIPT)
			r = preproc_source(c, &c->texts.v[i].src);
	return r;
}
