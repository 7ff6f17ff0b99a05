/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: see options.h. One table holds every option: its name, the syntax of its values, the member that keeps it,
 * and where it may be set.
 * Input: a name and a value. Output: a member of struct options.
 * Invariant: a refused value changes nothing. */
#include "options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag/diag.h"
#include "base/diag/nearest.h"
#include "base/period.h"
#include "lower/tiers.h"

#define PPM_PERCENT 10000.0                /* parts per million in a percent */
#define ONE_IN_MOST 1048576                /* samplerate */
#define VERSION_LATEST (2u << 24 | 0xfffu) /* of D: 2.0 */

/* What an option's value is, and what it looks like, for messages; NULL: any value does, or none. */
#define OPT_KINDS(X)                                                                                                 \
	X(OPT_BOOL, "it takes 1 or 0, or no value")                                                                  \
	X(OPT_NOT, "it takes 1 or 0, or no value")                        /* a bool whose field says the opposite */ \
	X(OPT_SIZE, "it takes bytes, as in 512k, 8m or 1g")               /* uint64_t */                             \
	X(OPT_RATE, "it takes a rate or a time, as in 10hz, 100ms or 1s") /* uint64_t, ns */                         \
	X(OPT_NUM, "it takes a number")                                   /* uint32_t */                             \
	X(OPT_ONE_IN, "it takes a number from 1 to 1048576: one in so many") /* uint32_t */                          \
	X(OPT_CPU, "it takes the number of a CPU")                           /* int */                               \
	X(OPT_SHARE, "it takes a percentage, as in 2% or 0.5%")              /* uint32_t, parts per million */       \
	X(OPT_TEXT, "it takes a path")                                       /* const char * */                      \
	X(OPT_LIST, "it takes a path")                                       /* one more text of an option_list */   \
	X(OPT_PORTS, "it takes up to 16 ports, as in 5353,8053")             /* struct port_list */                  \
	X(OPT_FLAG, "it takes what cpp's option of that kind takes")         /* one more of cpp's arguments */       \
	X(OPT_POLICY, "it takes switch, fill or ring")                                                               \
	X(OPT_RESIZE, "it takes auto or manual")                                                                     \
	X(OPT_FORMAT, "it takes text, json, xml, html or stream")                                                    \
	X(OPT_ROWS, "it takes text, json or csv")                                                                    \
	X(OPT_STDC, "it takes a, c, s or t")                                                                         \
	X(OPT_AMIN, "it takes a triplet such as Evolving/Evolving/Common")                                           \
	X(OPT_VERSION, "it takes a version of D such as 1.2")                                                        \
	X(OPT_LINKMODE, "it takes kernel, dynamic or static")                                                        \
	X(OPT_STACKFMT, "it takes dtrace or folded")                                                                 \
	X(OPT_UNWIND, "it takes fp or dwarf")                                                                        \
	X(OPT_EVALTIME, "it takes exec, preinit, postinit or main")                                                  \
	X(OPT_ENCODING, "it takes ascii or utf8")                                                                    \
	X(OPT_TIER, "it takes hooks, functions or kprobes")                                                          \
	X(OPT_SET, "it takes no value")                        /* bool, true whenever it is named */                 \
	X(OPT_ANY, NULL)                                       /* accepted: means the same here with any value */    \
	X(OPT_ANYNUM, "it takes a number")                     /* accepted, its value has to be a number */          \
	X(OPT_ANYSIZE, "it takes bytes, as in 512k, 8m or 1g") /* accepted, its value has to be a size */            \
	X(OPT_FOREIGN, NULL)                                   /* would mean something else without: refused */

#define X(kind, takes) kind,
enum opt_kind { OPT_KINDS(X) OPT_COUNT };
#undef X

#define X(kind, takes) [kind] = (takes),
static const char *const takes[OPT_COUNT] = { OPT_KINDS(X) };
#undef X

enum {
	AT_RUN = 1,   /* may be set while tracing: setopt() */
	NO_PRAGMA = 2 /* only on the command line: a program is too late */
};

/* off: the member of struct options; for OPT_FLAG the letter of cpp's option. Sorted by name for the reader only. */
static const struct opt {
	const char *name;
	enum opt_kind kind;
	unsigned where;
	size_t off;
} opts[] = {
#define O(field) offsetof(struct options, field)
	{ "aggrate", OPT_RATE, AT_RUN, O(aggrate_ns) },
	{ "aggsize", OPT_SIZE, 0, O(aggsize) },
	{ "agghist", OPT_BOOL, AT_RUN, O(agg.hist) },
	{ "aggkeep", OPT_SIZE, 0, O(agg.keep) },
	{ "aggpack", OPT_BOOL, AT_RUN, O(agg.pack) },
	{ "aggpercpu", OPT_BOOL, 0, O(agg.percpu) },
	{ "aggrows", OPT_NUM, AT_RUN, O(agg.rows) },
	{ "aggsortkey", OPT_BOOL, AT_RUN, O(agg.sort_key) },
	{ "aggsortkeypos", OPT_NUM, AT_RUN, O(agg.key_pos) },
	{ "aggsortpos", OPT_NUM, AT_RUN, O(agg.agg_pos) },
	{ "aggsortrev", OPT_BOOL, AT_RUN, O(agg.sort_rev) },
	{ "aggsortsum", OPT_BOOL, AT_RUN, O(agg.sort_sum) },
	{ "aggzoom", OPT_BOOL, AT_RUN, O(agg.zoom) },
	{ "amin", OPT_AMIN, 0, 0 },
	{ "argref", OPT_BOOL, 0, O(argref) },
	{ "bpflog", OPT_ANY, 0, 0 },
	{ "bpflogsize", OPT_ANYSIZE, 0, 0 },
	{ "btfpath", OPT_ANY, 0, 0 },
	{ "bufpolicy", OPT_POLICY, 0, 0 },
	{ "bufresize", OPT_RESIZE, 0, O(bufresize_manual) },
	{ "bufsize", OPT_SIZE, 0, O(bufsize) },
	{ "capture", OPT_TEXT, 0, O(capture) },
	{ "capturefiles", OPT_NUM, 0, O(capturefiles) },
	{ "capturelean", OPT_BOOL, 0, O(capturelean) },
	{ "capturesecs", OPT_SIZE, 0, O(capturesecs) },
	{ "capturesize", OPT_SIZE, 0, O(capturesize) },
	{ "cleanrate", OPT_RATE, 0, O(cleanrate_ns) },
	{ "core", OPT_ANY, 0, 0 },
	{ "cost", OPT_BOOL, 0, O(cost) },
	{ "cpp", OPT_BOOL, NO_PRAGMA, O(cpp) },
	{ "cppargs", OPT_LIST, NO_PRAGMA, O(cppargs) },
	{ "cpphdrs", OPT_BOOL, NO_PRAGMA, O(cpphdrs) },
	{ "cpppath", OPT_TEXT, NO_PRAGMA, O(cpppath) },
	{ "cpu", OPT_CPU, 0, O(cpu) },
	{ "csvsafe", OPT_BOOL, 0, O(csvsafe) },
	{ "ctfpath", OPT_ANY, 0, 0 },
	{ "ctypes", OPT_ANY, 0, 0 },
	{ "debug", OPT_ANY, 0, 0 },
	{ "debugassert", OPT_ANY, 0, 0 },
	{ "defaultargs", OPT_BOOL, 0, O(defaultargs) },
	{ "define", OPT_FLAG, NO_PRAGMA, 'D' },
	{ "destructive", OPT_BOOL, 0, O(destructive) },
	{ "disasm", OPT_ANY, 0, 0 },
	{ "dnsports", OPT_PORTS, 0, O(dnsports) },
	{ "droptags", OPT_BOOL, 0, O(droptags) },
	{ "dtypes", OPT_ANY, 0, 0 },
	{ "dynvarsize", OPT_SIZE, 0, O(dynvarsize) },
	{ "empty", OPT_BOOL, 0, O(empty) },
	{ "encoding", OPT_ENCODING, 0, 0 },
	{ "errtags", OPT_BOOL, 0, O(errtags) },
	{ "evaltime", OPT_EVALTIME, 0, 0 },
	{ "flowindent", OPT_BOOL, AT_RUN, O(flowindent) },
	{ "grabanon", OPT_FOREIGN, 0, 0 },
	{ "incdir", OPT_FLAG, NO_PRAGMA, 'I' },
	{ "inlines", OPT_BOOL, 0, O(inlines) },
	{ "iregs", OPT_ANYNUM, 0, 0 },
	{ "jstackframes", OPT_NUM, 0, O(jstackframes) },
	{ "jstackstrsize", OPT_SIZE, 0, O(jstackstrsize) },
	{ "kdefs", OPT_ANY, 0, 0 },
	{ "knodefs", OPT_ANY, 0, 0 },
	{ "late", OPT_ANY, 0, 0 },
	{ "lazyload", OPT_ANY, 0, 0 },
	{ "ldpath", OPT_ANY, NO_PRAGMA, 0 },
	{ "legacycalls", OPT_BOOL, 0, O(legacycalls) },
	{ "libdir", OPT_LIST, NO_PRAGMA, O(libdirs) },
	{ "linenum", OPT_ANY, 0, 0 },
	{ "linkmode", OPT_LINKMODE, 0, 0 },
	{ "linktype", OPT_ANY, 0, 0 },
	{ "lockmem", OPT_ANY, 0, 0 },
	{ "maxcpu", OPT_SHARE, 0, O(maxcpu) },
	{ "maxframes", OPT_NUM, 0, O(maxframes) },
	{ "modpath", OPT_ANY, 0, 0 },
	{ "nolibs", OPT_BOOL, NO_PRAGMA, O(nolibs) },
	{ "netns", OPT_TEXT, 0, O(netns) },
	{ "nodemangle", OPT_BOOL, 0, O(nodemangle) },
	{ "noresolve", OPT_BOOL, 0, O(noresolve) },
	{ "nspec", OPT_NUM, 0, O(nspec) },
	{ "oall", OPT_BOOL, NO_PRAGMA, O(oall) },
	{ "objcopypath", OPT_ANY, 0, 0 },
	{ "oformat", OPT_FORMAT, NO_PRAGMA, O(oformat) },
	{ "pathdata", OPT_BOOL, 0, O(pathdata) },
	{ "pcapsize", OPT_SIZE, 0, O(pcapsize) },
	{ "pgmax", OPT_ANYNUM, 0, 0 },
	{ "preallocate", OPT_ANYSIZE, 0, 0 },
	{ "procfspath", OPT_ANY, 0, 0 },
	{ "pspec", OPT_ANY, 0, 0 },
	{ "quiet", OPT_BOOL, AT_RUN, O(quiet) },
	{ "quietresize", OPT_ANY, AT_RUN, 0 },
	{ "rawbytes", OPT_BOOL, AT_RUN, O(rawbytes) },
	{ "rawshell", OPT_BOOL, 0, O(rawshell) },
	{ "rows", OPT_ROWS, 0, O(rows) },
	{ "runtimeroot", OPT_TEXT, 0, O(runtimeroot) },
	{ "sample", OPT_BOOL, 0, O(sample) },
	{ "samplerate", OPT_ONE_IN, 0, O(samplerate) },
	{ "samplescale", OPT_BOOL, 0, O(samplescale) },
	{ "scratchsize", OPT_SIZE, 0, O(scratchsize) },
	{ "setenv", OPT_ANY, NO_PRAGMA, 0 },
	{ "specsize", OPT_SIZE, 0, O(specsize) },
	{ "stackfmt", OPT_STACKFMT, 0, O(folded) },
	{ "stackframes", OPT_NUM, 0, O(stackframes) },
	{ "stackindent", OPT_NUM, AT_RUN, O(stackindent) },
	{ "statusrate", OPT_RATE, AT_RUN, O(statusrate_ns) },
	{ "stdc", OPT_STDC, NO_PRAGMA, O(stdc) },
	{ "strip", OPT_ANY, 0, 0 },
	{ "strsize", OPT_SIZE, 0, O(strsize) },
	{ "switchrate", OPT_RATE, AT_RUN, O(switchrate_ns) },
	{ "syslibdir", OPT_TEXT, NO_PRAGMA, O(syslibdir) },
	{ "sysslice", OPT_ANY, 0, 0 },
	{ "temporal", OPT_NOT, 0, O(nosort) },
	{ "tier", OPT_TIER, 0, O(tier) },
	{ "tpformat", OPT_BOOL, 0, O(tpformat) },
	{ "tree", OPT_NUM, 0, O(tree) },
	{ "tregs", OPT_ANYNUM, 0, 0 },
	{ "udefs", OPT_ANY, 0, 0 },
	{ "undef", OPT_FLAG, NO_PRAGMA, 'U' },
	{ "undefs", OPT_ANY, 0, 0 },
	{ "unodefs", OPT_ANY, 0, 0 },
	{ "unsetenv", OPT_ANY, NO_PRAGMA, 0 },
	{ "ustackcopy", OPT_SIZE, 0, O(ustackcopy) },
	{ "ustackframes", OPT_NUM, 0, O(ustackframes) },
	{ "ustackunwind", OPT_UNWIND, 0, O(dwarf) },
	{ "verbose", OPT_BOOL, 0, O(verbose) },
	{ "version", OPT_VERSION, 0, O(version) },
	{ "walkend", OPT_BOOL, 0, O(walkend) },
	{ "walkrate", OPT_RATE, 0, O(walkrate_ns) },
	{ "zdefs", OPT_BOOL, 0, O(zdefs) },
#undef O
};
#define NOPTS (sizeof(opts) / sizeof(opts[0]))

/* The defaults of DTrace, where a zero is not the default. */
void options_init(struct options *o)
{
	memset(o, 0, sizeof(*o));
	o->strsize = 256;
	o->agg.keep = 256u << 20;
	o->nspec = 1;
	o->pcapsize = 2048;
	o->specsize = 32768;
	o->cpu = -1;
	o->evaltime = EVAL_POSTINIT;
	o->stackindent = 14;
	o->stdc = 'a';
}

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* A number in C's notation, and the text behind it in *unit. */
static bool parse_number(const char *v, uint64_t *n, const char **unit)
{
	char *end;

	if (!v || *v < '0' || *v > '9')
		return false;
	errno = 0;
	*n = strtoull(v, &end, 0);
	*unit = end;
	return errno == 0;
}

/* DTrace's words for on and off; no value is on; a number is on unless it is 0. */
static bool parse_bool(const char *v, bool *out)
{
	static const char *const yes[] = { "", "1", "yes", "on", "true", "enable", "enabled", "set" };
	static const char *const no[] = { "0", "no", "off", "false", "disable", "disabled", "unset" };
	const char *unit;
	uint64_t n;

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!v || !strcasecmp(v, yes[i]))
			return *out = true;
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (!strcasecmp(v, no[i])) {
			*out = false;
			return true;
		}
	if (!parse_number(v, &n, &unit) || *unit)
		return false;
	*out = n != 0;
	return true;
}

/* Bytes, with k, m, g or t for powers of 1024. False if it does not fit 64 bits. */
static bool parse_size(const char *v, uint64_t *out)
{
	const char *unit;
	unsigned shift = 0;

	if (!parse_number(v, out, &unit))
		return false;
	if (*unit) {
		const char *p = strchr("kmgt", *unit | 0x20);

		if (!p || unit[1])
			return false;
		shift = (unsigned)(p - "kmgt" + 1) * 10;
	}
	if (shift && *out >> (64 - shift))
		return false;
	*out <<= shift;
	return true;
}

/* "10hz" or "100ms" as a period in ns. A number without a unit is a rate, as in DTrace. */
static bool parse_rate(const char *v, uint64_t *ns)
{
	const char *unit;
	uint64_t n;

	return parse_number(v, &n, &unit) && period_of(n, unit, strcasecmp, ns);
}

/* major.minor[.micro], as versions of D are: 4095 is the highest of minor and micro. */
static bool parse_version(const char *v, uint32_t *out)
{
	unsigned part[3] = { 0, 0, 0 };
	unsigned n = 0;

	if (!v)
		return false;
	for (; n < 3; n++) {
		const char *unit;
		uint64_t value;

		if (!parse_number(v, &value, &unit) || value > (n ? 0xfff : 0xff))
			return false;
		part[n] = (unsigned)value;
		v = unit;
		if (!*v)
			break;
		if (*v++ != '.')
			return false;
	}
	*out = part[0] << 24 | part[1] << 12 | part[2];
	return n >= 1 && n < 3 && part[0] >= 1 && *out <= VERSION_LATEST;
}

/* Versions of D that exist: 1.0 to 1.13, each with micro versions up to 3, and 2.0. */
static bool known_version(uint32_t v)
{
	return v >> 24 > 1 || ((v >> 12 & 0xfff) <= 13 && (v & 0xfff) <= 3);
}

/* For #pragma D binding. */
bool option_version(const char *text, uint32_t *version)
{
	return parse_version(text, version);
}

/* One of a list of words; its place in *out. */
static bool parse_word(const char *v, const char *const *words, int *out)
{
	for (int i = 0; v && words[i]; i++)
		if (!strcmp(v, words[i])) {
			*out = i;
			return true;
		}
	return false;
}

/* "json,pretty": words of libxo; those that say how it should look otherwise change nothing. */
static bool parse_format(const char *v, struct options *o)
{
	static const char *const words[] = { "text", "json", "xml", "html", "stream", "pretty", "no-top", "warn",
		"warn-xml", "underscores", "units", "xpath", "info", "keys", "no-retain", "no-locale", "flush", NULL };

	for (bool any = false;; any = true) {
		size_t n = v ? strcspn(v, ",") : 0;
		int i = 0;

		while (words[i] && (strlen(words[i]) != n || strncmp(words[i], v, n) != 0))
			i++;
		if (!n || !words[i])
			return false;
		if (i <= OFMT_STREAM)
			o->oformat = (enum oformat)i;
		o->opretty |= !strcmp(words[i], "pretty");
		if (!v[n])
			return any || i <= OFMT_STREAM;
		v += n + 1;
	}
}

/* Options whose value is a word of a list. The words stand in the order of the enum. */
static bool parse_words(enum opt_kind kind, const char *v, struct options *o)
{
	static const char *const policies[] = { "switch", "fill", "ring", NULL };
	static const char *const rows[] = { "text", "json", "csv", NULL };
	static const char *const resize[] = { "auto", "manual", NULL };
	static const char *const unwinds[] = { "fp", "dwarf", NULL };
	static const char *const formats[] = { "dtrace", "folded", NULL };
	static const char *const encodings[] = { "ascii", "utf8", NULL };
	static const char *const links[] = { "kernel", "dynamic", "static", "primary", NULL };
	static const char *const times[] = { "exec", "preinit", "postinit", "main", NULL };
	int i;

	switch ((int)kind) {
	case OPT_POLICY:
		if (!parse_word(v, policies, &i))
			return false;
		o->bufpolicy = (enum bufpolicy)i;
		return true;
	case OPT_FORMAT:
		return parse_format(v, o);
	case OPT_ROWS:
		if (!parse_word(v, rows, &i))
			return false;
		o->rows = (enum row_format)(i + 1);
		return true;
	case OPT_RESIZE:
		if (!parse_word(v, resize, &i))
			return false;
		o->bufresize_manual = i == 1;
		return true;
	case OPT_LINKMODE:
		return parse_word(v, links, &i);
	case OPT_UNWIND:
		if (!parse_word(v, unwinds, &i))
			return false;
		o->dwarf = i == 1;
		return true;
	case OPT_ENCODING:
		if (!parse_word(v, encodings, &i))
			return false;
		o->agg.encoding = i ? ENC_UTF8 : ENC_ASCII;
		return true;
	case OPT_STACKFMT:
		if (!parse_word(v, formats, &i))
			return false;
		o->folded = i == 1;
		return true;
	default:
		if (!parse_word(v, times, &i))
			return false;
		o->evaltime = (enum evaltime)i;
		return true;
	}
}

/* The field has the type that OPT_KINDS gives for the kind; memcpy() because its alignment is not known here. */
static bool parse_numbers(enum opt_kind kind, const char *v, void *field)
{
	const char *unit;
	uint64_t n = 0;
	bool ok;

	if (kind == OPT_SIZE || kind == OPT_RATE) {
		ok = kind == OPT_SIZE ? parse_size(v, &n)
				      : !v || parse_rate(v, &n); /* -x switchrate: as if not given */
		if (ok)
			memcpy(field, &n, sizeof(n));
		return ok;
	}
	ok = parse_number(v, &n, &unit) && !*unit && n <= (kind == OPT_CPU ? INT32_MAX : UINT32_MAX);
	if (ok)
		memcpy(field, &(uint32_t){ (uint32_t)n }, sizeof(uint32_t));
	return ok;
}

/* Copies the text into the arena. setopt() has none, so no such option may have AT_RUN. */
static bool parse_text(const struct opt *opt, struct options *o, struct arena *a, const char *v)
{
	char *field = (char *)o + opt->off, *copy;

	if (!v || !*v)
		return false;
	copy = arena_strdup(a, v);
	if (opt->kind == OPT_TEXT)
		memcpy(field, &copy, sizeof(copy));
	else if (opt->kind == OPT_LIST)
		*vec_push(a, (option_list *)(void *)field) = copy;
	else
		*vec_push(a, &o->cppargs) = arena_printf(a, "-%c%s", (int)opt->off, v);
	return true;
}

/* "5353,8053" */
static bool parse_ports(const char *v, struct port_list *out)
{
	struct port_list l = { .n = 0 };

	for (char *end; v && *v >= '0' && *v <= '9'; v = end + 1) {
		unsigned long port = strtoul(v, &end, 10);

		if (!port || port > UINT16_MAX || l.n == PORTS_MAX)
			return false;
		l.v[l.n++] = (uint16_t)port;
		if (!*end) {
			*out = l;
			return true;
		}
		if (*end != ',')
			return false;
	}
	return false;
}

/* Options that stand alone in their kind. */
static bool parse_special(const struct opt *opt, struct options *o, const char *v)
{
	switch ((int)opt->kind) {
	case OPT_TIER:
		o->tier = v ? (uint32_t)(tier_by_name(v) + 1) : 0;
		return o->tier != 0;
	case OPT_STDC:
		o->stdc_given = true;
		o->stdc = v ? *v : 0;
		return v && *v && strchr("acst", *v) && !v[1];
	case OPT_AMIN:
		return o->amin_given = v && stability_parse(v, &o->amin);
	default:                                      /* OPT_VERSION */
		if (v && !strcmp(v, DWIRE_VERSION)) { /* as -V names it: the latest D */
			o->version = VERSION_LATEST;
			return true;
		}
		return parse_version(v, &o->version) && known_version(o->version);
	}
}

/* "2%", "0.5%": more than 0, at most 100. */
static bool parse_share(const char *v, uint32_t *ppm)
{
	double percent;
	char *end;

	if (!v || *v < '0' || *v > '9')
		return false;
	percent = strtod(v, &end);
	if (strcmp(end, "%") != 0 || !(percent * PPM_PERCENT >= 1 && percent <= 100))
		return false;
	*ppm = (uint32_t)(percent * PPM_PERCENT);
	return true;
}

/* The value as the option's field has it; true when it is one. */
static bool parse_value(const struct opt *opt, struct options *o, struct arena *a, const char *v)
{
	void *field = (char *)o + opt->off;
	uint64_t n;
	bool yes;

	switch (opt->kind) {
	case OPT_BOOL:
		return parse_bool(v, field);
	case OPT_NOT:
		if (!parse_bool(v, &yes))
			return false;
		*(bool *)field = !yes;
		return true;
	case OPT_SIZE:
	case OPT_RATE:
	case OPT_NUM:
	case OPT_CPU:
		return parse_numbers(opt->kind, v, field);
	case OPT_ONE_IN:
		return parse_numbers(opt->kind, v, &n) && (uint32_t)n && (uint32_t)n <= ONE_IN_MOST &&
			parse_numbers(OPT_NUM, v, field);
	case OPT_SHARE:
		return parse_share(v, field);
	case OPT_PORTS:
		return parse_ports(v, field);
	case OPT_TEXT:
	case OPT_LIST:
	case OPT_FLAG:
		return parse_text(opt, o, a, v);
	case OPT_POLICY:
	case OPT_RESIZE:
	case OPT_FORMAT:
	case OPT_ROWS:
	case OPT_LINKMODE:
	case OPT_STACKFMT:
	case OPT_UNWIND:
	case OPT_EVALTIME:
	case OPT_ENCODING:
		return parse_words(opt->kind, v, o);
	case OPT_TIER:
	case OPT_STDC:
	case OPT_AMIN:
	case OPT_VERSION:
		return parse_special(opt, o, v);
	case OPT_SET:
		*(bool *)field = !v;
		return !v;
	case OPT_ANYNUM:
		return parse_numbers(OPT_NUM, v, &n);
	case OPT_ANYSIZE:
		return parse_size(v, &n);
	case OPT_ANY:
		return true;
	case OPT_FOREIGN:
	case OPT_COUNT:
		break;
	}
	return false;
}

/* ---- setting ----------------------------------------------------------------------------------------------------- */
/* "name = value" or "name"; *value is NULL without "=", and may be empty with it. */
void option_split(struct arena *a, const char *text, const char **name, const char **value)
{
	const char *eq = strchr(text, '='), *end = eq ? eq : text + strlen(text);

	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*name = arena_strndup(a, text, (size_t)(end - text));
	*value = eq ? eq + 1 + strspn(eq + 1, " \t") : NULL;
}

/* A name that is unknown gets the nearest one as its hint; a refused value gets what it should look like. */
int option_set(struct options *o, struct arena *a, enum option_from from, const char *name, const char *value,
	const char **hint)
{
	const char *names[NOPTS + 1] = { NULL };

	*hint = NULL;
	for (size_t i = 0; i < NOPTS; i++) {
		names[i] = opts[i].name;
		if (strcmp(opts[i].name, name) != 0)
			continue;
		if (opts[i].kind == OPT_FOREIGN)
			return -ENOTSUP;
		if ((from == OPTION_SETOPT && !(opts[i].where & AT_RUN)) ||
			(from == OPTION_PRAGMA && (opts[i].where & NO_PRAGMA)))
			return -EPERM;
		*hint = takes[opts[i].kind];
		o->changes++;
		return parse_value(&opts[i], o, a, value) ? 0 : -EINVAL;
	}
	*hint = nearest_name(name, names);
	return -ENOENT;
}

bool options_sample(const struct options *o)
{
	return o->sample || o->samplerate > 1 || o->samplescale;
}

bool option_is_set(const struct options *o, const char *name)
{
	for (size_t i = 0; i < NOPTS; i++)
		if (!strcmp(opts[i].name, name))
			return opts[i].kind == OPT_BOOL && *(const bool *)((const char *)o + opts[i].off);
	return false;
}

const char *option_name(size_t i)
{
	for (size_t k = 0; k < NOPTS; k++)
		if (opts[k].kind != OPT_ANY && opts[k].kind != OPT_ANYNUM && opts[k].kind != OPT_ANYSIZE && !i--)
			return opts[k].name;
	return NULL;
}

const char *option_error(int err)
{
	switch (-err) {
	case ENOENT:
		return "Invalid option name";
	case EINVAL:
		return "Invalid value for specified option";
	case EPERM:
		return "Option cannot be used in current context";
	case ENOTSUP:
		return "Option is not supported on this system";
	default:
		return "Invalid option";
	}
}
