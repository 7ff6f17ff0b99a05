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
#include "cli/picture/pictures.h"
#include "cli/progress.h"
#include "cli/tool/args.h"
#include "cli/tool/note.h"
#include "cli/tool/program/program.h"

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

/* Machines of a fleet run the same tool if its source and its words are the same. The generated program may differ: it
 * has the numbers of users and namespaces, and addresses of names. */
static int say_made_of(struct dwire *d, const struct tool *t)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int r;

	if (!f)
		return -ENOMEM;
	for (int i = 0; i < t->argc; i++)
		fwrite(t->argv[i], 1, strlen(t->argv[i]) + 1, f);
	fwrite(t->file->text, 1, t->file->len, f);
	if (t->script)
		fwrite(t->script->text, 1, t->script->len, f);
	r = fclose(f) ? -ENOMEM : dwire_made_of(d, text, len);
	free(text);
	return r;
}

/* --heat, --flame and --graph of a tool that has them. */
static struct pictures pictures_of(struct tool *t)
{
	struct pictures p = { 0 };

	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].given && !strncmp(t->params[i].name, "picture.", 8))
			(void)pictures_take(&p, t->params[i].name + 8, t->params[i].value);
	return p;
}

/* Compiles and traces the generated program. Messages name the tool's script, not the generated text. Returns an exit
 * status. */
static int run_program(struct dwire *d, struct tool *t, const char *text, size_t len)
{
	struct pictures pictures = pictures_of(t);
	int status;

	if ((tool_number(t, "tool_emit") && dwire_set(d, "oformat=stream", "--emit")) || set_capture(d, t) ||
		dwire_add(d, DWIRE_SCRIPT, t->file->name, text, len) || say_made_of(d, t) || dwire_require(d) ||
		(t->command && dwire_command(d, t->command)) || dwire_compile(d))
		return 1;
	status = pictures_trace(&pictures, d, stdout, t->messages);
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
	dwire_on_progress(d, progress_show, t->messages->progress);
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

/* What a replay chooses is no business of the recorder; nor are other outputs. */
static bool check_recorded(struct tool *t)
{
	static const char *const others[] = { "tool_columns", "tool_by", "tool_wide", "tool_secs", "tool_clock",
		"tool_json", "tool_csv", "option.csvsafe", "tool_emit", "tool_program", "tool_write", "picture.heat",
		"picture.flame", "picture.graph" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct param *p = tool_param(t, others[i]);

		if (!p || !p->given)
			continue;
		message(&t->own, "a recording takes no %s%s", p->longer[0] ? "--" : "-",
			p->longer[0] ? p->longer : (char[]){ p->flag, '\0' });
		message_hint(&t->own, "choose columns and format when it is shown: dwire replay DIRECTORY -o COL,...");
		return false;
	}
	return true;
}

/* Rows that a script makes otherwise for text than for JSON are recorded as text. */
static bool is_carried(const struct tool *t)
{
	return t->nrows && !strstr(t->file->text, "tool_text") && !(t->script && strstr(t->script->text, "tool_text"));
}

/* Returns 0, or the exit status after a message. */
static int add_recorded(struct tool *t)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	bool ok;

	t->carried = is_carried(t);
	if (tool_param(t, "noclear")) /* codes that clear a screen are for the terminal of a live trace */
		snprintf(tool_param(t, "noclear")->value, sizeof(t->params[0].value), "1");
	ok = f && tool_program(t, f);
	if (!f || fclose(f) || !text || t->no_memory) {
		message(&t->own, "cannot make the program: %s", strerror(ENOMEM));
		ok = false;
	}
	ok = ok && tool_note(t) && !dwire_add(t->recorded, DWIRE_SCRIPT, t->file->name, text, len) &&
		(!t->command || !dwire_command(t->recorded, t->command));
	free(text);
	return !ok;
}

/* Parses head and arguments, then runs the tool, or adds it to what is recorded. Returns the exit status. */
static int run(struct tool *t, int argc, char **argv)
{
	int r;

	t->argc = argc;
	t->argv = argv;
	r = tool_parse_head(t) ? tool_take_args(t, argc, argv) : 2;

	if (r != 1 && t->no_memory) {
		message(&t->own, "%s", strerror(ENOMEM));
		return 1;
	}
	if (t->recorded)
		return r == 1 ? -1 : r || !check_recorded(t) ? 2 : add_recorded(t);
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

/* argv[0] is the name of a tool that is built in, or else of a file; or the source is given. recorded: NULL, or the
 * trace to add it to. */
static int run_named(
	struct dwire *recorded, const struct embedded *file, int argc, char **argv, struct messages *messages)
{
	int n = tool_find(argv[0]), r;
	struct tool *t = calloc(1, sizeof(*t));

	if (!t) {
		message(messages, "%s: %s", argv[0], strerror(ENOMEM));
		return 1;
	}
	t->messages = messages;
	t->recorded = recorded;
	t->own = (struct messages){ .program = t->name, .out = messages->out, .progress = messages->progress };
	if (n < 0 && !file) {
		r = run_source(t, argc, argv);
	} else {
		t->file = file ? file : &tool_files[n];
		snprintf(t->name, sizeof(t->name), "%s", argv[0]);
		r = run(t, argc, argv);
	}
	free(t);
	return r;
}

/* -h of another machine's tool is not ours to show. */
static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return true;
	return false;
}

bool tool_screen(int argc, char **argv, struct live_args *out)
{
	const int n = tool_find(argv[0]);
	struct tool *t = n < 0 || wants_help(argc, argv) ? NULL : calloc(1, sizeof(*t));
	FILE *nowhere = t ? fopen("/dev/null", "we") : NULL;
	bool is_screen = false;

	if (nowhere) {
		t->own = (struct messages){ .program = t->name, .out = nowhere };
		t->messages = &t->own;
		t->file = &tool_files[n];
		snprintf(t->name, sizeof(t->name), "%s", argv[0]);
		is_screen = tool_parse_head(t) && !tool_take_args(t, argc, argv) && !t->no_memory &&
			tool_hands_over(t) && tool_live_args(t, argc, argv, out) > 0;
		fclose(nowhere);
	}
	free(t);
	return is_screen;
}

int tool_main(int argc, char **argv, struct messages *messages)
{
	return run_named(NULL, NULL, argc, argv, messages);
}

int tool_record(struct dwire *d, const struct embedded *file, int argc, char **argv, struct messages *messages)
{
	return run_named(d, file, argc, argv, messages);
}
