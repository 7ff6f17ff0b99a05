/* SPDX-License-Identifier: GPL-2.0-or-later */
/* boxes: names of containers and pods, for what is printed and for what scripts compare. */
#ifndef DWIRE_SESSION_BOXES_H
#define DWIRE_SESSION_BOXES_H
#include "session/session_priv.h"

/* For struct decoder: a name by the text that programs record; ctx: the session. "": not known. */
const char *boxes_name(void *ctx, uint32_t tag, const char *key);
/* Fills the image's map of the names that its clauses compare, if it has one, with the containers that exist; from here
 * on *fd, -1 if there is no such map, is readable when boxes_follow() has something to do. 0 or -errno, reported. */
int boxes_start(struct session *s, int *fd) __attribute__((warn_unused_result));
/* Adds containers that appeared since. */
void boxes_follow(struct session *s);
#endif
