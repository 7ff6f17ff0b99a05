/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main: dwire-live, which shows a trace on a screen.
 * Input: the stream of a command that it starts, or of the standard input; keys of the terminal. Output: the screen.
 * Invariant: however it ends, but by SIGKILL, the terminal is as it was before and the commands that it started have
 * ended. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <wchar.h>

#include "base/clock.h"
#include "base/escape.h"
#include "live/terminal/screen.h"
#include "live/terminal/ui.h"
#include "live/words.h"

#define OPEN_NS 500000000ull /* so long a command may fail before the screen opens */
#define DRAW_NS 100000000ull /* rows that arrive are drawn at most so often */
#define WATCHES_MAX 16

enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

struct live {
	struct ui ui;
	FILE *in, *out; /* the terminal */
	int signals;
	uint64_t started, drawn;
};

static void usage(FILE *out)
{
	fputs("usage: dwire-live [option ...] [COMMAND [argument ...]]\n"
	      "\n"
	      "Shows a trace on a screen: a table that can be sorted, filtered, grouped and paused.\n"
	      "It reads the stream of COMMAND, or of the standard input:\n"
	      "\n"
	      "  dwire-live dwire tcptop --json --emit --interval=1\n"
	      "  dwire on --emit web1,web2 -s top.d | dwire-live\n"
	      "\n"
	      "On a terminal dwire tcptop, udptop, socketio, tcprtt, reqlat and ss start it by\n"
	      "themselves; -b prints instead.\n"
	      "\n"
	      "  --title NAME  what the first line calls the trace\n"
	      "  --dwire PATH  dwire, for the tools that Enter opens\n"
	      "  -V, -h        version; this text. The key h lists all keys.\n",
		out);
}

/* -1, or the exit status. */
static int take_options(int argc, char **argv, const char **title, const char **program)
{
	static const struct option longs[] = { { "title", required_argument, NULL, 't' },
		{ "dwire", required_argument, NULL, 'd' }, { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' }, { 0 } };
	int opt;

	while ((opt = getopt_long(argc, argv, "+hV", longs, NULL)) != -1) {
		if (opt == 't') {
			*title = optarg;
		} else if (opt == 'd') {
			*program = optarg;
		} else if (opt == 'h') {
			usage(stdout);
			return EXIT_OK;
		} else if (opt == 'V') {
			puts("dwire-live " DWIRE_VERSION);
			return EXIT_OK;
		} else {
			fputs("    hint: dwire-live -h lists the options\n", stderr);
			return EXIT_USAGE;
		}
	}
	return -1;
}

/* ---- the terminal ------------------------------------------------------------------------------------------------ */
/* Keys come from the standard input, or from /dev/tty if the stream does. */
static int find_terminal(struct live *l, bool stream_is_stdin)
{
	const char *term = getenv("TERM");
	int fd;

	if (!term || !*term || !strcmp(term, "dumb")) {
		fprintf(stderr, "dwire-live: a screen needs a terminal that can move its cursor (TERM=%s)\n",
			term ? term : "");
		return -1;
	}
	if (stream_is_stdin && isatty(STDIN_FILENO)) {
		fputs("dwire-live: the standard input is a terminal, no stream\n"
		      "    hint: dwire-live dwire --emit -s script.d, or dwire tcptop\n",
			stderr);
		return -1;
	}
	if (!stream_is_stdin && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
		l->in = stdin;
		l->out = stdout;
		return 0;
	}
	fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
	l->in = l->out = fd < 0 ? NULL : fdopen(fd, "r+");
	if (!l->in)
		fprintf(stderr, "dwire-live: there is no terminal for its screen: %s\n", strerror(errno));
	return l->in ? 0 : -1;
}

static int take_signals(void)
{
	static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */
static void read_signals(struct live *l)
{
	struct signalfd_siginfo s;

	while (read(l->signals, &s, sizeof(s)) == sizeof(s))
		if (s.ssi_signo == SIGWINCH)
			screen_resize(fileno(l->out));
		else
			l->ui.over = true;
}

static void read_keys(struct live *l)
{
	unsigned key;
	bool is_code;

	while (!l->ui.over && screen_key(&key, &is_code))
		ui_key(&l->ui, (wint_t)key, is_code);
}

/* Waits for whatever comes first. Returns whether a key or a signal came. */
static bool wait_for_input(struct live *l)
{
	struct pollfd fds[2 + 2 * WATCHES_MAX] = { { l->signals, POLLIN, 0 }, { fileno(l->in), POLLIN, 0 } };
	nfds_t n = 2;

	for (struct watch *w = l->ui.top; w && n + 2 <= 2 + 2 * WATCHES_MAX; w = w->below) {
		fds[n++] = (struct pollfd){ w->out, POLLIN, 0 };
		fds[n++] = (struct pollfd){ w->err.fd, POLLIN, 0 };
	}
	if (poll(fds, n, 200) < 0 && errno != EINTR)
		l->ui.over = true;
	if (fds[1].revents & (POLLHUP | POLLERR)) /* the terminal is gone */
		l->ui.over = true;
	if (fds[0].revents)
		read_signals(l);
	if (fds[1].revents & POLLIN)
		read_keys(l);
	return fds[0].revents || fds[1].revents;
}

/* A trace that failed before it showed anything has its messages printed instead of a screen. */
static bool failed_early(const struct watch *w)
{
	return w->ended && !w->feed.n && !w->below && (w->status || !screen_is_open());
}

static int loop(struct live *l)
{
	bool changed = true, pressed;

	while (!l->ui.over && !failed_early(l->ui.top)) {
		struct watch *w;

		pressed = wait_for_input(l);
		w = l->ui.top; /* keys may have changed it */
		do {
			watch_read(w);
			changed |= watch_take(w);
		} while ((w = w->below));
		if (!screen_is_open() && !l->ui.over && (l->ui.top->begun || clock_now() > l->started + OPEN_NS) &&
			screen_open(l->in, l->out))
			return -1;
		if (pressed || changed || clock_now() > l->drawn + 5 * DRAW_NS) {
			if (!pressed && clock_now() < l->drawn + DRAW_NS)
				continue;
			screen_draw(&l->ui);
			l->drawn = clock_now();
			changed = false;
		}
	}
	return 0;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */
static void print_tail(const struct watch *w)
{
	const size_t n = w->ntail < TAIL_LINES ? w->ntail : TAIL_LINES;

	for (size_t i = w->ntail - n; i < w->ntail; i++) {
		escape_print(stderr, w->tail[i % TAIL_LINES], strlen(w->tail[i % TAIL_LINES]), ESCAPE_KEEP_TAB);
		putc('\n', stderr);
	}
}

/* Ends all traces. Returns the exit status: that of a trace that ended by itself, else 0. */
static int close_all(struct live *l)
{
	int status = EXIT_OK;

	while (l->ui.top) {
		struct watch *w = l->ui.top;

		l->ui.top = w->below;
		status = w->ended ? w->status : EXIT_OK;
		if (w->ended && w->status)
			print_tail(w);
		watch_close(w);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct live l = { .started = clock_now() };
	const char *title = NULL, *program = NULL;
	int status = take_options(argc, argv, &title, &program);

	if (status >= 0)
		return status;
	words_locale();
	if (find_terminal(&l, optind == argc))
		return EXIT_ERROR;
	l.signals = take_signals();
	l.ui.program = program;
	if (!title)
		title = optind < argc ? argv[optind] : "stream";
	l.ui.top = watch_open((const char *const *)argv + optind, title);
	if (!l.ui.top) {
		fprintf(stderr, "dwire-live: cannot start %s\n", title);
		return EXIT_ERROR;
	}
	status = loop(&l);
	screen_close();
	if (close_all(&l) || status)
		status = EXIT_ERROR;
	return status;
}
