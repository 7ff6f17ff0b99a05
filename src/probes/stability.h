/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stability: how far users may rely on a probe and on a description, by the stability of its provider. The levels are
 * those of the tables at the end of the providers' chapters of D's guide. */
#ifndef DWIRE_PROBES_STABILITY_H
#define DWIRE_PROBES_STABILITY_H
#include "image/probe.h"
#include "lang/ast.h"

/* Never NULL. */
const struct prov_stability *provider_stability(const struct provider *p);
/* The least of what the probe's names promise, of those that it has. */
struct stability probe_stability(const struct probe *p);
/* Of a description that matched the probe: the least of the parts that were written. */
struct stability pdesc_stability(const struct pdesc *pd, const struct probe *p);
#endif
