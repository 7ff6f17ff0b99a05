/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remote: see remote.h. Input: dwire's arguments. Output: a command line and the scripts that it reads.
 * Invariant: each argument arrives as it was given, whatever is in it. */
#include "cli/fleet/remote.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/letters.h"

/* ---- the command ------------------------------------------------------------------------------------------------- */
/* One word for a shell. clush's worker exec replaces words that begin with %, so there each % is written twice. */
static void put_word(FILE *out, const char *s, bool exec)
{
	fputs(" '", out);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", out);
		else
			fputs(*s == '%' && exec ? "%%" : (const char[]){ *s, '\0' }, out);
	putc('\'', out);
}

/* The program that was copied has as many copies as machines see that folder: each takes one by giving it another name,
 * and removes it at its end. Its status has to arrive, so the shell keeps it. clush's worker exec wants no % here. */
static const char run_copy[] =
	"sh -c 'd=$0 m=; rm -f \"$d\"; for f in \"$d\".*-; do mv \"$f\" \"${f}x\" 2>/dev/null && "
	"m=${f}x && break; done; [ \"$m\" ] || { echo \"its copy of dwire is gone\" >&2; exit 1; }; "
	"\"$m\" \"$@\"; s=$?; rm -f \"$m\"; exit $s'";

static void put_command(FILE *out, const struct on_options *o, const char *copied, int argc, char **argv)
{
	bool options = *argv[0] == '-', exec = o->through != NULL;

	if (o->through)
		fprintf(out, "%s ", o->through);
	if (copied)
		fprintf(out, "%s %s", run_copy, copied);
	else
		fputs(o->dwire, out);
	fprintf(out, " --until-eof=%u", o->cut);
	if (options)
		fputs(" --emit", out);
	for (int i = 0; i < argc; i++) {
		put_word(out, argv[i], exec);
		if (!i && !options) /* a tool, or on: a tree */
			fputs(" --emit", out);
	}
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */
/* -s FILE becomes -s -, and the file's text part of the input. path: part of a word of argv. */
static int take_script(FILE *input, char *path, const struct messages *messages)
{
	char *text;
	size_t len;
	int r = input_read(path, &text, &len);

	if (r) {
		message(messages, "cannot read %s: %s", path, strerror(-r));
		free(text);
		return r;
	}
	fputs(len ? "" : "\n", input); /* a NUL byte alone is a beat */
	fwrite(text, 1, len, input);
	putc('\0', input);
	free(text);
	memset(path, 0, strlen(path));
	*path = '-'; /* no path is shorter */
	return 0;
}

/* A tool has no scripts; dwire on, in a tree, has those of the machines below. */
static int take_scripts(FILE *input, int argc, char **argv, const struct messages *messages)
{
	struct on_options below;
	int opt, r = 0;

	if (!strcmp(argv[0], "on"))
		return on_options(&below, argc, argv, messages)
			? -EINVAL
			: take_scripts(input, argc - below.first, argv + below.first, messages);
	if (*argv[0] != '-')
		return 0;
	optind = 0;
	argc++, argv--; /* what stands before it takes the place of the program's name */
	while (!r && (opt = letters_next(argc, argv)) != -1)
		if (opt == 's' && *optarg)
			r = take_script(input, optarg, messages);
	return r;
}

int remote_make(struct remote *r, const struct on_options *o, const char *copied, int argc, char **argv,
	const struct messages *messages)
{
	size_t len = 0;
	FILE *command = open_memstream(&r->command, &len), *input = open_memstream(&r->input, &r->input_len);
	int err = command && input ? take_scripts(input, argc, argv, messages) : -ENOMEM;

	if (!err)
		put_command(command, o, copied, argc, argv);
	if ((command && fclose(command)) || (input && fclose(input)))
		err = -ENOMEM;
	if (err == -ENOMEM)
		message(messages, "%s", strerror(ENOMEM));
	return err;
}

char *remote_prepare(const char *copied)
{
	char *command;

	return asprintf(&command,
		       "sh -c 'm=$(mktemp \"$0.XXXXXX\") && cp \"$0\" \"$m\" && chmod 700 \"$m\" && mv \"$m\" \"$m-\" "
		       "|| "
		       "{ rm -f \"$m\"; exit 1; }' %s",
		       copied) < 0
		? NULL
		: command;
}

char *remote_remove(const char *copied)
{
	char *command;

	return asprintf(&command, "sh -c 'rm -f \"$0\" \"$0\".*-' %s", copied) < 0 ? NULL : command;
}

void remote_free(struct remote *r)
{
	free(r->command);
	free(r->input);
	*r = (struct remote){ 0 };
}
