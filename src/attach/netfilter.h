/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netfilter: attaches programs to netfilter, in each network namespace of the machine. */
#ifndef DWIRE_ATTACH_NETFILTER_H
#define DWIRE_ATTACH_NETFILTER_H
#include "image/attach.h"

struct netfilter;
struct reporter;

struct netfilter *netfilter_new(void); /* NULL: no memory */
void netfilter_free(struct netfilter *n);
/* Adds a loaded program for the hook that kind names. prog is borrowed. netfilter_look() attaches it. 0, or -errno
 * after a report. */
int netfilter_add(struct netfilter *n, int prog, enum attach_kind kind, const struct reporter *to)
	__attribute__((warn_unused_result));
/* Attaches the programs in namespaces that are new since the last call. A link keeps its namespace alive, so they are
 * detached where no process and no mount has the namespace any more. A namespace that cannot be entered is left out:
 * the providers have another site for it. To be called each second; with many processes (3,000 and more) it looks less
 * often, so that it takes at most a fiftieth of a CPU. 0, or -errno after a report if there was no way back from a
 * namespace. */
int netfilter_look(struct netfilter *n, const struct reporter *to) __attribute__((warn_unused_result));
void netfilter_detach(struct netfilter *n); /* NULL is fine, and twice */
#endif
