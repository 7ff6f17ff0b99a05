/* options: names, values and units of DTrace's options. */
#include "run/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"

enum opt_kind {
	OPT_BOOL,
	OPT_SIZE,
	OPT_RATE,
	OPT_NUM,
	OPT_SWITCH,  /* bufpolicy: only "switch" */
	OPT_IGNORED, /* means the same without */
	OPT_FOREIGN, /* would mean something else without: refused */
	OPT_COUNT
};

/* What a value looks like, for messages. */
static const char *const takes[OPT_COUNT] = {
	[OPT_BOOL] = "it takes 1 or 0, or no value",
	[OPT_SIZE] = "it takes bytes, as in 512k, 8m or 1g",
	[OPT_RATE] = "it takes a rate or a time, as in 10hz, 100ms or 1s",
	[OPT_NUM] = "it takes a number",
	[OPT_SWITCH] = "only switch: everything is printed as it happens",
};

/* Options that only make sense for DTrace's own buffers are accepted and change nothing here: scripts that set them
 * mean the same without. */
static const struct opt {
	const char *name;
	enum opt_kind kind;
	size_t off;
} opts[] = {
	{ "quiet", OPT_BOOL, offsetof(struct options, quiet) },
	{ "destructive", OPT_BOOL, offsetof(struct options, destructive) },
	{ "zdefs", OPT_BOOL, offsetof(struct options, zdefs) },
	{ "defaultargs", OPT_BOOL, offsetof(struct options, defaultargs) },
	{ "argref", OPT_BOOL, offsetof(struct options, argref) },
	{ "aggsortkey", OPT_BOOL, offsetof(struct options, agg.sort_key) },
	{ "aggsortrev", OPT_BOOL, offsetof(struct options, agg.sort_rev) },
	{ "aggsortkeypos", OPT_NUM, offsetof(struct options, agg.key_pos) },
	{ "aggrows", OPT_NUM, offsetof(struct options, agg.rows) },
	{ "aggsortsum", OPT_BOOL, offsetof(struct options, agg.sort_sum) },
	{ "aggzoom", OPT_BOOL, offsetof(struct options, agg.zoom) },
	{ "aggsortpos", OPT_NUM, offsetof(struct options, agg.agg_pos) },
	{ "bufsize", OPT_SIZE, offsetof(struct options, bufsize) },
	{ "strsize", OPT_SIZE, offsetof(struct options, strsize) },
	{ "switchrate", OPT_RATE, offsetof(struct options, switchrate_ns) },
	{ "bufpolicy", OPT_SWITCH, 0 },
	{ "aggrate", OPT_IGNORED, 0 },
	{ "aggsize", OPT_IGNORED, 0 },
	{ "bufresize", OPT_IGNORED, 0 },
	{ "cleanrate", OPT_IGNORED, 0 },
	{ "dynvarsize", OPT_IGNORED, 0 },
	{ "errtags", OPT_IGNORED, 0 },
	{ "droptags", OPT_IGNORED, 0 },
	{ "evaltime", OPT_IGNORED, 0 },
	{ "jstackframes", OPT_IGNORED, 0 },
	{ "jstackstrsize", OPT_IGNORED, 0 },
	{ "lazyload", OPT_IGNORED, 0 },
	{ "nspec", OPT_IGNORED, 0 },
	{ "pspec", OPT_IGNORED, 0 },
	{ "specsize", OPT_IGNORED, 0 },
	{ "stackframes", OPT_IGNORED, 0 },
	{ "stackindent", OPT_IGNORED, 0 },
	{ "statusrate", OPT_IGNORED, 0 },
	{ "temporal", OPT_IGNORED, 0 },
	{ "ustackframes", OPT_IGNORED, 0 },
	{ "cpp", OPT_FOREIGN, 0 },
	{ "cpu", OPT_FOREIGN, 0 },
	{ "flowindent", OPT_FOREIGN, 0 },
	{ "grabanon", OPT_FOREIGN, 0 },
	{ "rawbytes", OPT_FOREIGN, 0 },
};

void options_init(struct options *o)
{
	memset(o, 0, sizeof(*o));
	o->strsize = 256;
}

static bool parse_bool(const char *v, bool *out)
{
	static const char *const yes[] = { "", "1", "yes", "on", "true", "enabled", "set" };
	static const char *const no[] = { "0", "no", "off", "false", "disabled", "unset" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!v || !strcasecmp(v, yes[i]))
			return *out = true;
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (!strcasecmp(v, no[i])) {
			*out = false;
			return true;
		}
	return false;
}

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

/* "10hz", "10" (hertz), "100ms": the time between two. */
static bool parse_rate(const char *v, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "sec", 1000000000 },
		{ "msec", 1000000 }, { "usec", 1000 }, { "m", 60000000000 }, { "min", 60000000000 } };
	const char *unit;
	uint64_t n;

	if (!parse_number(v, &n, &unit) || !n || n > 1000000000)
		return false;
	if (!*unit || !strcasecmp(unit, "hz")) {
		*ns = 1000000000 / n;
		return true;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcasecmp(unit, units[i].unit)) {
			*ns = n * units[i].ns;
			return true;
		}
	return false;
}

void option_split(struct arena *a, const char *text, const char **name, const char **value)
{
	const char *eq = strchr(text, '='), *end = eq ? eq : text + strlen(text);

	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*name = arena_strndup(a, text, (size_t)(end - text));
	*value = eq ? eq + 1 + strspn(eq + 1, " \t") : NULL;
}

/* The value as the option's field has it; true when it is one. */
static bool parse_value(enum opt_kind kind, const char *value, void *field)
{
	const char *unit;
	uint64_t n;
	uint32_t small;
	bool ok;

	switch (kind) {
	case OPT_BOOL:
		return parse_bool(value, field);
	case OPT_SIZE:
		ok = parse_size(value, &n);
		if (ok)
			memcpy(field, &n, sizeof(n));
		return ok;
	case OPT_RATE:
		ok = parse_rate(value, &n);
		if (ok)
			memcpy(field, &n, sizeof(n));
		return ok;
	case OPT_NUM:
		ok = parse_number(value, &n, &unit) && !*unit && n <= UINT32_MAX;
		small = ok ? (uint32_t)n : 0;
		if (ok)
			memcpy(field, &small, sizeof(small));
		return ok;
	case OPT_SWITCH:
		return value && !strcmp(value, "switch");
	case OPT_IGNORED:
		return true;
	case OPT_FOREIGN:
	case OPT_COUNT:
		break;
	}
	return false;
}

int option_set(struct options *o, const char *name, const char *value, const char **hint)
{
	const char *names[sizeof(opts) / sizeof(opts[0]) + 1] = { NULL };

	*hint = NULL;
	for (size_t i = 0; i < sizeof(opts) / sizeof(opts[0]); i++) {
		names[i] = opts[i].name;
		if (strcmp(opts[i].name, name) != 0)
			continue;
		if (opts[i].kind == OPT_FOREIGN)
			return -ENOTSUP;
		*hint = takes[opts[i].kind];
		return parse_value(opts[i].kind, value, (char *)o + opts[i].off) ? 0 : -EINVAL;
	}
	*hint = nearest_name(name, names);
	return -ENOENT;
}
