/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tool: see tool.h.
 * Input: argv. Output: the tool's rows, and an exit status (0, 1: an error, 2: wrong use; else that of --command).
 * Invariant: head, arguments and notes are checked before anything is compiled or attached. */
#include "cli/tool/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/dwire.h"
#include "cli/input.h"
#include "cli/live/handover.h"
#include "cli/tool/args.h"
#include "cli/tool/note.h"
#include "cli/tool/program/program.h"
#include "cli/trace.h"

#define MILLION 1000000L

/* Sets an option to a number, unless it is 0. */
static int set_number(struct dwire *d, const char *name, long n, const char *shown)
{
	char text[64];

	snprintf(text, sizeof(text), "%s=%ld", name, n);
	return n ? dwire_set(d, text, shown) : 0;
}

/* -w and its kin as options. The name of the file never becomes D. */
static int set_capture(struct dwire *d, struct tool *t)
{
	char text[sizeof(t->params[0].value) + 16];

	if (!t->capture)
		return 0;
	snprintf(text, sizeof(text), "capture=%s", t->capture);
	return dwire_set(d, text, "-w") || dwire_set(d, "pcapsize=0", "-s") ||
			set_number(d, "pcapsize", tool_number(t, "tool_snap"), "-s") ||
			set_number(d, "capturesize", tool_number(t, "tool_mb") * MILLION, "-C") ||
			set_number(d, "capturesecs", tool_number(t, "tool_every"), "-G") ||
			set_number(d, "capturefiles", tool_number(t, "tool_files"), "-W")
		? -1
		: 0;
}

/* Compiles and traces the generated program. Messages name the tool's script, not the generated text. Returns an exit
 * status. */
static int run_program(struct dwire *d, struct tool *t, const char *text, size_t len)
{
	int status;

	if ((tool_number(t, "tool_emit") && dwire_set(d, "oformat=stream", "--emit")) || set_capture(d, t) ||
		dwire_add(d, DWIRE_SCRIPT, t->file->name, text, len) || dwire_require(d) ||
		(t->command && dwire_command(d, t->command)) || dwire_compile(d))
		return 1;
	status = trace(d, stdout, t->messages);
	if (!status && t->command && dwire_command_status(d, 0) > 0)
		status = dwire_command_status(d, 0);
	return status;
}

/* Generates the program, then prints it (--program) or runs it. Returns an exit status. */
static int run_tool(struct tool *t)
{
	struct dwire *d = NULL;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int status = 1, r;
	bool ok;

	r = f ? dwire_new(&d) : -ENOMEM;
	if (r) {
		message(&t->own, "cannot start: %s", strerror(-r));
		goto out;
	}
	dwire_on_message(d, message_show, t->messages);
	dwire_listing(d, false, t->own.out);
	ok = tool_program(t, f);
	if (fflush(f) || ferror(f) || t->no_memory) {
		message(&t->own, "cannot make the program: %s", strerror(ENOMEM));
		goto out;
	}
	if (ok && tool_number(t, "tool_program"))
		status = fwrite(text, 1, len, stdout) != len;
	else if (ok && tool_note(t))
		status = run_program(d, t, text, len);
out:
	if (f)
		fclose(f);
	free(text);
	dwire_free(d);
	return status;
}

/* Parses head and arguments, then runs the tool. Returns the exit status. */
static int run(struct tool *t, int argc, char **argv)
{
	int r = tool_parse_head(t) ? tool_take_args(t, argc, argv) : 2;

	if (r != 1 && t->no_memory) {
		message(&t->own, "%s", strerror(ENOMEM));
		return 1;
	}
	if (!r && tool_hands_over(t))
		tool_hand_over(t, argc, argv); /* comes back if there is no dwire-live */
	return r ? r == 1 ? 0 : 2 : run_tool(t);
}

/* How many characters of base are the name: "tools/tcptop.d" is called tcptop. */
static size_t base_name(const char *path, const char **base)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	*base = slash ? slash + 1 : path;
	n = strlen(*base);
	return n > 2 && !strcmp(*base + n - 2, ".d") ? n - 2 : n;
}

/* The tool of a file. 0, or the exit status after a message. */
static int run_source(struct tool *t, int argc, char **argv)
{
	const char *base;
	char *text;
	int n = (int)base_name(argv[0], &base), r = input_read(argv[0], &text, &t->source.len);

	if (r) {
		message(t->messages, "cannot read %s: %s", argv[0], strerror(-r));
		free(text);
		return 1;
	}
	snprintf(t->name, sizeof(t->name), "%.*s", n < 31 ? n : 31, base);
	t->source.name = argv[0];
	t->source.text = text;
	t->file = &t->source;
	r = run(t, argc, argv);
	free(text);
	return r;
}

/* argv[0] is the name of a tool that is built in, or else of a file. */
int tool_main(int argc, char **argv, struct messages *messages)
{
	int n = tool_find(argv[0]), r;
	struct tool *t = calloc(1, sizeof(*t));

	if (!t) {
		message(messages, "%s: %s", argv[0], strerror(ENOMEM));
		return 1;
	}
	t->messages = messages;
	t->own = (struct messages){ .program = t->name, .out = messages->out };
	if (n < 0) {
		r = run_source(t, argc, argv);
	} else {
		t->file = &tool_files[n];
		snprintf(t->name, sizeof(t->name), "%s", argv[0]);
		r = run(t, argc, argv);
	}
	free(t);
	return r;
}
