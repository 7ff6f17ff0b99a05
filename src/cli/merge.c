/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge: see merge.h. Input: options, names of streams. Output: the merged trace on the standard output. */
#include "cli/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cli/picture/pictures.h"
#include "cli/progress.h"
#include "cli/record/replay.h"

static void usage(FILE *out)
{
	fputs("usage: dwire merge [--by host] [--emit] [--heat[=FILE]] [--flame FILE]\n"
	      "                   [--graph FILE] [STREAM ...]\n"
	      "\n"
	      "Shows the streams of many machines, as dwire --emit writes them, as one trace: aggregations are\n"
	      "merged. A STREAM is a file, a pipe or the directory of a recording; - or none is\n"
	      "the standard input. Lines of several machines may be mixed.\n"
	      "\n"
	      "  --by host  the machine is the first key of aggregations and stands before each line\n"
	      "  --emit     write the result as a stream, for another dwire merge\n"
	      "  --heat, --flame, --graph  pictures of the result: man dwire\n"
	      "\n"
	      "  dwire merge <(ssh web1 dwire --emit -s top.d) <(ssh web2 dwire --emit -s top.d)\n",
		out);
}

/* 0, or the exit status after a message. */
static int add_input(struct dwire *d, const char *path, struct messages *messages)
{
	bool standard = !strcmp(path, "-");
	int fd;

	if (!standard && replay_is_recording(path)) {
		fd = replay_open(path, messages);
		return fd < 0 || dwire_merge_add(d, path, fd) ? 1 : 0;
	}
	fd = standard ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return dwire_merge_add(d, standard ? "standard input" : path, fd) ? 1 : 0;
	message(messages, "cannot read %s: %s", path, strerror(errno));
	return 1;
}

/* 0, -1 for help, or 2: the exit status of wrong usage. getopt() prints nothing itself: messages pass one place. */
static int take_options(struct dwire *d, struct pictures *pictures, int argc, char **argv, struct messages *messages)
{
	static const struct option longs[] = { { "by", required_argument, NULL, 'b' },
		{ "emit", no_argument, NULL, 'e' }, PICTURES_LONG, { "help", no_argument, NULL, 'h' }, { 0 } };
	bool emit = false;
	int opt, at;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":h", longs, &at)) != -1) {
		if (opt == 'h')
			return -1;
		if (opt == PICTURES_OPTION)
			(void)pictures_take(pictures, longs[at].name, optarg);
		else if (opt == 'b' && !strcmp(optarg, "host"))
			dwire_merge_by_host(d);
		else if (opt == 'e' && !dwire_set(d, "oformat=stream", "--emit"))
			emit = true;
		else if (opt != 'b') {
			message(messages, "merge: unknown option %s", argv[optind - 1]);
			return 2;
		} else if (strcmp(optarg, "host") != 0) {
			message(messages, "merge: --by takes host");
			return 2;
		}
	}
	if (!pictures_wanted(pictures) || !emit)
		return 0;
	message(messages, "merge: --emit or pictures, not both");
	return 2;
}

/* The inputs are read by the trace itself, as their frames arrive: here they are only opened. */
int merge_main(int argc, char **argv, struct messages *messages)
{
	struct pictures pictures = { 0 };
	struct dwire *d = NULL;
	int status = dwire_new(&d) ? 1 : 0;

	if (status) {
		message(messages, "%s", strerror(ENOMEM));
		return status;
	}
	dwire_on_message(d, message_show, messages);
	dwire_on_progress(d, progress_show, messages->progress);
	dwire_output(d, stdout);
	status = take_options(d, &pictures, argc, argv, messages);
	if (status) {
		usage(status < 0 ? stdout : stderr);
		dwire_free(d);
		return status < 0 ? 0 : status;
	}
	if (optind == argc)
		status = add_input(d, "-", messages);
	for (int i = optind; i < argc && !status; i++)
		status = add_input(d, argv[i], messages);
	if (!status)
		status = pictures_trace(&pictures, d, stdout, messages);
	dwire_free(d);
	return status;
}
