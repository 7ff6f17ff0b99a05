/* options: names, values and units of DTrace's options. */
#include "run/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"

enum opt_kind { OPT_BOOL, OPT_SIZE, OPT_RATE, OPT_NUM, OPT_IGNORED };

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
	{ "aggsortkey", OPT_BOOL, offsetof(struct options, agg.sort_key) },
	{ "aggsortrev", OPT_BOOL, offsetof(struct options, agg.sort_rev) },
	{ "aggsortkeypos", OPT_NUM, offsetof(struct options, agg.key_pos) },
	{ "aggrows", OPT_NUM, offsetof(struct options, agg.rows) },
	{ "aggsortsum", OPT_BOOL, offsetof(struct options, agg.sort_sum) },
	{ "aggsortpos", OPT_NUM, offsetof(struct options, agg.agg_pos) },
	{ "bufsize", OPT_SIZE, offsetof(struct options, bufsize) },
	{ "strsize", OPT_SIZE, offsetof(struct options, strsize) },
	{ "switchrate", OPT_RATE, offsetof(struct options, switchrate_ns) },
	{ "aggrate", OPT_IGNORED, 0 },
	{ "aggsize", OPT_IGNORED, 0 },
	{ "bufpolicy", OPT_IGNORED, 0 },
	{ "bufresize", OPT_IGNORED, 0 },
	{ "cleanrate", OPT_IGNORED, 0 },
	{ "cpu", OPT_IGNORED, 0 },
	{ "dynvarsize", OPT_IGNORED, 0 },
	{ "nspec", OPT_IGNORED, 0 },
	{ "specsize", OPT_IGNORED, 0 },
	{ "stackframes", OPT_IGNORED, 0 },
	{ "statusrate", OPT_IGNORED, 0 },
	{ "ustackframes", OPT_IGNORED, 0 },
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

static int store(struct options *o, const struct opt *opt, const char *value)
{
	char *base = (char *)o + opt->off;
	const char *unit;
	uint64_t n;
	bool b;

	switch (opt->kind) {
	case OPT_BOOL:
		if (!parse_bool(value, &b))
			return -EINVAL;
		memcpy(base, &b, sizeof(b));
		return 0;
	case OPT_SIZE:
		if (!parse_size(value, &n))
			return -EINVAL;
		memcpy(base, &n, sizeof(n));
		return 0;
	case OPT_RATE:
		if (!parse_rate(value, &n))
			return -EINVAL;
		memcpy(base, &n, sizeof(n));
		return 0;
	case OPT_NUM: {
		uint32_t small;

		if (!parse_number(value, &n, &unit) || *unit || n > UINT32_MAX)
			return -EINVAL;
		small = (uint32_t)n;
		memcpy(base, &small, sizeof(small));
		return 0;
	}
	case OPT_IGNORED:
		return 0;
	}
	return -EINVAL;
}

int option_set(struct options *o, const char *name, const char *value, const char **hint)
{
	const char *names[sizeof(opts) / sizeof(opts[0]) + 1] = { NULL };

	*hint = NULL;
	for (size_t i = 0; i < sizeof(opts) / sizeof(opts[0]); i++) {
		if (!strcmp(opts[i].name, name))
			return store(o, &opts[i], value);
		names[i] = opts[i].name;
	}
	*hint = nearest_name(name, names);
	return -ENOENT;
}
