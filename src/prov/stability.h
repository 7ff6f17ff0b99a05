/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stability: how far users may rely on each provider: the tables at the end of the providers' chapters of D's guide. */
#ifndef DWIRE_PROV_STABILITY_H
#define DWIRE_PROV_STABILITY_H
#include "base/stability.h"
#include "image/probe.h"
#include "lang/ast.h"

struct prov_stability {
	struct stability provider, module, function, name, args;
};

const struct prov_stability *provider_stability(const char *provider);
/* Of a probe: the least of what its four names promise, of those that it has. */
struct stability probe_stability(const struct probe *p);
/* Of a description that matched a probe: the least of the parts that were written. */
struct stability pdesc_stability(const struct pdesc *pd, const struct probe *p);
#endif
