/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_refused: reports maps and programs that the kernel refused.
 * Input: a map's size, or a program and the verifier's log. Output: a diagnostic; for a program it points at the line
 * of D that the refused instruction was compiled from, and has the end of the log as its detail. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag/report.h"
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

/* The function that instruction insn is in, where the program itself is the first. */
static size_t func_of(const struct code *c, long insn)
{
	size_t i = c->funcs.n;

	while (i > 1 && (long)c->funcs.v[i - 1].insn > insn)
		i--;
	return i ? i - 1 : 0;
}

/* The instruction of the program itself that leads to insn: the first that calls the function which that is in. */
static long leads_to(const struct code *c, long insn)
{
	for (size_t depth = 0, f; insn >= 0 && depth < c->funcs.n && (f = func_of(c, insn)) != 0; depth++)
		for (size_t k = 0; k < c->n; k++)
			if (code_names_function(&c->insns[k]) &&
				(long)k + c->insns[k].imm + 1 == (long)c->funcs.v[f].insn) {
				insn = (long)k;
				break;
			}
	return insn;
}

/* The D that instruction insn came from; src NULL when it is not known. */
static struct loc insn_loc(const struct code *code, long insn)
{
	struct loc at = { 0 };

	for (size_t i = 0; insn >= 0 && i < code->lines.n && code->lines.v[i].insn <= (unsigned long)insn; i++)
		if (code->lines.v[i].loc.src)
			at = code->lines.v[i].loc;
	return at;
}

/* The log ends with statistics, which mention instructions too: they are cut off. */
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

/* The end of the log, a line indented by four columns each, in malloc'ed memory; NULL without memory. */
static char *quote_log(const char *log)
{
	char *text = NULL;
	size_t size = 0;
	FILE *t = open_memstream(&text, &size);

	if (!t)
		return NULL;
	fprintf(t, "  the end of the verifier's log:\n");
	for (const char *p = log_tail(log); *p;) {
		size_t len = strcspn(p, "\n");

		if (len)
			fprintf(t, "    %.*s\n", (int)len, p);
		p += len + (p[len] == '\n');
	}
	if (fclose(t) == 0)
		return text;
	free(text);
	return NULL;
}

/* The log says that this program type may not call the helper, or that an older kernel does not know it. */
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

/* Explains a refusal that is due to a limit of the kernel or to lockdown, not to a defect of the program. NULL: it is
 * neither. */
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

int load_map_failed(struct loader *ld, const char *name, uint64_t bytes, int err)
{
	char reason[320];

	features_explain(ld->c->features, err, reason, sizeof(reason));
	return report_error(ld->to, err, D_NONE, NULL, "cannot create the BPF map %s (%llu bytes): %s", name,
		(unsigned long long)bytes, reason);
}

/* "tcp:::send", or the program's own name, in buf. */
static const char *prog_name(const struct image_prog *p, const struct image_probe *probe, char *buf, size_t size)
{
	if (!probe)
		return p->name;
	snprintf(buf, size, "%s:%s:%s:%s", probe->prov, probe->mod, probe->func, probe->name);
	return buf;
}

int load_refused(struct loader *ld, const struct image_prog *p, const char *log, int err)
{
	long insn = log[0] ? leads_to(&p->code, last_insn(log)) : -1;
	struct diag d = { .level = DIAG_ERROR, .err = err, .loc = insn_loc(&p->code, insn) };
	char reason[320], name[256], text[640], *quoted = NULL;
	const char *limit = forbidden(log), *no_jit = strstr(log, "JIT") ? features_no_jit(ld->c->features) : NULL;

	features_explain(ld->c->features, err, reason, sizeof(reason));
	if (hidden(log)) {
		log = "";
		d.loc = (struct loc){ 0 };
		snprintf(reason, sizeof(reason), "%s", LOCKDOWN_HIDES);
	}
	if (no_jit) {
		log = "";
		snprintf(reason, sizeof(reason), "this needs %s", no_jit);
	}
	d.message = limit;
	if (!limit) {
		/* EACCES and EINVAL are the verifier's own verdicts: the log is the reason. */
		snprintf(text, sizeof(text), "%s %s: %s",
			log[0] ? "the kernel's verifier refused the program for" : "cannot load the program for",
			prog_name(p, insn_probe(ld->c->image, p, insn), name, sizeof(name)),
			log[0] ? strerror(-err) : reason);
		d.message = text;
		d.detail = quoted = log[0] ? quote_log(log) : NULL;
	}
	report(ld->to, &d);
	free(quoted);
	return err;
}
