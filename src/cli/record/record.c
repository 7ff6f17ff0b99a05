/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record: see record.h. Input: options, a script. Output: a recording (docs/RECORD.md). */
#include "cli/record/record.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/progress.h"
#include "cli/tool/head.h"
#include "cli/tool/tool.h"
#include "cli/trace.h"

#define BUDGET (1ull << 30)
#define LEAST (1ull << 20) /* bytes of a budget, and of a ring */
#define AFTER 10000000000ull
#define MEMORY (64ull << 20)

static void usage(FILE *out)
{
	fputs("usage: dwire record -o DIRECTORY [--budget SIZE] [-s SCRIPT | -n PROBE ...]\n"
	      "                    [--ring TIME [--after TIME] [--memory SIZE]]\n"
	      "                    [-c COMMAND] [-x OPTION] [TOOL [OPTION ...]]\n"
	      "       dwire record --script\n"
	      "\n"
	      "Writes what a script traces into a directory, for dwire replay and dwire merge;\n"
	      "or what a tool shows, with all columns that it knows: the replay chooses.\n"
	      "Without a script: drops, resets, retransmits, failed and slow connects, state\n"
	      "changes of TCP, failures of DNS.\n"
	      "\n"
	      "  -o DIRECTORY   made if it is not there; one that exists is continued\n"
	      "  --budget SIZE  bytes that the recording may take, 1g unless told; the oldest\n"
	      "                 parts go first\n"
	      "  --ring TIME    hold this much in memory (30s, 5m); only snapshot() in the\n"
	      "                 script writes it\n"
	      "  --after TIME   snapshot() also writes what follows for so long, 10s unless told\n"
	      "  --memory SIZE  bytes that the ring may take, 64m unless told\n"
	      "  --script       print the script that runs without -s\n",
		out);
}

struct options_of {
	struct dwire *d;
	const char *directory;
	uint64_t budget;
	uint64_t ring, after, memory; /* ns, ns, bytes; ring 0: none */
	char **tool;                  /* the words behind the options: a tool and its options */
	bool any;                     /* a script was given */
	bool of_ring;                 /* so was an option that is of use with --ring only */
	struct messages *messages;
};

/* 0: it is no size. */
static uint64_t size_of(const char *text)
{
	static const char units[] = "kmgt";
	char *end;
	uint64_t n = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end | 0x20) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

	if (*text < '0' || *text > '9' || (*end && (!unit || end[1])) || n > UINT64_MAX >> (shift + 1))
		return 0;
	return n << shift;
}

/* "30s", "500ms", "0" */
static bool time_of(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 }, { "h", 3600000000000 } };
	char *end;
	const uint64_t n = strtoull(text, &end, 10);

	*ns = 0;
	if (*text < '0' || *text > '9' || n > 1000000)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit))
			*ns = n * units[i].ns;
	return *ns || !strcmp(text, "0");
}

/* 0, or 2 after a message. */
static int take_size(struct options_of *o, const char *name, uint64_t *size)
{
	*size = size_of(optarg);
	if (*size >= LEAST)
		return 0;
	message(o->messages, "record: %s takes a size of at least 1m, such as 500m", name);
	return 2;
}

static int take_time(struct options_of *o, const char *name, uint64_t *ns)
{
	if (time_of(optarg, ns) && (*ns || ns != &o->ring))
		return 0;
	message(o->messages, "record: %s takes a time, such as 30s or 5m", name);
	return 2;
}

static int add_script(struct options_of *o, const char *path)
{
	char *text;
	size_t len;
	int r = input_read(path, &text, &len);

	o->any = true;
	if (r)
		message(o->messages, "cannot read %s: %s", path, strerror(-r));
	else if (tool_is_source(text))
		r = tool_record(o->d, NULL, 1, (char *[]){ (char *)(uintptr_t)path, NULL }, o->messages);
	else
		r = dwire_add(o->d, DWIRE_SCRIPT, path, text, len);
	free(text);
	return r ? 1 : 0;
}

/* 0, or the exit status after a message. */
static int take_option(struct options_of *o, int opt)
{
	switch (opt) {
	case 'o':
		o->directory = optarg;
		return 0;
	case 'b':
		return take_size(o, "--budget", &o->budget);
	case 'R':
		return take_time(o, "--ring", &o->ring);
	case 'A':
		o->of_ring = true;
		return take_time(o, "--after", &o->after);
	case 'M':
		o->of_ring = true;
		return take_size(o, "--memory", &o->memory);
	case 's':
		return add_script(o, optarg);
	case 'n':
		o->any = true;
		return dwire_add(o->d, DWIRE_NAME, "-n", optarg, strlen(optarg)) ? 1 : 0;
	case 'c':
		return dwire_command(o->d, optarg) ? 1 : 0;
	default:
		return dwire_set(o->d, optarg, NULL) ? 1 : 0;
	}
}

/* 0, -1 if all is done, or the exit status. */
static int take_options(struct options_of *o, int argc, char **argv)
{
	static const struct option longs[] = { { "budget", required_argument, NULL, 'b' },
		{ "ring", required_argument, NULL, 'R' }, { "after", required_argument, NULL, 'A' },
		{ "memory", required_argument, NULL, 'M' }, { "script", no_argument, NULL, 'S' },
		{ "help", no_argument, NULL, 'h' }, { 0 } };
	int opt, r = 0;

	opterr = 0;
	while (!r && (opt = getopt_long(argc, argv, "+:o:s:n:c:x:h", longs, NULL)) != -1) {
		if (opt == 'h' || opt == 'S') {
			if (opt == 'h')
				usage(stdout);
			else
				fputs(record_files[0].text, stdout);
			return -1;
		}
		if (opt == '?' || opt == ':') {
			message(o->messages, "record: %s %s", opt == ':' ? "a value is missing after" : "no option",
				argv[optind - 1]);
			usage(stderr);
			return 2;
		}
		r = take_option(o, opt);
	}
	o->tool = argv + optind;
	if (r || (o->directory && (optind == argc || !o->any) && (o->ring || !o->of_ring)))
		return r;
	message(o->messages, "record: %s",
		!o->directory                     ? "-o DIRECTORY is missing"
			: optind < argc && o->any ? "a script or a tool, not both"
						  : "--after and --memory need --ring");
	usage(stderr);
	return 2;
}

/* The tool that is named, or the built-in script, unless a script was given. */
static int add_tool(struct options_of *o)
{
	static char name[] = "record", *own[] = { name, NULL };
	int n = 0;

	while (o->tool[n])
		n++;
	if (o->any)
		return 0;
	return n ? tool_record(o->d, NULL, n, o->tool, o->messages)
		 : tool_record(o->d, &record_files[0], 1, own, o->messages);
}

static int run(struct options_of *o)
{
	int r = add_tool(o);

	if (r)
		return r;
	if (dwire_require(o->d) || dwire_compile(o->d) ||
		(o->ring && dwire_record_ring(o->d, o->ring, o->after, o->memory)) ||
		dwire_record(o->d, o->directory, o->budget))
		return 1;
	return trace(o->d, NULL, o->messages);
}

int record_main(int argc, char **argv, struct messages *messages)
{
	struct options_of o = { .budget = BUDGET, .after = AFTER, .memory = MEMORY, .messages = messages };
	int status = dwire_new(&o.d) ? 1 : 0;

	if (status) {
		message(messages, "%s", strerror(ENOMEM));
		return status;
	}
	dwire_on_message(o.d, message_show, messages);
	dwire_on_progress(o.d, progress_show, messages->progress);
	status = take_options(&o, argc, argv);
	if (!status)
		status = run(&o);
	dwire_free(o.d);
	return status < 0 ? 0 : status;
}
