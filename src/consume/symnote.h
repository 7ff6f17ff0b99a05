/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symnote: notes the processes whose addresses will be named later, in keys of aggregations, so that their mappings are
 * read while they live. */
#ifndef DWIRE_CONSUME_SYMNOTE_H
#define DWIRE_CONSUME_SYMNOTE_H
#include "image/image.h"
#include "symbols/symtext.h"

/* Does the image record addresses of processes? */
bool symnote_wanted(const struct image *image);
/* Notes the processes that the keys of its aggregations name now. map_fds by index of image.maps. */
void symnote_keys(const struct image *image, const int *map_fds, struct symtext *s);
#endif
