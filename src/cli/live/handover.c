/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handover: see handover.h. Input: a tool's checked arguments. Output: the command line of dwire-live.
 * Invariant: arguments are passed on as they are, but for the interval, which becomes --interval=N: dwire-live changes
 * that number. */
#include "cli/live/handover.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGS_MAX 120

/* Options that ask for something else than a screen. */
static const char *const others[] = { "tool_batch", "noclear", "count", "tool_for", "tool_command", "tool_json",
	"tool_csv", "option.csvsafe", "tool_emit", "tool_program", "tool_write", "option.cost" };

bool tool_hands_over(struct tool *t)
{
	const char *term = getenv("TERM");

	if (!tool_param(t, "tool_batch") || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term ||
		!strcmp(term, "dumb"))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct param *p = tool_param(t, others[i]);

		if (p && p->given)
			return false;
	}
	return true;
}

/* This program's path, and the one of dwire-live beside it. False: there is none. */
static bool find_live(char *self, char *live)
{
	static const char *const places[] = { "dwire-live", "../bin/dwire-live" };
	ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return false;
	self[n] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		int len = snprintf(live, PATH_MAX, "%.*s/%s", (int)(slash - self), self, places[i]);

		if (len < PATH_MAX && !access(live, X_OK))
			return true;
	}
	return false;
}

void tool_hand_over(struct tool *t, int argc, char **argv)
{
	const struct param *interval = tool_param(t, "interval");
	char self[PATH_MAX], live[PATH_MAX], every[300];
	const char *args[ARGS_MAX + 16];
	size_t n = 0;

	if (argc > ARGS_MAX || !find_live(self, live))
		return;
	args[n++] = "dwire-live";
	args[n++] = "--title";
	args[n++] = t->name;
	args[n++] = "--dwire";
	args[n++] = self;
	args[n++] = self;
	args[n++] = argv[0];
	args[n++] = "--json";
	args[n++] = "--emit";
	if (t->interval) {
		snprintf(every, sizeof(every), "--interval=%s", tool_ms(t, "interval") > 0 ? interval->value : "1");
		args[n++] = every;
	}
	for (int i = 1; i < argc; i++)
		if (i != t->interval_at)
			args[n++] = argv[i];
	args[n] = NULL;
	execv(live, (char *const *)(uintptr_t)args);
}
