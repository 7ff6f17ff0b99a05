/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdp: attaches programs to the XDP programs of the machine, in all network namespaces: fexit of each. */
#ifndef DWIRE_ATTACH_XDP_H
#define DWIRE_ATTACH_XDP_H
#include "load/load.h"

struct reporter;
struct xdp;

/* l and f are borrowed, and outlive it. NULL: no memory. */
struct xdp *xdp_new(struct loaded *l, struct features *f);
/* Takes program i of the image. 0 or -ENOMEM. */
int xdp_add(struct xdp *x, size_t i) __attribute__((warn_unused_result));
/* Attaches to XDP programs that were loaded since the last call. Those that cannot be traced are left out; a warning
 * names the first, and says why. */
void xdp_look(struct xdp *x, const struct reporter *to);
void xdp_detach(struct xdp *x); /* NULL is fine */
void xdp_free(struct xdp *x);   /* likewise */
#endif
