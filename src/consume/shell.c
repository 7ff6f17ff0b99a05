/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell: commands that a script runs.
 * Input: a format and a record. Output: a process, waited for.
 * Invariant: the command starts with the signals of an ordinary process, whatever the session has blocked. */
#include "consume/shell.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

char *shell_text(const struct decoder *dec, const struct action *a, const uint8_t *rec, size_t len)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	struct out *o = f ? out_new(f) : NULL;
	int err = o ? 0 : -ENOMEM;

	if (o) {
		o->plain = true;
		print_format(o, dec, a->fmt, a->args, a->nargs, rec, len);
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
