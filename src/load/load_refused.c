/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_refused: a program that the kernel refused, told in words of D.
 * Input: the program, the verifier's log. Output: the text in ld->why: the line of D, the reason, the log's end. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lockdown.h"
#include "load/load_priv.h"

#define LOG_TAIL 12 /* lines of the verifier's log that are shown */

/* Number of the instruction that the verifier looked at last, or -1. Lines are "12: (79) r1 = ..." or speak of
 * "insn 12". */
static long last_insn(const char *log)
{
	long last = -1;

	for (const char *line = log; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t len = strcspn(line, "\n");
		const char *named = memmem(line, len, "insn ", 5);
		char *end;
		long n = strtol(line, &end, 10);

		if (end > line && isdigit((unsigned char)*line) && strncmp(end, ": (", 3) == 0)
			last = n;
		else if (named && isdigit((unsigned char)named[5]))
			last = strtol(named + 5, NULL, 10);
	}
	return last;
}

/* The D that instruction insn came from; src NULL when it is not known. */
static struct loc insn_loc(const struct ir_code *code, long insn)
{
	struct loc at = { 0 };

	for (size_t i = 0; insn >= 0 && i < code->lines.n && code->lines.v[i].insn <= (unsigned long)insn; i++)
		if (code->lines.v[i].loc.src)
			at = code->lines.v[i].loc;
	return at;
}

/* The log closes with statistics, which speak of instructions too. */
void load_cut_log(char *log)
{
	static const char *const heads[] = { "verification time ", "processed " };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		for (char *p = strstr(log, heads[i]); p; p = strstr(p + 1, heads[i]))
			if (p == log || p[-1] == '\n') {
				*p = 0;
				break;
			}
}

/* The last lines of the log. */
static const char *log_tail(const char *log)
{
	const char *p;
	size_t lines = 0;

	for (p = log + strlen(log); p > log; p--)
		if (p[-1] == '\n' && *p && ++lines == LOG_TAIL)
			break;
	return p;
}

/* "tcp.d:7:22: " and, after the message, the line itself. */
static void add_position(FILE *t, struct loc at)
{
	unsigned line, col;

	if (!at.src)
		return;
	loc_position(at, &line, &col);
	fprintf(t, "%s:%u:%u: ", at.src->name, line, col);
}

static void add_source_line(FILE *t, struct loc at)
{
	size_t from, to;

	if (!at.src || at.off > at.src->len)
		return;
	for (from = at.off; from > 0 && at.src->text[from - 1] != '\n'; from--)
		continue;
	for (to = at.off; to < at.src->len && at.src->text[to] != '\n'; to++)
		continue;
	fprintf(t, "\n    %.*s", (int)(to - from), at.src->text + from);
}

static void add_log(FILE *t, const char *log)
{
	const char *p = log_tail(log);

	fprintf(t, "\n  the end of the verifier's log:");
	while (*p) {
		size_t len = strcspn(p, "\n");

		if (len)
			fprintf(t, "\n    %.*s", (int)len, p);
		p += len + (p[len] == '\n');
	}
}

/* A helper whose name begins so is not for this program; older kernels then do not even know it. */
static bool withheld(const char *log, const char *helper)
{
	static const char *const verdicts[] = { "unknown func ", "cannot use helper " };

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		for (const char *p = log; (p = strstr(p, verdicts[i])) != NULL;)
			if (!strncmp(p += strlen(verdicts[i]), helper, strlen(helper)))
				return true;
	return false;
}

static bool hidden(const char *log)
{
	return withheld(log, "bpf_probe_read_kernel") && lockdown_hides();
}

/* No fault of the program: what this kernel does not let anybody do, by the last words of the log; or NULL. */
static const char *forbidden(const char *log)
{
	static const char *const too_large[] = { "due to 16-bit range", "jumps is too complex", "program is too large",
		"combined stack size of", "Looks like the BPF stack limit", "maps per program has reached the limit" };

	for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++)
		if (strstr(log, too_large[i]))
			return "the clauses of this probe make too large a program; trace in several runs, or with "
			       "fewer "
			       "or shorter clauses on it";
	if (withheld(log, "bpf_probe_write_user"))
		return "copyout() and copyoutstr() are not possible: this kernel is locked down (integrity), which "
		       "forbids tracers to write to the memory of processes";
	return NULL;
}

/* Of the part that instruction insn is in, where several are one program. */
static const struct image_probe *insn_probe(const struct image *img, const struct image_prog *p, long insn)
{
	uint32_t probe = p->probe;

	for (size_t i = 0; i < p->nparts && insn >= (long)p->parts[i].insn; i++)
		probe = p->parts[i].probe;
	return probe < img->probes.n ? &img->probes.v[probe] : NULL;
}

void load_refused(struct loader *ld, const struct image_prog *p, const char *log, int err)
{
	long insn = log[0] ? last_insn(log) : -1;
	const struct image_probe *probe = insn_probe(ld->c->image, p, insn);
	FILE *t = fmemopen(ld->why, ld->why_len - 1, "w");
	struct loc at = insn_loc(&p->code, insn);
	char reason[320];

	ld->why[ld->why_len - 1] = 0;
	features_explain(ld->c->features, err, reason, sizeof(reason));
	if (hidden(log)) {
		log = "";
		snprintf(reason, sizeof(reason), "%s", LOCKDOWN_HIDES);
	}
	if (!t) {
		snprintf(ld->why, ld->why_len, "cannot load the program %s: %s", p->name, reason);
		return;
	}
	if (log[0])
		add_position(t, at);
	if (forbidden(log)) {
		fprintf(t, "%s", forbidden(log));
		add_source_line(t, at);
		fclose(t);
		return;
	}
	fprintf(t, log[0] ? "the kernel's verifier refused the program for " : "cannot load the program for ");
	if (probe)
		fprintf(t, "%s:%s:%s:%s", probe->prov, probe->mod, probe->func, probe->name);
	else
		fprintf(t, "%s", p->name);
	/* EACCES and EINVAL are the verifier's own verdicts: the log is the reason. */
	fprintf(t, ": %s", log[0] ? strerror(err) : reason);
	if (log[0]) {
		add_source_line(t, at);
		add_log(t, log);
	}
	fclose(t);
}
