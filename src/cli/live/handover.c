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

#define LIVE_ARGS 128 /* words of a command whose stream is shown */

/* Options that ask for something else than a screen. */
static const char *const others[] = { "tool_batch", "noclear", "count", "tool_for", "tool_command", "tool_json",
	"tool_csv", "option.csvsafe", "tool_emit", "tool_program", "tool_write", "option.cost", "picture.heat",
	"picture.flame", "picture.graph" };

bool live_has_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

bool tool_hands_over(struct tool *t)
{
	if (!tool_param(t, "tool_batch") || !live_has_terminal())
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct param *p = tool_param(t, others[i]);

		if (p && p->given)
			return false;
	}
	return true;
}

bool live_self(char *self)
{
	const ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);

	self[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The path of dwire-live beside this program. False: there is none. */
static bool find_live(char *live)
{
	static const char *const places[] = { "dwire-live", "../bin/dwire-live" };
	char self[PATH_MAX];
	const char *slash = live_self(self) ? strrchr(self, '/') : NULL;

	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		int len = snprintf(live, PATH_MAX, "%.*s/%s", (int)(slash - self), self, places[i]);

		if (len < PATH_MAX && !access(live, X_OK))
			return true;
	}
	return false;
}

void live_start(const char *title, const char *self, const char *const *command)
{
	const char *args[LIVE_ARGS + 8];
	char live[PATH_MAX];
	size_t n = 0;

	if (!find_live(live))
		return;
	args[n++] = "dwire-live";
	args[n++] = "--title";
	args[n++] = title;
	if (self) {
		args[n++] = "--dwire";
		args[n++] = self;
	}
	args[n++] = "--";
	while (*command && n < LIVE_ARGS + 7)
		args[n++] = *command++;
	args[n] = NULL;
	if (!*command)
		execv(live, (char *const *)(uintptr_t)args);
}

size_t tool_live_args(struct tool *t, int argc, char **argv, struct live_args *out)
{
	size_t n = 0;

	if (argc + 2 > LIVE_TOOL_ARGS)
		return 0;
	out->v[n++] = argv[0];
	out->v[n++] = "--json";
	if (t->interval) {
		const struct param *interval = tool_param(t, "interval");

		snprintf(out->every, sizeof(out->every), "--interval=%s",
			tool_ms(t, "interval") > 0 ? interval->value : "1");
		out->v[n++] = out->every;
	}
	for (int i = 1; i < argc; i++)
		if (i != t->interval_at)
			out->v[n++] = argv[i];
	out->v[n] = NULL;
	return n;
}

void tool_hand_over(struct tool *t, int argc, char **argv)
{
	struct live_args own;
	const size_t n = tool_live_args(t, argc, argv, &own);
	const char *args[LIVE_TOOL_ARGS + 4];
	char self[PATH_MAX];

	if (!n || !live_self(self))
		return;
	args[0] = self;
	args[1] = own.v[0];
	args[2] = "--emit";
	memcpy(&args[3], &own.v[1], n * sizeof(args[0])); /* with the NULL */
	live_start(t->name, self, args);
}
