/* SPDX-License-Identifier: GPL-2.0-or-later */
/* printf's conversions against the C library's: random formats and values, where the two agree. A run takes another
 * seed, which is said when something differs. */
#include <inttypes.h>
#include <time.h>

#include "datum.h"
#include "formats.h"
#include "print/value/style.h"
#include "print/value/values.h"
#include "unit.h"

#define ROUNDS 20000

struct rng {
	uint64_t x;
};

static uint64_t next(struct rng *r)
{
	r->x ^= r->x << 13;
	r->x ^= r->x >> 7;
	r->x ^= r->x << 17;
	return r->x;
}

static unsigned below(struct rng *r, unsigned n)
{
	return (unsigned)(next(r) >> 33) % n;
}

/* Flags, width and precision as text; C leaves some together undefined: they are not made. */
static size_t some_flags(struct rng *r, char conv, char *out)
{
	const char *flags = strchr("di", conv) ? "-+ 0"
		: strchr("oxX", conv)          ? "-#0"
		: strchr("eEfFgG", conv)       ? "-+ 0#"
		: conv == 'u'                  ? "-0"
					       : "-";
	size_t n = 0;

	for (const char *f = flags; *f; f++)
		if (!below(r, 3))
			out[n++] = *f;
	if (below(r, 2))
		n += (size_t)sprintf(out + n, "%u", 1 + below(r, 30));
	if (conv != 'c' && !below(r, 3))
		n += (size_t)sprintf(out + n, ".%u", below(r, 20));
	out[n] = '\0';
	return n;
}

static uint64_t some_number(struct rng *r)
{
	uint64_t v = next(r) >> below(r, 64);

	return below(r, 4) ? v : below(r, 2) ? 0 : -v;
}

/* The formats are made at run time: that is the test. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* What the C library prints of the value; fmt is "%", flags and the size, to which the conversion is added. */
static void by_c(char *out, size_t size, char *fmt, char conv, const struct value *v)
{
	uint64_t cut = v->size >= 8 ? v->i : v->i & ((1ull << 8 * v->size) - 1);

	strcat(fmt, strchr("diuoxX", conv) ? "ll" : "");
	strncat(fmt, &conv, 1);
	if (strchr("eEfFgG", conv))
		snprintf(out, size, fmt, v->is_signed ? (double)(int64_t)v->i : (double)v->i);
	else if (conv == 'c')
		snprintf(out, size, fmt, (int)v->i);
	else if (conv == 's')
		snprintf(out, size, fmt, v->s);
	else if (strchr("di", conv))
		snprintf(out, size, fmt, (long long)v->i);
	else
		snprintf(out, size, fmt, (unsigned long long)cut);
}
#pragma GCC diagnostic pop

static struct value some_value(struct rng *r, char conv)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	static const char *const texts[] = { "", "a", "some text", "a longer text than most, for precisions" };
	struct value v = { .kind = VALUE_INT, .is_signed = true, .size = sizes[below(r, 4)] };

	if (conv == 's') {
		v.kind = VALUE_TEXT;
		v.s = texts[below(r, 4)];
		v.len = strlen(v.s);
		return v;
	}
	/* %d of an unsigned number is DTrace's own. */
	v.is_signed = strchr("di", conv) || below(r, 2);
	v.i = some_number(r);
	if (conv == 'c')
		v.i = 33 + below(r, 90);
	else if (v.size < 8 && v.is_signed)
		v.i = (uint64_t)((int64_t)(v.i << (64 - 8 * v.size)) >> (64 - 8 * v.size));
	else if (v.size < 8)
		v.i &= (1ull << 8 * v.size) - 1;
	return v;
}

int main(void)
{
	static const char convs[] = "diuoxXcsfeEgG";
	struct rng r = { (uint64_t)time(NULL) * 2654435761u + 88172645463325252ull };
	uint64_t seed = r.x;
	struct arena *a = arena_new();
	struct capture cap;
	struct out *o;

	capture_open(&cap);
	o = out_new(cap.f, &style_text, NULL);
	if (!a || !o)
		abort();
	for (unsigned i = 0; i < ROUNDS; i++) {
		char conv = convs[below(&r, sizeof(convs) - 1)], flags[64], text[80], c_fmt[80], want[512];
		struct value v = some_value(&r, conv);
		struct fmt f;

		some_flags(&r, conv, flags);
		snprintf(text, sizeof(text), "%%%s%c", flags, conv);
		snprintf(c_fmt, sizeof(c_fmt), "%%%s", flags);
		if (conv == 's' && strstr(c_fmt, ".0")) /* D's %.0s is as no precision */
			*strchr(c_fmt, '.') = '\0';
		by_c(want, sizeof(want), c_fmt, conv, &v);
		if (format_parse(a, text, &f) || f.n != 1) {
			CHECK(0, "seed %" PRIu64 ": %s", seed, text);
			continue;
		}
		capture_reset(&cap);
		print_conv(o, &f.items[0], f.items[0].width, f.items[0].prec, &v);
		CHECK(!out_flush(o), "flush");
		CHECK(!strcmp(capture_text(&cap), want),
			"seed %" PRIu64 ": %s of %" PRIu64 " (%u, %s): \"%s\", C: \"%s\"", seed, text, v.i, v.size,
			v.is_signed ? "signed" : "unsigned", capture_text(&cap), want);
	}
	out_free(o);
	capture_close(&cap);
	arena_free(a);
	return unit_end();
}
