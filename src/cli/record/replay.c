/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay: see replay.h.
 * Input: a recording. Output: what the traces showed, or their frames.
 * A process reads the recording and writes a stream into a pipe; this one merges it as it merges any stream. */
#include "cli/record/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/signals.h"
#include "cli/trace.h"

#define NS 1000000000ull

struct replay {
	struct messages *messages;
	struct dwire *d; /* for messages of the reader */
	struct dwire_recording *recording;
	uint64_t from, to;
	bool frames;         /* --json */
	const char *packets; /* -w; NULL: none */
	FILE *out;           /* where packets go */
};

static void usage(FILE *out)
{
	fputs("usage: dwire replay DIRECTORY [--from TIME] [--to TIME] [--json | -w FILE]\n"
	      "\n"
	      "Shows what dwire record wrote, as the live trace would have. A TIME is 2026-11-23T07:15[:30][Z],\n"
	      "07:15[:30] of today, or -5m (s, m, h, d) before now.\n"
	      "\n"
	      "  --json   the stream's frames, one a line, for dwire merge and other programs\n"
	      "  -w FILE  the packets of pcap(), and the text as log entries, as pcapng;\n"
	      "           \"-\" is the standard output\n",
		out);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */
static bool time_before(const char *text, uint64_t *ns)
{
	static const struct {
		char unit;
		unsigned s;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end > text && *text >= '0' && *text <= '9' && *end == units[i].unit && !end[1] && n < 1000000) {
			*ns = ((uint64_t)time(NULL) - n * units[i].s) * NS;
			return true;
		}
	return false;
}

static bool time_of(const char *text, uint64_t *ns)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S",
		"%Y-%m-%d %H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M" };
	const time_t now = time(NULL);

	if (*text == '-')
		return time_before(text + 1, ns);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm;
		const char *end;
		time_t t;

		localtime_r(&now, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_isdst = -1;
		end = strptime(text, forms[i], &tm);
		if (!end || (*end && strcmp(end, "Z") != 0))
			continue;
		t = *end ? timegm(&tm) : mktime(&tm);
		*ns = (uint64_t)t * NS;
		return t >= 0;
	}
	return false;
}

/* ---- the process that reads ------------------------------------------------------------------------------------- */
/* 0, or 1 after a message. A reader of the pipe that is gone is no error. */
static int write_sessions(const struct replay *p, size_t from, size_t to, FILE *out)
{
	int status = 0;

	for (size_t i = from; i < to; i++) {
		int r = dwire_recording_touches(p->recording, i, p->from, p->to)
			? dwire_recording_write(p->recording, i, p->from, p->to, out)
			: 0;

		if (r < 0) {
			if (r != -EPIPE)
				message(p->messages, "cannot write: %s", strerror(-r));
			return r != -EPIPE;
		}
		status |= r;
	}
	return status;
}

/* Returns the end of the pipe to read from, or -1 after a message. */
static int start_reader(const struct replay *p, size_t from, size_t to, pid_t *pid)
{
	int ends[2];

	fflush(NULL);
	if (pipe2(ends, O_CLOEXEC)) {
		message(p->messages, "cannot start the reader: %s", strerror(errno));
		return -1;
	}
	*pid = fork();
	if (!*pid) {
		FILE *out = fdopen(ends[1], "w");

		close(ends[0]);
		signal(SIGPIPE, SIG_IGN);
		_exit(out ? write_sessions(p, from, to, out) : 1);
	}
	close(ends[1]);
	if (*pid > 0)
		return ends[0];
	message(p->messages, "cannot start the reader: %s", strerror(errno));
	close(ends[0]);
	return -1;
}

bool replay_is_recording(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int open_recording(struct replay *p, const char *path)
{
	if (dwire_new(&p->d)) {
		message(p->messages, "%s", strerror(ENOMEM));
		return 1;
	}
	dwire_on_message(p->d, message_show, p->messages);
	return dwire_recording_open(&p->recording, p->d, path) ? 1 : 0;
}

static void close_recording(struct replay *p)
{
	dwire_recording_close(p->recording);
	dwire_free(p->d);
}

int replay_open(const char *path, const struct messages *messages)
{
	struct messages own = *messages;
	struct replay p = { .messages = &own, .to = UINT64_MAX };
	pid_t pid;
	int fd = -1;

	if (!open_recording(&p, path))
		fd = start_reader(&p, 0, dwire_recording_sessions(p.recording), &pid);
	close_recording(&p);
	return fd;
}

/* ---- sessions one after the other -------------------------------------------------------------------------------- */
/* Shows a session as its trace did. Returns the exit status. */
static int show(const struct replay *p, size_t session)
{
	struct dwire *d = NULL;
	pid_t pid;
	int fd = start_reader(p, session, session + 1, &pid), status, ended = 0;

	if (fd < 0)
		return 1;
	status = dwire_new(&d) ? 1 : 0;
	if (status)
		close(fd);
	else {
		dwire_on_message(d, message_show, p->messages);
		dwire_output(d, p->out);
		status = p->packets && dwire_set(d, "capture=-", "-w") ? 1 : 0;
		if (status)
			close(fd);
		else
			status = dwire_merge_add(d, "recording", fd) ? 1 : trace(d, p->out, p->messages);
	}
	dwire_free(d);
	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		;
	return status ? status : !WIFEXITED(ended) || WEXITSTATUS(ended);
}

/* Each session becomes a section of the file. 0, or 1 after a message. */
static int open_output(struct replay *p)
{
	int fd;

	p->out = stdout;
	if (!p->packets || !strcmp(p->packets, "-"))
		return 0;
	fd = open(p->packets, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	p->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (p->out)
		return 0;
	message(p->messages, "cannot write packets to %s: %s", p->packets, strerror(errno));
	return 1;
}

static int close_output(const struct replay *p)
{
	if (p->out == stdout || !fclose(p->out))
		return 0;
	message(p->messages, "cannot write packets to %s: %s", p->packets, strerror(errno));
	return 1;
}

static bool is_reader_gone(FILE *out)
{
	struct pollfd fd = { .fd = fileno(out) };

	return poll(&fd, 1, 0) > 0 && fd.revents & POLLERR;
}

static int show_all(const struct replay *p)
{
	const size_t n = dwire_recording_sessions(p->recording);
	int status = 0, r;
	bool any = false;

	if (p->frames) {
		signal(SIGPIPE, SIG_IGN);
		return write_sessions(p, 0, n, stdout);
	}
	for (size_t i = 0; i < n && !is_reader_gone(p->out); i++) {
		if (!dwire_recording_touches(p->recording, i, p->from, p->to))
			continue;
		any = true;
		r = show(p, i);
		status = r > status ? r : status;
	}
	if (!any && !is_reader_gone(p->out))
		message(p->messages, "nothing was recorded in that time");
	return status;
}

/* 0, -1 for help, or 2. */
static int take_options(struct replay *p, int argc, char **argv)
{
	static const struct option longs[] = { { "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 't' }, { "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' }, { 0 } };
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":hw:", longs, NULL)) != -1) {
		if (opt == 'h')
			return -1;
		if (opt == 'j')
			p->frames = true;
		if (opt == 'w')
			p->packets = optarg;
		if ((opt == 'f' || opt == 't') && !time_of(optarg, opt == 'f' ? &p->from : &p->to)) {
			message(p->messages, "replay: %s is no time", optarg);
			return 2;
		} else if (opt == '?' || opt == ':') {
			message(p->messages, "replay: %s %s", opt == ':' ? "a value is missing after" : "no option",
				argv[optind - 1]);
			return 2;
		}
	}
	if (argc - optind == 1 && !(p->frames && p->packets))
		return 0;
	message(p->messages, "replay: %s", argc - optind == 1 ? "--json or -w" : "one directory is needed");
	return 2;
}

int replay_main(int argc, char **argv, struct messages *messages)
{
	struct replay p = { .messages = messages, .to = UINT64_MAX };
	int status = take_options(&p, argc, argv);

	if (status) {
		usage(status < 0 ? stdout : stderr);
		return status < 0 ? 0 : status;
	}
	status = open_recording(&p, argv[optind]);
	if (!status)
		status = open_output(&p);
	if (!status) {
		status = show_all(&p);
		status |= close_output(&p);
	}
	close_recording(&p);
	return status;
}
