/* SPDX-License-Identifier: GPL-2.0-or-later */
/* labels: the values of a key as the labels of a series. */
#ifndef DWIRE_EXPORT_LABELS_H
#define DWIRE_EXPORT_LABELS_H
#include "export/model.h"

#define LABEL_BYTES_MAX 1024u /* of a value; the rest is cut */

struct pair {
	const char *name; /* borrowed from the metric's column */
	char *value;      /* UTF-8 without control characters; owned */
};

/* The labels of a key, the JSON of its values. Returns how many there are, or -ENOMEM. *out: free them. */
int labels_of(const struct metric *g, const char *key, size_t len, struct pair **out);
void labels_free(struct pair *labels, size_t n);
/* A text as a label: UTF-8 without control characters, of at most LABEL_BYTES_MAX bytes. NULL: no memory. */
char *label_clean(const char *s, size_t len);
/* A value of a stream likewise. */
char *label_text(const json_t *value);
#endif
