/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell: see shell.h.
 * Input: an action and its values. Output: a process that has run, or another file behind the stream.
 * Invariant: a command starts with the signals of an ordinary process, whatever the session has blocked. */
#include "print/shell.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "print/patience.h"
#include "print/value/style.h"
#include "print/value/values.h"

/* The text that an action's format makes, as it is: nothing is escaped. The caller frees it. NULL: no memory. */
static char *text_of(const struct action *a, const struct value *values, const struct options *options)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct out *o = f ? out_new(f, &style_plain, options) : NULL;
	int err = o ? 0 : -ENOMEM;

	if (o) {
		print_format(o, a->fmt, values, a->nargs);
		err = out_flush(o);
	}
	out_free(o);
	if (f && fclose(f))
		err = -ENOMEM;
	if (err) {
		free(text);
		return NULL;
	}
	return text;
}

/* Waits for the shell. One that does not end by SIGTERM is left to itself. */
static int wait_for(pid_t pid, const int *stop)
{
	int fd = pidfd_open(pid, 0), err = 0, flags = 0;

	if (fd >= 0 && patience_wait(stop, fd, POLLIN, -1) == -EINTR) {
		err = -EINTR;
		kill(pid, SIGTERM);
		flags = patience_wait(NULL, fd, POLLIN, 200) ? 0 : WNOHANG;
	}
	if (fd >= 0)
		close(fd);
	while (waitpid(pid, NULL, flags) < 0)
		if (errno != EINTR)
			return -errno;
	return err;
}

/* Runs the command by the shell and waits for it. 0; -EINTR: the trace was asked to stop meanwhile, and the shell got
 * SIGTERM; or -errno if it could not be run. stop: print/patience.h. */
__attribute__((warn_unused_result)) static int shell_run(const char *command, const int *stop)
{
	char *const argv[] = { (char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command, NULL };
	posix_spawnattr_t attr;
	sigset_t none, all;
	pid_t pid;
	int err = posix_spawnattr_init(&attr);

	if (err)
		return -err;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	err = posix_spawn(&pid, "/bin/sh", NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	if (err)
		return -err;
	return wait_for(pid, stop);
}

/* Is the text harmless wherever a command or the name of a file has it? Within quotes and without, a shell takes these
 * characters for themselves; a "-" in front would be an option. A name of a file must not lead elsewhere. */
static bool is_harmless(enum action_kind kind, const char *s, size_t len)
{
	static const char marks[] = "_./:@%+=,-";

	if (kind == ACT_FREOPEN)
		return !memchr(s, '/', len) && !(len == 2 && !memcmp(s, "..", 2)) && !(len == 1 && *s == '.');
	for (size_t i = 0; i < len; i++)
		if (!isascii((unsigned char)s[i]) || (!isalnum((unsigned char)s[i]) && !strchr(marks, s[i])) || !s[i])
			return false;
	return len && *s != '-';
}

/* The first traced text that is not harmless; NULL: none. */
static const struct value *find_harm(const struct action *a, const struct value *values)
{
	for (size_t i = 0; i < a->nargs; i++) {
		const struct value *v = &values[i];
		size_t len = v->kind == VALUE_BYTES ? strnlen(v->s, v->len) : v->len;

		if (v->kind == VALUE_STACK ||
			((v->kind == VALUE_TEXT || v->kind == VALUE_BYTES) && !v->trusted &&
				!is_harmless(a->kind, v->s, len)))
			return v;
	}
	return NULL;
}

/* Reports the refusal with the traced text, cut to 256 bytes; it is escaped when shown. */
static void refuse(const struct reporter *to, const struct action *a, const struct value *v)
{
	size_t len = v->kind == VALUE_STACK ? 0 : strnlen(v->s, v->len);

	report_error(to, -EPERM, D_NONE,
		a->kind == ACT_SYSTEM ? "-x rawshell allows it: then a traced process may choose what is run"
				      : "-x rawshell allows it: then a traced process may choose which file is written",
		a->kind == ACT_SYSTEM
			? "did not run a command: \"%.*s\", which was traced, is no plain word for a shell"
			: "did not open a file: \"%.*s\", which was traced, is no plain name of a file",
		(int)(len < 256 ? len : 256), v->s);
}

/* The stream is flushed before a command runs, so that its output comes behind what the script printed. */
void shell_control(struct out *o, const struct reporter *to, const struct action *a, const struct value *values)
{
	const struct value *harm;
	char *text;
	int err;

	if (a->kind == ACT_FTRUNCATE) {
		out_truncate(o);
		return;
	}
	harm = o->options->rawshell ? NULL : find_harm(a, values);
	if (harm) {
		(void)!out_flush(o); /* both streams may be one terminal: keep the order */
		refuse(to, a, harm);
		return;
	}
	text = text_of(a, values, o->options);
	(void)!out_flush(o); /* an error of the stream is seen at the end of the record */
	if (!text)
		err = -ENOMEM;
	else if (a->kind == ACT_SYSTEM)
		err = shell_run(text, o->stop);
	else
		err = out_reopen(o, *text ? text : NULL);
	if (err == -EINTR)
		report_note(to, "the trace ends: \"%s\" was given up", text);
	else if (err)
		report_error(to, err, D_NONE, NULL, "cannot %s \"%s\": %s", a->kind == ACT_SYSTEM ? "run" : "open",
			text ? text : "", strerror(-err));
	free(text);
}
