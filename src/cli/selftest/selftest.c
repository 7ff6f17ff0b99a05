/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selftest: see selftest.h.
 * Input: the providers of dwire_list(). Output: the head of a bug report, then a line for each provider, or
 * both as a JSON object.
 * A child tests each provider, some at a time: attaching and detaching are mostly waiting. All that is in the kernel is
 * held by descriptors of the children, which die with this process, so nothing stays however the test ends. */
#include "cli/selftest/selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/selftest/json.h"
#include "cli/selftest/machine.h"
#include "cli/selftest/provider.h"

/* Children at a time: attachments of one wait while another is on the CPU; more of them wait for each other. */
enum { MAX = 64, WORKERS = 4, LIMIT_MS = 300000 /* for a provider; emulated machines take minutes */ };
#define SCREEN_WIDTH 80

struct tested {
	char name[32];
	pid_t pid;
	int64_t end; /* CLOCK_MONOTONIC, ms: when it is given up */
	bool reported, late, over;
	struct result result;
};

struct selftest {
	struct tested all[MAX];
	unsigned n, started, over;
	unsigned wrong, open; /* at the end: providers, and those that were not finished */
	int pipe[2];
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Probes of a provider follow each other. */
static int note_provider(void *ctx, const struct dwire_probe *p)
{
	struct selftest *s = ctx;

	for (unsigned i = 0; i < s->n; i++)
		if (!strcmp(s->all[i].name, p->provider))
			return 0;
	if (s->n < MAX)
		snprintf(s->all[s->n++].name, sizeof(s->all[0].name), "%s", p->provider);
	return 0;
}

static _Noreturn void child(const struct selftest *s, unsigned i, pid_t parent)
{
	struct result r = { .number = i };
	struct rlimit l;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &l);
	}
	provider_test(s->all[i].name, &r);
	_exit(write(s->pipe[1], &r, sizeof(r)) == sizeof(r) ? 0 : 1);
}

/* Starts the next ones, as long as fewer than WORKERS run. 0 or -errno. */
static int start_more(struct selftest *s)
{
	pid_t parent = getpid();

	for (; s->started < s->n && s->started < s->over + WORKERS; s->started++) {
		struct tested *t = &s->all[s->started];

		t->end = now_ms() + LIMIT_MS;
		t->pid = fork();
		if (t->pid == 0)
			child(s, s->started, parent);
		if (t->pid < 0)
			return -errno;
	}
	return 0;
}

static void take_result(struct selftest *s)
{
	struct result r;

	if (read(s->pipe[0], &r, sizeof(r)) != sizeof(r) || r.number >= s->n)
		return;
	s->all[r.number].result = r;
	s->all[r.number].reported = true;
}

/* Counts the children that are over: they have reported, died without a word, or took too long. What the last ones
 * have in the kernel goes in its own time. died: what they wrote before has been read. */
static void count_over(struct selftest *s, bool died)
{
	for (unsigned i = 0; i < s->started; i++) {
		struct tested *t = &s->all[i];

		if (t->over)
			continue;
		t->late = !t->reported && now_ms() >= t->end;
		if (t->late)
			kill(t->pid, SIGKILL);
		t->over = t->reported || t->late || (died && waitpid(t->pid, NULL, WNOHANG) == t->pid);
		s->over += t->over;
	}
}

static int run(struct selftest *s)
{
	struct pollfd p = { .events = POLLIN };
	int r;

	if (pipe2(s->pipe, O_CLOEXEC))
		return -errno;
	p.fd = s->pipe[0];
	r = start_more(s);
	while (!r && s->over < s->n) {
		bool any = poll(&p, 1, 500) > 0;

		if (any)
			take_result(s);
		count_over(s, !any);
		r = start_more(s);
	}
	for (unsigned i = 0; r && i < s->started; i++)
		if (!s->all[i].over)
			kill(s->all[i].pid, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	close(s->pipe[0]);
	close(s->pipe[1]);
	return r;
}

/* ---- the screen -------------------------------------------------------------------------------------------------- */
static const char *verdict(const struct tested *t)
{
	if (!t->reported)
		return "?";
	if (t->result.wrong)
		return "WRONG";
	return t->result.tried ? "ok" : "none";
}

/* What is wrong or could not be tested; "": nothing. */
static void write_note(const struct tested *t, char *note, size_t size)
{
	const struct result *r = &t->result;

	if (!t->reported && !t->late)
		snprintf(note, size, "its test ended without a result");
	else if (!t->reported)
		snprintf(note, size, "not finished in %d s", LIMIT_MS / 1000);
	else if (!r->wrong && !r->tried && !*r->note)
		snprintf(note, size, "this kernel shows none of its probes: dwire -lvv -P %s", t->name);
	else
		snprintf(note, size, "%s", r->note);
	for (char *c = note; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
}

static void print_line(const struct tested *t, FILE *out)
{
	const struct result *r = &t->result;
	char tiers[SELFTEST_TIERS + 1];

	for (unsigned i = 0; i < SELFTEST_TIERS; i++)
		tiers[i] = r->tier[i] ? selftest_tiers[i][0] : '-';
	tiers[SELFTEST_TIERS] = '\0';
	fprintf(out, "%-9s %-5s %5u %8u %7u %5s %7u\n", t->name, verdict(t), r->probes, r->tried, r->members, tiers,
		r->counted);
}

/* Below the table, so that it fits a terminal. Lines break at blanks. */
static void print_note(const struct tested *t, FILE *out)
{
	char note[sizeof(t->result.note)];
	int column = fprintf(out, "%s:", t->name);

	write_note(t, note, sizeof(note));
	for (const char *w = note; *w;) {
		int len = (int)strcspn(w, " ");

		if (column + 1 + len > SCREEN_WIDTH)
			column = fprintf(out, "\n   ") - 1;
		column += fprintf(out, " %.*s", len, w);
		w += len + (w[len] == ' ');
	}
	fputc('\n', out);
}

static bool has_note(const struct tested *t)
{
	char note[sizeof(t->result.note)];

	write_note(t, note, sizeof(note));
	return *note;
}

static void print_all(const struct selftest *s, FILE *out)
{
	fprintf(out, "\n%-9s %-5s %5s %8s %7s %5s %7s\n", "PROVIDER", "STATE", "PROBES", "ATTACHED", "MEMBERS", "TIERS",
		"COUNTED");
	for (unsigned i = 0; i < s->n; i++)
		print_line(&s->all[i], out);
	for (unsigned i = 0; i < s->n; i++)
		if (has_note(&s->all[i]))
			print_note(&s->all[i], out);
	fprintf(out, "%u providers, %u wrong, %u not finished\n", s->n, s->wrong, s->open);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */
static void json_provider(struct json *j, const struct tested *t)
{
	const struct result *r = &t->result;
	char note[sizeof(r->note)];

	write_note(t, note, sizeof(note));
	json_open(j, NULL, '{');
	json_text(j, "provider", t->name);
	json_text(j, "state", !t->reported ? "unfinished" : r->wrong ? "wrong" : verdict(t));
	json_number(j, "probes", t->reported, r->probes);
	json_number(j, "attached", t->reported, r->tried);
	json_number(j, "members", t->reported, r->members);
	json_open(j, "tiers", '[');
	for (unsigned i = 0; i < SELFTEST_TIERS; i++)
		if (r->tier[i])
			json_text(j, NULL, selftest_tiers[i]);
	json_close(j, ']');
	json_number(j, "counted", t->reported, r->counted);
	json_text(j, "note", *note ? note : NULL);
	json_close(j, '}');
}

/* The end of the object. tested false: nothing is claimed. */
static void json_all(const struct selftest *s, bool tested, struct json *j)
{
	if (tested) {
		json_open(j, "providers", '[');
		for (unsigned i = 0; i < s->n; i++)
			json_provider(j, &s->all[i]);
		json_close(j, ']');
	} else
		json_text(j, "providers", NULL);
	json_number(j, "wrong", tested, s->wrong);
	json_number(j, "unfinished", tested, s->open);
	json_close(j, '}');
	fputc('\n', j->out);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */
static int take_arguments(struct dwire *d, int argc, char **argv, bool *json)
{
	int r = 0;

	for (int i = 1; i < argc && !r; i++)
		if (!strcmp(argv[i], "--json"))
			*json = true;
		else
			r = dwire_add(d, DWIRE_PROVIDER, "self-test", argv[i], strlen(argv[i]));
	return r;
}

static int test_all(struct selftest *s, const struct messages *messages)
{
	int r = run(s);

	if (r)
		message(messages, "cannot start the test: %s", strerror(-r));
	for (unsigned i = 0; i < s->n; i++) {
		s->wrong += s->all[i].reported && s->all[i].result.wrong;
		s->open += !s->all[i].reported;
	}
	return r;
}

/* The head comes before the test: it stays if the test ends this process. */
static int test_machine(struct selftest *s, struct dwire **d, int argc, char **argv, const struct messages *messages)
{
	struct json j = { .out = stdout };
	bool json = false;
	int r = take_arguments(*d, argc, argv, &json);

	if (!r)
		r = dwire_list(*d, note_provider, s);
	if (json) {
		json_open(&j, NULL, '{');
		machine_json(*d, &j);
	} else
		machine_print(*d, stdout);
	if (!r)
		r = dwire_require(*d);
	dwire_free(*d);
	*d = NULL;
	fflush(stdout); /* children would write it again */
	if (!r)
		r = test_all(s, messages);
	if (json)
		json_all(s, !r, &j);
	else if (!r)
		print_all(s, stdout);
	return r;
}

int selftest_main(int argc, char **argv, const struct messages *messages)
{
	struct selftest *s = calloc(1, sizeof(*s));
	struct dwire *d = NULL;
	int r = s ? dwire_new(&d) : -ENOMEM;

	if (r) {
		message(messages, "cannot start: %s", strerror(-r));
		free(s);
		return 2;
	}
	dwire_on_message(d, message_show, (void *)(uintptr_t)messages);
	r = test_machine(s, &d, argc, argv, messages);
	r = r ? 2 : s->wrong ? 1 : s->open ? 2 : 0;
	free(s);
	return r;
}
