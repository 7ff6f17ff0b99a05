/* SPDX-License-Identifier: GPL-2.0-or-later */
/* save: the rows of a view as a file: CSV, or a JSON object per row if its name ends in .json. */
#ifndef DWIRE_LIVE_SAVE_H
#define DWIRE_LIVE_SAVE_H
#include "live/view.h"

/* Writes a new file: one that is there is not touched. 0 or -errno. */
int save_rows(const struct view *v, const char *path) __attribute__((warn_unused_result));
/* "tcptop-20261123-145312.csv" */
void save_name(const char *title, char *out, size_t size);
#endif
