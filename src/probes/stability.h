/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stability: the stability attributes of probes and descriptions, derived from those of their provider. Source: the
 * tables at the end of the provider chapters of the D manual. */
#ifndef DWIRE_PROBES_STABILITY_H
#define DWIRE_PROBES_STABILITY_H
#include "image/probe.h"
#include "lang/ast.h"

/* Never NULL. */
const struct prov_stability *provider_stability(const struct provider *p);
/* The minimum over the provider, the name and, if the probe has one, the module. */
struct stability probe_stability(const struct probe *p);
/* The minimum over the parts that the description wrote. */
struct stability pdesc_stability(const struct pdesc *pd, const struct probe *p);
#endif
