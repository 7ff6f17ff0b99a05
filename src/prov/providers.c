/* SPDX-License-Identifier: GPL-2.0-or-later */
/* providers: see providers.h. Expands its list to an array of the providers' tables. */
#include "prov/providers.h"

const struct provider *const *providers(void)
{
#define X(name) &name##_provider,
	static const struct provider *const all[] = { PROVIDERS(X) NULL };
#undef X

	return all;
}
