/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest: see nearest.h.
 * Input: a name that was not found, a table of names that exist. Output: the one that was probably meant.
 * Source: the optimal string alignment distance (Damerau-Levenshtein without repeated edits of a substring). */
#include "base/diag/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define NEAR_MAX 64u

/* Optimal string alignment distance (edits, and swaps of neighbours), letters compared without case. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NEAR_MAX + 1];
	size_t *before = rows[0], *prev = rows[1], *cur = rows[2];

	for (size_t j = 0; j <= nb; j++)
		prev[j] = j;
	for (size_t i = 1; i <= na; i++) {
		const int ca = tolower((unsigned char)a[i - 1]);

		cur[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			const int cb = tolower((unsigned char)b[j - 1]);
			size_t best = prev[j - 1] + (ca != cb);

			if (prev[j] + 1 < best)
				best = prev[j] + 1;
			if (cur[j - 1] + 1 < best)
				best = cur[j - 1] + 1;
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
				cb == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			cur[j] = best;
		}
		size_t *spare = before;

		before = prev;
		prev = cur;
		cur = spare;
	}
	return prev[nb];
}

/* How many characters two names have in common at their beginning. */
static size_t common(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Names of more than NEAR_MAX characters are not compared. */
const char *nearest_name(const char *name, const char *const *table)
{
	const size_t n = strlen(name);
	/* The shorter the name, the fewer mistakes it can hold and still be itself. */
	size_t best = n < 2 ? 0 : n < 5 ? 1 : n < 9 ? 2 : 3;
	const char *found = NULL;

	if (n > NEAR_MAX)
		return NULL;
	best++;
	for (; *table; table++) {
		const size_t m = strlen(*table);
		const size_t gap = m > n ? m - n : n - m;

		if (m > NEAR_MAX || gap > best)
			continue;
		const size_t dist = edit_distance(name, n, *table, m);

		if (dist < best || (found && dist == best && common(name, *table) > common(name, found))) {
			best = dist;
			found = *table;
		}
	}
	return found;
}

/* A member whose prefix was left out: "daddr" for "skc_daddr". The shortest such name. */
const char *longer_name(const char *name, const char *const *table)
{
	size_t n = strlen(name), best = SIZE_MAX;
	const char *found = NULL;

	for (; *table && n > 2; table++) {
		size_t m = strlen(*table);

		if (m > n && m < best && (*table)[m - n - 1] == '_' && !strcmp(*table + m - n, name)) {
			found = *table;
			best = m;
		}
	}
	return found;
}
