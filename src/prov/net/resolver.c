/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resolver: names that processes look up through the C library. The sites are functions of every C library that a
 * process has mapped; containers have their own. A lookup is one call of the outermost function. A call for a literal
 * address ("10.0.0.1", "::1") looks nothing up and fires no probe. */
#include "prov/provider.h"

static const char *const args[] = { "csinfo_t *", "lookupinfo_t *", NULL };

static const char *const objects[] = { "libc.so.6", "ld-musl-x86_64.so.1", "ld-musl-aarch64.so.1", "libc.musl-*.so.1",
	"libc.so", NULL };
/* dlib/net/resolver.d has names for the indices; tests/unit/test_prov.c compares them. */
static const char *const names[] = { "getaddrinfo", "gethostbyname", "gethostbyname2", "gethostbyname_r",
	"gethostbyname2_r", NULL };
static const struct ufunctions functions = { objects, names };
static const struct user_site library = { .functions = &functions };

static const struct site done_site[];
static const struct site start_site[] = {
	{ .attach = ATTACH_UPROBE,
		.user = &library,
		.partner = done_site,
		.native = "dw_call",
		.when = "dw_is_lookup[P]",
		.sees = "calls of the C library's functions, in programs that are linked with it dynamically" },
};
static const struct site done_site[] = {
	{ .attach = ATTACH_URETPROBE,
		.user = &library,
		.partner = start_site,
		.native = "dw_call",
		.when = "dw_is_lookup[P]",
		.sees = "their returns" },
};

static const struct probe_def probes[] = {
	{ "lookup-done", args, TABLE(done_site), "a thread has its answer, or none: args[1]->lkp_result says" },
	{ "lookup-start", args, TABLE(start_site), "a thread asks the C library for the addresses of a name" },
};

const struct provider resolver_provider = {
	.name = "resolver",
	.raw = "dw_lookup",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
};
