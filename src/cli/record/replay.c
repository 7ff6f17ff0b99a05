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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/picture/pictures.h"
#include "cli/progress.h"
#include "cli/record/recast.h"
#include "cli/signals.h"

#define NS 1000000000ull

struct replay {
	struct messages *messages;
	struct dwire *d; /* for messages of the reader */
	struct dwire_recording *recording;
	uint64_t from, to;
	bool frames; /* --emit */
	struct recast_options columns;
	struct pictures *pictures; /* borrowed */
	const char *packets;       /* -w; NULL: none */
	FILE *out;                 /* where packets go */
};

static void usage(FILE *out)
{
	fputs("usage: dwire replay DIRECTORY [--from TIME] [--to TIME] [--emit | -w FILE]\n"
	      "                    [-tT] [-o COL,...] [--by COL,...] [--wide] [--json]\n"
	      "                    [--csv] [--csvsafe] [--heat[=FILE]] [--flame FILE]\n"
	      "                    [--graph FILE]\n"
	      "\n"
	      "Shows what dwire record wrote, as the live trace would have. A TIME is\n"
	      "2026-11-23T07:15[:30][Z], 07:15[:30] of today, or -5m (s, m, h, d) before now.\n"
	      "\n"
	      "  --emit     the stream's frames, one a line, for dwire merge and other programs\n"
	      "  -w FILE    the packets of pcap(), and the text as log entries, as pcapng;\n"
	      "             \"-\" is the standard output\n"
	      "  --heat, --flame, --graph  pictures: man dwire; of each session a file\n"
	      "\n"
	      "Of a recorded tool, as the tool itself has them:\n"
	      "  -o COL,... only these columns\n"
	      "  --by COL,... a row for each of these, where rows are sums\n"
	      "  --wide     all columns that are known, and wide ones\n"
	      "  -t, -T     a column of seconds since the start, of the time of day\n"
	      "  --json     one JSON object per row; of another script the frames, as --emit\n"
	      "  --csv      comma-separated values; --csvsafe: for spreadsheets\n",
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
/* As dwire_recording_write(), with the rows of a tool as they were asked for. */
static int write_session(
	const struct replay *p, size_t session, uint64_t from, uint64_t to, FILE *out, struct recast_result *result)
{
	FILE *f = recast_open(&p->columns, out, result, p->messages);
	int r = f ? dwire_recording_write(p->recording, session, from, to, f) : -ENOMEM;

	if (f && fclose(f) && !r)
		r = -EPIPE;
	return !r && result->failed ? 1 : r;
}

/* 0, or 1 after a message. A reader of the pipe that is gone is no error. */
static int write_sessions(const struct replay *p, size_t from, size_t to, FILE *out)
{
	struct recast_result result;
	int status = 0;

	for (size_t i = from; i < to; i++) {
		int r = dwire_recording_touches(p->recording, i, p->from, p->to)
			? write_session(p, i, p->from, p->to, out, &result)
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

/* In the process that reads: what it says of its progress goes to the one that shows. */
static void note_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	struct progress_shared *shared = ctx;

	if (!what)
		return;
	__atomic_store_n(&shared->done, done, __ATOMIC_RELAXED);
	__atomic_store_n(&shared->total, total, __ATOMIC_RELAXED);
}

/* Memory that a child shares; NULL: there is none, and no progress. */
static struct progress_shared *share_progress(void)
{
	void *m = mmap(NULL, sizeof(struct progress_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return m == MAP_FAILED ? NULL : m;
}

/* Returns the end of the pipe to read from, or -1 after a message. */
static int start_reader(const struct replay *p, size_t from, size_t to, pid_t *pid, struct progress_shared *shared)
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
		p->messages->progress = NULL; /* its thread is not in this process */
		if (shared)
			dwire_on_progress(p->d, note_progress, shared);
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
		fd = start_reader(&p, 0, dwire_recording_sessions(p.recording), &pid, NULL);
	close_recording(&p);
	return fd;
}

/* ---- sessions one after the other -------------------------------------------------------------------------------- */
/* Shows a session as its trace did. Returns the exit status. */
static int show(const struct replay *p, size_t session)
{
	struct progress_shared *shared = share_progress();
	struct dwire *d = NULL;
	pid_t pid;
	int fd = start_reader(p, session, session + 1, &pid, shared), status, ended = 0;

	if (fd < 0)
		return 1;
	if (shared)
		progress_follow(p->messages->progress, "reading the recording", shared);
	status = dwire_new(&d) ? 1 : 0;
	if (status)
		close(fd);
	else {
		dwire_on_message(d, message_show, p->messages);
		dwire_output(d, p->out);
		dwire_merge_alone(d);
		status = p->packets && dwire_set(d, "capture=-", "-w") ? 1 : 0;
		if (status)
			close(fd);
		else
			status = dwire_merge_add(d, "recording", fd)
				? 1
				: pictures_trace(p->pictures, d, p->out, p->messages);
	}
	progress_show(p->messages->progress, NULL, 0, 0);
	dwire_free(d);
	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		;
	if (shared)
		munmap(shared, sizeof(*shared));
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

/* Reads the first frames of a session: whether it is a tool's, and whether the options are for it. */
static struct recast_result look_at(const struct replay *p, size_t session)
{
	struct recast_result result = { .failed = true };
	FILE *nowhere = fopen("/dev/null", "we");

	if (nowhere) {
		(void)write_session(p, session, UINT64_MAX, 0, nowhere, &result);
		fclose(nowhere);
	}
	return result;
}

/* Returns the exit status. */
static int show_one(const struct replay *p, size_t session)
{
	const struct recast_result is = p->columns.n ? look_at(p, session) : (struct recast_result){ 0 };

	if (is.failed)
		return 2;
	if (!is.is_tool && p->columns.json)
		return write_sessions(p, session, session + 1, stdout);
	return show(p, session);
}

static int show_all(const struct replay *p)
{
	const size_t n = dwire_recording_sessions(p->recording);
	int status = 0, r;
	bool any = false;

	if (p->frames || p->columns.json)
		signal(SIGPIPE, SIG_IGN);
	if (p->frames) {
		return write_sessions(p, 0, n, stdout);
	}
	for (size_t i = 0; i < n && !is_reader_gone(p->out); i++) {
		if (!dwire_recording_touches(p->recording, i, p->from, p->to))
			continue;
		any = true;
		r = show_one(p, i);
		status = r > status ? r : status;
	}
	if (!any && !is_reader_gone(p->out))
		message(p->messages, "nothing was recorded in that time");
	return status;
}

/* An option of tools; value: NULL, or its value. */
static void add_column_option(struct replay *p, const char *option, const char *value)
{
	struct recast_options *o = &p->columns;

	if (o->n + 2 > RECAST_ARGS)
		return;
	o->args[o->n++] = option;
	if (value)
		o->args[o->n++] = value;
	o->json |= !strcmp(option, "--json");
}

/* False: it is none. */
static bool take_column_option(struct replay *p, int opt)
{
	static const struct {
		int letter;
		const char *option;
		bool value;
	} options[] = { { 'o', "-o", true }, { 'b', "--by", true }, { 'W', "--wide", false }, { 'S', "-t", false },
		{ 'T', "-T", false }, { 'j', "--json", false }, { 'c', "--csv", false }, { 's', "--csvsafe", false } };

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].letter == opt) {
			add_column_option(p, options[i].option, options[i].value ? optarg : NULL);
			return true;
		}
	return false;
}

/* 0, -1 for help, or 2. */
static int take_options(struct replay *p, int argc, char **argv)
{
	static const struct option longs[] = { { "from", required_argument, NULL, 'f' },
		{ "to", required_argument, NULL, 'l' }, { "emit", no_argument, NULL, 'e' },
		{ "by", required_argument, NULL, 'b' }, { "wide", no_argument, NULL, 'W' },
		{ "json", no_argument, NULL, 'j' }, { "csv", no_argument, NULL, 'c' },
		{ "csvsafe", no_argument, NULL, 's' }, PICTURES_LONG, { "help", no_argument, NULL, 'h' }, { 0 } };
	int opt, at;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":hw:o:tT", longs, &at)) != -1) {
		if (opt == 'h')
			return -1;
		if (opt == PICTURES_OPTION && pictures_take(p->pictures, longs[at].name, optarg))
			continue;
		if (take_column_option(p, opt == 't' ? 'S' : opt))
			continue;
		if (opt == 'e')
			p->frames = true;
		if (opt == 'w')
			p->packets = optarg;
		if ((opt == 'f' || opt == 'l') && !time_of(optarg, opt == 'f' ? &p->from : &p->to)) {
			message(p->messages, "replay: %s is no time", optarg);
			return 2;
		} else if (opt == '?' || opt == ':') {
			message(p->messages, "replay: %s %s", opt == ':' ? "a value is missing after" : "no option",
				argv[optind - 1]);
			return 2;
		}
	}
	if (pictures_wanted(p->pictures) && (p->packets || p->frames)) {
		message(p->messages, "replay: pictures cannot be combined with -w or --emit");
		return 2;
	}
	if (argc - optind == 1 && !(p->packets && (p->frames || p->columns.n)))
		return 0;
	message(p->messages, "replay: %s",
		argc - optind == 1 ? "-w takes packets: no columns, and no --emit" : "one directory is needed");
	return 2;
}

int replay_main(int argc, char **argv, struct messages *messages)
{
	struct pictures pictures = { 0 };
	struct replay p = { .messages = messages, .to = UINT64_MAX, .pictures = &pictures };
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
