/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: see options.h. Input: argv. Output: what is for dwire on, what is for clush, and where dwire's arguments
 * begin: behind the nodes. */
#include "cli/fleet/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { ON_BY = 256, ON_EMIT, ON_COPY, ON_DWIRE, ON_THROUGH, ON_ALL, ON_TOPOLOGY, ON_CUT };

#define CUT_SECONDS 15 /* a wire that is down for half of that is made up for by TCP */
#define CUT_MIN 3
#define CUT_MAX 86400

static bool pass(struct on_options *o, const char *option, const char *value)
{
	size_t n = 0;

	while (o->passed[n])
		n++;
	if (n + 2 > PASSED_MAX)
		return false;
	o->passed[n] = option;
	o->passed[n + 1] = value;
	return true;
}

/* An option of clush with its value. False: it is none, or there are too many. */
static bool take_clush(struct on_options *o, int opt)
{
	static const char *const names[] = {
		['f'] = "-f", ['l'] = "-l", ['t'] = "-t", ['u'] = "-u", ['R'] = "-R", ['o'] = "-o", ['O'] = "-O"
	};

	if (opt == ON_TOPOLOGY)
		return pass(o, "--topology", optarg);
	o->fanout |= opt == 'f';
	return opt < (int)(sizeof(names) / sizeof(names[0])) && names[opt] && pass(o, names[opt], optarg);
}

static bool take_cut(struct on_options *o, const char *s)
{
	char *end;
	const long n = strtol(s, &end, 10);

	o->cut = (unsigned)n;
	return end > s && !*end && n >= CUT_MIN && n <= CUT_MAX;
}

/* False: the option's value is not valid, or it is none. */
static bool take(struct on_options *o, int opt)
{
	switch (opt) {
	case ON_BY:
		o->by_host = true;
		return !strcmp(optarg, "host");
	case ON_EMIT:
		return o->emit = true;
	case ON_ALL:
		return o->all = true;
	case ON_COPY:
		o->copy = optarg ? optarg : "/tmp";
		return *o->copy == '/';
	case ON_DWIRE:
		o->dwire = optarg;
		return true;
	case ON_THROUGH:
		o->through = optarg;
		return pass(o, "-R", "exec");
	case ON_CUT:
		return take_cut(o, optarg);
	case 'x':
		o->exclude = optarg;
		return pass(o, "-x", optarg);
	default:
		return take_clush(o, opt);
	}
}

int on_options(struct on_options *o, int argc, char **argv, const struct messages *messages)
{
	static const struct option longs[] = { { "by", required_argument, NULL, ON_BY },
		{ "emit", no_argument, NULL, ON_EMIT }, { "copy", optional_argument, NULL, ON_COPY },
		{ "dwire", required_argument, NULL, ON_DWIRE }, { "through", required_argument, NULL, ON_THROUGH },
		{ "all-or-none", no_argument, NULL, ON_ALL }, { "topology", required_argument, NULL, ON_TOPOLOGY },
		{ "cut", required_argument, NULL, ON_CUT }, { "help", no_argument, NULL, 'h' }, { 0 } };
	int opt;

	*o = (struct on_options){ .dwire = "dwire", .cut = CUT_SECONDS };
	opterr = 0;
	optind = 0; /* begins anew; + stops at the nodes */
	while ((opt = getopt_long(argc, argv, "+:hf:l:t:u:x:R:o:O:", longs, NULL)) != -1) {
		if (opt == 'h')
			return -1;
		if (opt != '?' && opt != ':' && take(o, opt))
			continue;
		message(messages, opt == ':' ? "on: %s needs a value" : "on: unknown or wrong option %s",
			argv[optind - 1]);
		return 2;
	}
	if (optind + 1 >= argc) {
		message(messages,
			optind < argc ? "on: nothing to trace: give a probe (-n), a script (-s) or a tool"
				      : "on: no nodes are given");
		return 2;
	}
	if (o->copy && o->through) {
		message(messages, "on: --copy needs a worker that copies; with --through, name the program by --dwire");
		return 2;
	}
	o->nodes = argv[optind];
	o->first = optind + 1;
	return 0;
}
