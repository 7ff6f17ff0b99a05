/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main: dwire-export, which makes metrics of the stream of a trace.
 * Input: a stream, of the standard input or of a command that it starts. Output: metrics for those who fetch them
 * (OpenMetrics), or for a collector that they are sent to (OTLP).
 * Invariant: it needs no privilege, and gives up those that it is started with. */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lines.h"
#include "export/net/push.h"
#include "export/net/serve.h"
#include "export/openmetrics.h"
#include "export/privileges.h"
#include "export/script.h"
#include "process/command.h"

#define NAMES_MAX 64
#define LINE_BYTES_MAX ((size_t)16 << 20)

enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

struct export
{
	const char *listen; /* NULL: nowhere */
	struct push_to push;
	size_t max;
	bool print, standard;
	const char *show[NAMES_MAX + 1], *hide[NAMES_MAX + 1];
	struct model model;
	struct all_series series;
	struct lines in;
	struct server *server;
	struct pusher *pusher;
	pid_t child; /* 0: none */
};

static void usage(FILE *out)
{
	fputs("usage: dwire-export [option ...] [COMMAND [argument ...]]\n"
	      "\n"
	      "Makes metrics of a trace. It reads the stream of COMMAND, or of the standard input:\n"
	      "\n"
	      "  dwire-export --default\n"
	      "  dwire-export dwire --emit -s script.d\n"
	      "\n"
	      "  --default             the built-in script: connections, failures, latencies, drops, DNS\n"
	      "  --listen [ADDR:]PORT  where metrics are fetched (localhost:9435); none: nowhere\n"
	      "  --otlp URL            send metrics and rows to this OpenTelemetry collector\n"
	      "  --header NAME:VALUE   a header for it; may be given several times\n"
	      "  --interval SECONDS    how often metrics are sent (10)\n"
	      "  --max N               series of a metric (2000); the rest is added up in one\n"
	      "  --label NAME          a key that is a label, although its name ends in pid or tid\n"
	      "  --no-label NAME       a key that is none\n"
	      "  --script              print the script of --default\n"
	      "  --print               print the metrics when the stream ends, and do nothing else\n"
	      "  -V, -h                version; this text\n",
		out);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */
enum {
	OPT_DEFAULT = 256,
	OPT_LISTEN,
	OPT_OTLP,
	OPT_HEADER,
	OPT_INTERVAL,
	OPT_MAX,
	OPT_LABEL,
	OPT_NO_LABEL,
	OPT_PRINT,
	OPT_SCRIPT
};

/* A number from 1 to max. 0: it is none. */
static size_t count_of(const char *s, size_t max)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	return *s >= '0' && *s <= '9' && !*end && n <= max ? n : 0;
}

static bool add_name(const char **names, const char *name)
{
	size_t n = 0;

	while (names[n])
		n++;
	if (n == NAMES_MAX)
		return false;
	names[n] = name;
	return true;
}

/* False: its value is not valid. */
static bool take_option(struct export *e, int opt, const char *value)
{
	switch (opt) {
	case OPT_DEFAULT:
		return e->standard = true;
	case OPT_LISTEN:
		e->listen = strcmp(value, "none") ? value : NULL;
		return true;
	case OPT_OTLP:
		e->push.url = value;
		return !strncmp(value, "http://", 7) || !strncmp(value, "https://", 8);
	case OPT_HEADER:
		return strchr(value, ':') && add_name(e->push.headers, value);
	case OPT_INTERVAL:
		return (e->push.interval_s = count_of(value, 86400)) != 0;
	case OPT_MAX:
		return (e->max = count_of(value, 1000000)) != 0;
	case OPT_LABEL:
		return add_name(e->show, value);
	case OPT_NO_LABEL:
		return add_name(e->hide, value);
	default:
		return e->print = true;
	}
}

/* -1, or the exit status. */
static int take_options(struct export *e, int argc, char **argv)
{
	static const struct option longs[] = { { "default", no_argument, NULL, OPT_DEFAULT },
		{ "listen", required_argument, NULL, OPT_LISTEN }, { "otlp", required_argument, NULL, OPT_OTLP },
		{ "header", required_argument, NULL, OPT_HEADER },
		{ "interval", required_argument, NULL, OPT_INTERVAL }, { "max", required_argument, NULL, OPT_MAX },
		{ "label", required_argument, NULL, OPT_LABEL }, { "no-label", required_argument, NULL, OPT_NO_LABEL },
		{ "print", no_argument, NULL, OPT_PRINT }, { "script", no_argument, NULL, OPT_SCRIPT },
		{ "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, { 0 } };
	int opt, index = 0;

	while ((opt = getopt_long(argc, argv, "+hV", longs, &index)) != -1) {
		if (opt == 'h') {
			usage(stdout);
			return EXIT_OK;
		}
		if (opt == 'V') {
			puts("dwire-export " DWIRE_VERSION);
			return EXIT_OK;
		}
		if (opt == OPT_SCRIPT) {
			fputs(export_files[0].text, stdout);
			return EXIT_OK;
		}
		if (opt == '?') {
			fputs("    hint: dwire-export -h lists the options\n", stderr);
			return EXIT_USAGE;
		}
		if (!take_option(e, opt, optarg)) {
			fprintf(stderr, "dwire-export: --%s does not take %s\n", longs[index].name, optarg);
			return EXIT_USAGE;
		}
	}
	if (e->standard && optind < argc) {
		fprintf(stderr, "dwire-export: --default and a command (%s) exclude each other\n", argv[optind]);
		return EXIT_USAGE;
	}
	return -1;
}

/* ---- input ------------------------------------------------------------------------------------------------------- */
static int open_input(struct export *e, const char *const *argv)
{
	char path[32];
	const char *const standard[] = { "dwire", "--emit", "-s", path, NULL };
	int fd = STDIN_FILENO, script = e->standard ? script_open() : -1;

	if (e->standard && script < 0) {
		fprintf(stderr, "dwire-export: cannot keep the script in memory: %s\n", strerror(errno));
		return -1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", script);
	if (e->standard)
		argv = standard;
	if (*argv)
		e->child = command_start(
			argv, &(struct command_to){ .program = "dwire-export", .messages = stderr, .out = &fd });
	if (script >= 0)
		close(script);
	if (e->child < 0)
		return -1;
	if (!e->child && isatty(fd)) {
		fputs("dwire-export: the standard input is a terminal\n"
		      "    hint: dwire --emit -s script.d | dwire-export, or dwire-export --default\n",
			stderr);
		return -1;
	}
	lines_open(&e->in, fd, LINE_BYTES_MAX);
	return 0;
}

/* 0 or -ENOMEM. */
static int read_input(struct export *e)
{
	const char *line;
	size_t len;
	int r = lines_read(&e->in);

	while (!r && (line = lines_next(&e->in, &len)))
		model_line(&e->model, line, len);
	return r;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* Until the input ends or a signal comes. 0 or -errno. */
static int loop(struct export *e, int signals)
{
	struct pollfd fds[3] = { { signals, POLLIN, 0 }, { e->in.fd, POLLIN, 0 }, { -1, POLLIN, 0 } };
	int r = 0;

	while (!r && !e->in.over) {
		int timeout = sooner(1000, push_timeout(e->pusher));

		if (e->server) {
			fds[2].fd = serve_fd(e->server);
			timeout = sooner(timeout, serve_timeout(e->server));
		}
		if (push_wait(e->pusher, fds, 3, timeout) < 0)
			return -EIO;
		if (fds[0].revents)
			return 0;
		if (fds[1].revents)
			r = read_input(e);
		if (e->server)
			serve_run(e->server);
		model_age(&e->model, clock_now());
		push_run(e->pusher, false);
	}
	return r;
}

static int print(struct export *e)
{
	int r = series_update(&e->series, &e->model);

	if (!r)
		openmetrics_write(stdout, &e->series, &e->model, true);
	return r || fflush(stdout) ? -1 : 0;
}

static int signals_take(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Where the metrics go. 0, or -1 after a message. */
static int open_outputs(struct export *e)
{
	const struct serve_what what = { &e->series, &e->model };

	if (e->print)
		return 0;
	if (e->listen) {
		e->server = serve_open(e->listen, &what, stderr);
		if (!e->server)
			return -1;
	}
	if (e->push.url) {
		e->pusher = push_open(&e->push, &e->series, &e->model);
		if (!e->pusher)
			return -1;
	}
	return 0;
}

/* Reads, and hands on. Returns the exit status. */
static int export(struct export *e, int signals)
{
	int status = EXIT_OK, r = loop(e, signals);

	if (r)
		fprintf(stderr, "dwire-export: %s\n", strerror(-r));
	if (!r && e->print)
		r = print(e);
	push_run(e->pusher, true);
	if (!model_ended(&e->model, &status) && e->in.over && !r) {
		fputs("dwire-export: the stream ended before its trace did\n", stderr);
		status = EXIT_ERROR;
	}
	return r ? EXIT_ERROR : status;
}

int main(int argc, char **argv)
{
	struct export e = {
		.listen = "localhost:9435", .max = SERIES_MAX, .push = { .interval_s = 10, .err = stderr }
	};
	int status = take_options(&e, argc, argv), signals;

	if (status >= 0)
		return status;
	e.model.rules = (struct label_rules){ e.show, e.hide };
	series_init(&e.series, e.max);
	signals = signals_take();
	status = EXIT_ERROR;
	if (!open_outputs(&e) && !open_input(&e, (const char *const *)argv + optind)) {
		if (!privileges_drop(stderr))
			status = export(&e, signals);
		close(e.in.fd);
		if (e.child)
			command_end(e.child);
	}
	push_close(e.pusher);
	serve_close(e.server);
	lines_close(&e.in);
	series_free(&e.series);
	model_free(&e.model);
	close(signals);
	return status;
}
