/* SPDX-License-Identifier: GPL-2.0-or-later */
/* refusal: why a provider has no probe of a name that another system has. Input: a provider's table, a name. Output:
 * the reason, for D_PDESC_ZERO. */
#include <fnmatch.h>

#include "prov/provider.h"

const char *refusal_of(const struct refusal *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(v[i].name, name, 0))
			return v[i].why;
	return NULL;
}
