/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provider: a new provider is one file with one table (image/probe.h), listed in provider.c, and its translators in
 * dlib/. */
#ifndef DWIRE_PROV_PROVIDER_H
#define DWIRE_PROV_PROVIDER_H
#include "image/probe.h"

/* For the tables: an array and how many it has; a typed tracepoint with n arguments; a provider of the kernel. */
#define TABLE(a) a, sizeof(a) / sizeof((a)[0])
#define TP(tp, n, nat) .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat
#define PROVIDER(name_, raw_, probes_)                                      \
	.name = name_, .raw = raw_, .module = "vmlinux", .probes = probes_, \
	.nprobes = sizeof(probes_) / sizeof((probes_)[0])
#define STAMPED(stamps_) .stamps = stamps_, .nstamps = sizeof(stamps_) / sizeof((stamps_)[0])

/* All providers, in the order of -l; ends with NULL. */
const struct provider *const *providers(void);
#endif
