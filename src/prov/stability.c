/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stability: see stability.h. */
#include "prov/stability.h"

#include <string.h>

#define S(n, d, c)                            \
	{                                     \
		STAB_##n, STAB_##d, CLASS_##c \
	}
#define PRIVATE S(PRIVATE, PRIVATE, UNKNOWN)

static const struct {
	const char *name;
	struct prov_stability is;
} table[] = {
	{ "dtrace",
		{ S(STABLE, STABLE, COMMON), PRIVATE, PRIVATE, S(STABLE, STABLE, COMMON), S(STABLE, STABLE, COMMON) } },
	{ "profile",
		{ S(EVOLVING, EVOLVING, COMMON), S(UNSTABLE, UNSTABLE, COMMON), PRIVATE, S(EVOLVING, EVOLVING, COMMON),
			S(EVOLVING, EVOLVING, COMMON) } },
	{ "fbt",
		{ S(EVOLVING, EVOLVING, COMMON), PRIVATE, PRIVATE, S(EVOLVING, EVOLVING, COMMON),
			S(PRIVATE, PRIVATE, ISA) } },
	{ "rawtp",
		{ S(EVOLVING, EVOLVING, COMMON), PRIVATE, PRIVATE, S(EVOLVING, EVOLVING, COMMON),
			S(PRIVATE, PRIVATE, ISA) } },
	{ "sdt", { S(EVOLVING, EVOLVING, ISA), PRIVATE, PRIVATE, S(PRIVATE, PRIVATE, ISA), S(PRIVATE, PRIVATE, ISA) } },
	{ "lockstat",
		{ S(EVOLVING, EVOLVING, COMMON), PRIVATE, PRIVATE, S(EVOLVING, EVOLVING, COMMON),
			S(EVOLVING, EVOLVING, COMMON) } },
	{ "pid", { S(EVOLVING, EVOLVING, ISA), PRIVATE, PRIVATE, S(EVOLVING, EVOLVING, ISA), PRIVATE } },
	{ "syscall",
		{ S(EVOLVING, EVOLVING, COMMON), PRIVATE, S(UNSTABLE, UNSTABLE, ISA), S(EVOLVING, EVOLVING, COMMON),
			S(UNSTABLE, UNSTABLE, ISA) } },
};

/* "pid123", "pid*" */
static bool is_pid(const char *provider)
{
	return !strncmp(provider, "pid", 3) && provider[3] && provider[3 + strspn(provider + 3, "0123456789*")] == '\0';
}

const struct prov_stability *provider_stability(const char *provider)
{
	/* tcp, udp, ip, io, proc, sched and all that translate their arguments */
	static const struct prov_stability translated = { S(EVOLVING, EVOLVING, ISA), PRIVATE, PRIVATE,
		S(EVOLVING, EVOLVING, ISA), S(EVOLVING, EVOLVING, ISA) };

	if (is_pid(provider))
		provider = "pid";
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (!strcmp(table[i].name, provider))
			return &table[i].is;
	return &translated;
}

struct stability probe_stability(const struct probe *p)
{
	const struct prov_stability *s = provider_stability(p->prov->name);
	struct stability least = stability_min(s->provider, s->name);

	return *p->mod ? stability_min(least, s->module) : least;
}

struct stability pdesc_stability(const struct pdesc *pd, const struct probe *p)
{
	const struct prov_stability *s = provider_stability(p->prov->name);
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
