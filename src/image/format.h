/* SPDX-License-Identifier: GPL-2.0-or-later */
/* format: a parsed format string of printf() or printa(). lang/format.h makes it, in the compilation's arena; the
 * printers walk it. Invariant: every conversion is valid and suits its argument; the checker refused all others. */
#ifndef DWIRE_IMAGE_FORMAT_H
#define DWIRE_IMAGE_FORMAT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fmt_flag {
	FMT_MINUS = 1,  /* - */
	FMT_PLUS = 2,   /* + */
	FMT_SPACE = 4,  /* blank */
	FMT_ALT = 8,    /* # */
	FMT_ZERO = 16,  /* 0 */
	FMT_QUOTE = 32, /* ' */
	FMT_AGG = 64,   /* @, as in %@d: takes the aggregation's value, not a key */
};

/* Literal text, then one conversion. The last item may have conv 0: only text. %% is text. */
struct fmt_item {
	const char *text; /* escapes are replaced; not ended by a NUL */
	size_t text_len;
	const char *conv_text; /* the conversion as written, "%-20s" */
	char conv;      /* 'd' 'x' 'c' 's' 'p' 'k' 'Y' ... or 0; 'w': %wc, %ws; 'I': name of an address, 'P': of a port;
		     * 'Q', only with @: a quantile of a distribution, at a precision of percent;
		     * 'N', only with @: the number of the report; 'B': bytes in KB, with # in units that fit */
	char conv2;     /* second letter of %wc, %ws; else 0 */
	uint32_t flags; /* enum fmt_flag, or'ed */
	int width, prec;            /* -1: none */
	bool star_width, star_prec; /* taken from the arguments */
	char size[3];               /* "h" "hh" "l" "ll" "L" "q" "z" "w" or "" (the argument has its own size) */
};

/* %@N, %@#Y, %@#T: of the report that printa() makes, not of an aggregation. */
static inline bool fmt_of_report(const struct fmt_item *it)
{
	return it->flags & FMT_AGG &&
		(it->conv == 'N' || (it->flags & FMT_ALT && (it->conv == 'Y' || it->conv == 'T')));
}

/* A larger width or precision is refused in a format; a larger one that an argument gives is cut to this. */
#define FMT_WIDTH_MAX 4096

struct fmt {
	struct fmt_item *items;
	size_t n;
	size_t nargs; /* arguments that it takes, with those of *, without those of %@ */
};
#endif
