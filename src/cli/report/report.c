/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: see report.h. Input: options. Output: a page, written when the trace has ended.
 * Invariant: the file of -o is the page before or the page after, never a part. */
#include "cli/report/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report/page.h"
#include "cli/trace.h"

#define SECONDS 10 /* without an argument */
#define SECONDS_MAX 86400
#define PATIENCE_MS 8000 /* netcheck may begin later than the trace, and needs time to compile */

struct report {
	const char *path; /* of the page */
	double seconds;
	struct messages *messages;
	struct dwire *d;
	struct collection c;
	struct findings findings;
};

static void usage(FILE *out)
{
	fputs("usage: dwire report [SECONDS] -o FILE\n"
	      "       dwire report --script\n"
	      "\n"
	      "Traces for some seconds (10) and writes one page of HTML for a ticket: the machine,\n"
	      "what netcheck finds, throughput, connections, retransmits, resets, drops, latencies,\n"
	      "DNS, who talked with whom. It needs no network and no scripts to be read. Ctrl-C\n"
	      "ends early, with the page.\n"
	      "\n"
	      "  -o FILE   where the page goes; - is the standard output\n"
	      "  --script  print the D scripts that run\n",
		out);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */
static void print_scripts(void)
{
	for (size_t i = 0; i < SECTIONS; i++)
		for (size_t k = 0; k < report_nfiles; k++)
			if (!strcmp(report_files[k].name, sections[i].script))
				printf("%s%s", i ? "\n" : "", report_files[k].text);
}

/* 0, or 2 after a message. */
static int take_seconds(struct report *r, const char *text)
{
	char *end;

	r->seconds = strtod(text, &end);
	if (end > text && !*end && r->seconds >= 0.1 && r->seconds <= SECONDS_MAX)
		return 0;
	message(r->messages, "report: SECONDS is a number from 0.1 to %d, not %s", SECONDS_MAX, text);
	return 2;
}

/* 0, -1 if all is done, or the exit status. */
static int take_options(struct report *r, int argc, char **argv)
{
	static const struct option longs[] = { { "script", no_argument, NULL, 'S' }, { "help", no_argument, NULL, 'h' },
		{ 0 } };
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":o:h", longs, NULL)) != -1) {
		if (opt == 'o')
			r->path = optarg;
		else if (opt == 'h' || opt == 'S') {
			if (opt == 'h')
				usage(stdout);
			else
				print_scripts();
			return -1;
		} else {
			message(r->messages, "report: %s %s", opt == ':' ? "a value is missing after" : "no option",
				argv[optind - 1]);
			usage(stderr);
			return 2;
		}
	}
	if (optind < argc && take_seconds(r, argv[optind++]))
		return 2;
	if (optind < argc) {
		message(r->messages, "report: one number of seconds is enough: %s", argv[optind]);
		return 2;
	}
	if (r->path)
		return 0;
	message(r->messages, "report: -o FILE is missing");
	message_hint(r->messages, "dwire report %g -o report.html", r->seconds);
	return 2;
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */
static void keep_reason(void *ctx, const struct dwire_message *m)
{
	char **reason = ctx;

	if (m->level == DWIRE_ERROR && !*reason)
		*reason = strdup(m->text);
}

/* Messages of the trace are shown, and kept for the page. */
static void keep_message(void *ctx, const struct dwire_message *m)
{
	struct report *r = ctx;

	message_show(r->messages, m);
	collect_message(&r->c, m->text);
}

static const struct embedded *script_of(size_t section)
{
	for (size_t i = 0; i < report_nfiles; i++)
		if (!strcmp(report_files[i].name, sections[section].script))
			return &report_files[i];
	return NULL;
}

/* Compiles the script of a section by itself: what this kernel lacks for it keeps no other section from the page. */
static bool section_works(size_t section, char **reason)
{
	const struct embedded *f = script_of(section);
	struct dwire *d = NULL;
	bool works = f && !dwire_new(&d);

	if (works) {
		dwire_on_message(d, keep_reason, reason);
		works = !dwire_add(d, DWIRE_SCRIPT, f->name, f->text, f->len) && !dwire_compile(d);
	}
	if (!works && !*reason)
		*reason = strdup("its script does not compile");
	dwire_free(d);
	return works;
}

/* 0, or 1 after a message. */
static int add_scripts(struct report *r)
{
	char end[80];
	int err = dwire_set(r->d, "quiet", NULL) || dwire_set(r->d, "dynvarsize=8m", NULL);

	for (size_t i = 0; !err && i < SECTIONS; i++) {
		const struct embedded *f = script_of(i);

		if (section_works(i, &r->c.lacks[i]))
			err = dwire_add(r->d, DWIRE_SCRIPT, f->name, f->text, f->len);
	}
	snprintf(end, sizeof(end), "BEGIN, END { trace(0); } tick-%.0fms { exit(0); }", r->seconds * 1000);
	return err || dwire_add(r->d, DWIRE_SCRIPT, "end", end, strlen(end));
}

struct page_of {
	const struct report *r;
	bool complete;
};

static void put_page(FILE *out, const void *ctx)
{
	const struct page_of *p = ctx;

	page_html(out, &p->r->c, &p->r->findings, p->r->d, p->complete);
}

/* 0, or 1 after a message. */
static int cannot_write(const struct report *r, int err)
{
	if (err)
		message(r->messages, "report: cannot write %s: %s", r->path, strerror(-err));
	return err != 0;
}

/* Traces and writes the page. Returns the exit status. */
static int run(struct report *r)
{
	const uint64_t length = (uint64_t)(r->seconds * 1e9);
	bool complete;
	int err;

	dwire_on_message(r->d, message_show, r->messages);
	dwire_on_progress(r->d, progress_show, r->messages->progress);
	if (dwire_require(r->d))
		return 1;
	collect_begin(&r->c, length, r->messages->progress);
	dwire_on_message(r->d, keep_message, r);
	if (add_scripts(r) || dwire_compile(r->d))
		return 1;
	dwire_on_data(r->d, &collect_handlers, &r->c);
	(void)findings_start(&r->findings, (unsigned)(r->seconds + 0.999));
	if (trace(r->d, NULL, r->messages))
		return 1;
	collect_end(&r->c);
	complete = r->c.end_ns - r->c.start_ns + 100000000 >= length;
	progress_show(r->messages->progress, "waiting for the checks of netcheck", 0, 0);
	findings_wait(&r->findings, complete ? PATIENCE_MS : 0);
	progress_show(r->messages->progress, NULL, 0, 0);
	err = output_write(r->path, put_page, &(struct page_of){ r, complete });
	if (!err && strcmp(r->path, "-") != 0)
		message(r->messages, "report: wrote %s%s", r->path, complete ? "" : " (ended early)");
	return cannot_write(r, err);
}

int report_main(int argc, char **argv, struct messages *messages)
{
	struct report r = { .seconds = SECONDS, .messages = messages };
	int status = take_options(&r, argc, argv);

	if (status)
		return status < 0 ? 0 : status;
	if (cannot_write(&r, output_check(r.path)))
		return 1;
	r.findings = (struct findings){ .hold = -1, .out = -1, .err = -1 };
	status = dwire_new(&r.d) ? 1 : 0;
	if (status)
		message(messages, "%s", strerror(ENOMEM));
	else
		status = run(&r);
	findings_close(&r.findings);
	collect_free(&r.c);
	dwire_free(r.d);
	return status;
}
