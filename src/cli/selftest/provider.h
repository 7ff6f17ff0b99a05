/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provider: tests one provider on this kernel, in each tier that it has. */
#ifndef DWIRE_CLI_SELFTEST_PROVIDER_H
#define DWIRE_CLI_SELFTEST_PROVIDER_H
#include <stdbool.h>

enum { SELFTEST_TIERS = 3 };
extern const char *const selftest_tiers[SELFTEST_TIERS];

/* Smaller than PIPE_BUF: a child hands it over in one write. */
struct result {
	unsigned number;  /* of the provider */
	unsigned probes;  /* that it has */
	unsigned usable;  /* that this kernel can show, in any tier */
	unsigned tried;   /* of these, attached */
	unsigned members; /* of arguments, compiled */
	unsigned counted; /* probes compared with the kernel's counters, in all tiers */
	bool tier[SELFTEST_TIERS];
	bool wrong;
	char note[200]; /* what is wrong, or what could not be tested */
};

void provider_test(const char *name, struct result *r);
#endif
