/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stability: see stability.h.
 * Input: a provider, a probe, a description. Output: stability attributes. */
#include "probes/stability.h"

#define EVOLVING                                        \
	{                                               \
		STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA \
	}
#define PRIVATE                                           \
	{                                                 \
		STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN \
	}

const struct prov_stability *provider_stability(const struct provider *p)
{
	/* of tcp, udp, ip, io, proc, sched and all others that translate their arguments */
	static const struct prov_stability translated = {
		.provider = EVOLVING, .module = PRIVATE, .function = PRIVATE, .name = EVOLVING, .args = EVOLVING
	};

	return p->stability ? p->stability : &translated;
}

struct stability probe_stability(const struct probe *p)
{
	const struct prov_stability *s = provider_stability(p->prov);
	struct stability least = stability_min(s->provider, s->name);

	return *p->mod ? stability_min(least, s->module) : least;
}

struct stability pdesc_stability(const struct pdesc *pd, const struct probe *p)
{
	const struct prov_stability *s = provider_stability(p->prov);
	struct stability least = STABILITY_MAX;

	if (pd->id)
		return probe_stability(p);
	if (*pd->prov)
		least = stability_min(least, s->provider);
	if (*pd->mod)
		least = stability_min(least, s->module);
	if (*pd->func)
		least = stability_min(least, s->function);
	if (*pd->name)
		least = stability_min(least, s->name);
	return least;
}
