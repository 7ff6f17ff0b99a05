/* provider: a new provider is one file with one table (ir/probe.h), listed in provider.c, and its translators in
 * dlib/. */
#ifndef DWIRE_PROV_PROVIDER_H
#define DWIRE_PROV_PROVIDER_H
#include "ir/probe.h"

/* All providers, in the order of -l; ends with NULL. */
const struct provider *const *providers(void);
#endif
