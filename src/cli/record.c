/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record: see record.h. Input: options, a script. Output: a recording (docs/RECORD.md). */
#include "cli/record.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input.h"
#include "cli/trace.h"

#define BUDGET (1ull << 30)
#define BUDGET_LEAST (1ull << 20)

static void usage(FILE *out)
{
	fputs("usage: dwire record -o DIRECTORY [--budget SIZE] [-s SCRIPT | -n PROBE ...] [-c COMMAND] [-x OPTION]\n"
	      "       dwire record --script\n"
	      "\n"
	      "Writes what a script traces into a directory, for dwire replay and dwire merge. Without a script: "
	      "drops,\n"
	      "resets, retransmits, failed and slow connects, state changes of TCP, failures of DNS.\n"
	      "\n"
	      "  -o DIRECTORY   made if it is not there; one that exists is continued\n"
	      "  --budget SIZE  bytes that the recording may take, 1g unless told; the oldest parts go first\n"
	      "  --script       print the script that runs without -s\n",
		out);
}

struct options_of {
	struct dwire *d;
	const char *directory;
	uint64_t budget;
	bool any; /* a script was given */
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

static int add_script(struct options_of *o, const char *path)
{
	char *text;
	size_t len;
	int r = input_read(path, &text, &len);

	if (r)
		message(o->messages, "cannot read %s: %s", path, strerror(-r));
	else
		r = dwire_add(o->d, DWIRE_SCRIPT, path, text, len);
	free(text);
	o->any = true;
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
		o->budget = size_of(optarg);
		if (o->budget >= BUDGET_LEAST)
			return 0;
		message(o->messages, "record: --budget takes a size of at least 1m, such as 500m");
		return 2;
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
		{ "script", no_argument, NULL, 'S' }, { "help", no_argument, NULL, 'h' }, { 0 } };
	int opt, r = 0;

	opterr = 0;
	while (!r && (opt = getopt_long(argc, argv, ":o:s:n:c:x:h", longs, NULL)) != -1) {
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
	if (r || (o->directory && optind == argc))
		return r;
	message(o->messages, "record: %s", o->directory ? "options only" : "-o DIRECTORY is missing");
	usage(stderr);
	return 2;
}

static int run(struct options_of *o)
{
	if (!o->any && dwire_add(o->d, DWIRE_SCRIPT, "record.d", record_files[0].text, record_files[0].len))
		return 1;
	if (dwire_require(o->d) || dwire_compile(o->d) || dwire_record(o->d, o->directory, o->budget))
		return 1;
	return trace(o->d, NULL, o->messages);
}

int record_main(int argc, char **argv, struct messages *messages)
{
	struct options_of o = { .budget = BUDGET, .messages = messages };
	int status = dwire_new(&o.d) ? 1 : 0;

	if (status) {
		message(messages, "%s", strerror(ENOMEM));
		return status;
	}
	dwire_on_message(o.d, message_show, messages);
	status = take_options(&o, argc, argv);
	if (!status)
		status = run(&o);
	dwire_free(o.d);
	return status < 0 ? 0 : status;
}
