/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nearest: the known name that a misspelt one probably means. */
#ifndef DWIRE_BASE_DIAG_NEAREST_H
#define DWIRE_BASE_DIAG_NEAREST_H

/* The string of table (NULL-terminated) nearest to name, or NULL when none is near (Damerau-Levenshtein). Of equally
 * near ones the one that begins most alike, then the first. */
const char *nearest_name(const char *name, const char *const *table);
/* The shortest string of table that ends in an underscore and name (SYN: TH_SYN), or NULL. */
const char *longer_name(const char *name, const char *const *table);
#endif
