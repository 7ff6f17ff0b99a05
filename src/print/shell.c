/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell: see shell.h.
 * Invariant: a command starts with the signals of an ordinary process, whatever the session has blocked. */
#include "print/shell.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "print/print.h"
#include "print/style.h"

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

int shell_run(const char *command)
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
	while (waitpid(pid, NULL, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

void shell_control(struct out *o, const struct reporter *to, const struct action *a, const struct value *values)
{
	char *text;
	int err;

	if (a->kind == ACT_FTRUNCATE) {
		out_truncate(o);
		return;
	}
	text = text_of(a, values, o->options);
	(void)!out_flush(o); /* an error of the stream is seen at the end of the record */
	if (!text)
		err = -ENOMEM;
	else if (a->kind == ACT_SYSTEM)
		err = shell_run(text);
	else
		err = out_reopen(o, *text ? text : NULL);
	if (err)
		report_error(to, err, D_NONE, NULL, "cannot %s \"%s\": %s", a->kind == ACT_SYSTEM ? "run" : "open",
			text ? text : "", strerror(-err));
	free(text);
}
