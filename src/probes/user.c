/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user: see user.h. All functions of all processes and files share three definitions, so that all probes of one kind
 * share one BPF program; the cookie of an attachment identifies the probe. Input: the provider part of a description.
 * Output: its meaning, and struct probe. */
#include "probes/user.h"

#include <stdlib.h>
#include <string.h>

#include "probes/lists.h"

#define USER_FIRST 60000u /* number of the first probe; -i cannot use it: only a name makes the probe */
#define PID_MAX 4194304   /* PID_MAX_LIMIT of Linux */

static const struct site entry_site[] = {
	{ .attach = ATTACH_UPROBE,
		.by_cookie = true,
		.sees = "the function's first instruction, before it is executed" },
};
static const struct site return_site[] = {
	{ .attach = ATTACH_URETPROBE, .by_cookie = true, .sees = "the function's return to its caller" },
};
static const struct site offset_site[] = {
	{ .attach = ATTACH_UPROBE, .by_cookie = true, .sees = "that instruction, before it is executed" },
};

const struct probe_def user_entry = { "entry", NULL, entry_site, 1,
	"a thread calls the function: arg0 to arg9 are its arguments" };
const struct probe_def user_return = { "return", NULL, return_site, 1, "the function returns: arg1 is its value" };
const struct probe_def user_offset = { "", NULL, offset_site, 1,
	"a thread is at the instruction: the name is its distance from the function's start" };

/* Does the pattern match a provider of the kernel? */
static bool names_provider(const struct probe_list *l, const char *pattern)
{
	for (const struct provider *const *p = l->providers; *p; p++)
		if (pdesc_glob(pattern, (*p)->name))
			return true;
	return false;
}

bool user_pdesc_parse(const struct probe_list *l, const struct pdesc *pd, struct user_pdesc *out)
{
	size_t n = strlen(pd->prov), stem = n;

	*out = (struct user_pdesc){ .is_pid = false };
	if (pd->id || !n)
		return false;
	while (stem && pd->prov[stem - 1] >= '0' && pd->prov[stem - 1] <= '9')
		stem--;
	if (stem == n && pd->prov[n - 1] == '*') {
		stem--;
		out->everywhere = true;
	}
	if (stem == n || !stem)
		return false;
	out->stem = arena_strndup(l->arena, pd->prov, stem);
	out->is_pid =
		!strcmp(out->stem, "pid") || (stem > 1 && pdesc_is_glob(out->stem) && pdesc_glob(out->stem, "pid"));
	if (!out->is_pid && names_provider(l, pd->prov)) /* tcp*, io*: a pattern of the kernel's providers */
		return false;
	if (!out->everywhere) {
		unsigned long pid = strtoul(pd->prov + stem, NULL, 10);

		out->bad_pid = !pid || pid > PID_MAX;
		out->pid = out->bad_pid ? 0 : (int32_t)pid;
	}
	return true;
}

/* Is name short for the file base? "libc" and "libc.so" mean libc.so.6; "libc" also means libc-2.31.so. */
static bool is_library(const char *name, const char *base)
{
	size_t n = strlen(name);
	const char *rest = base + n;

	if (!n || strncmp(base, name, n) != 0)
		return false;
	if (*rest == '-')
		rest += 1 + strspn(rest + 1, "0123456789.") - 1;
	if (!strncmp(rest, ".so", 3))
		return rest[3] == '\0' || rest[3] == '.';
	return *rest == '.' && n > 3 && !strcmp(name + n - 3, ".so");
}

bool user_module(const char *pattern, const char *path, const char *base, bool program)
{
	if (*pattern == '/')
		return pdesc_glob(pattern, path);
	if (pdesc_glob(pattern, base) || (program && pdesc_glob(pattern, "a.out")))
		return true;
	return !pdesc_is_glob(pattern) && is_library(pattern, base);
}

static bool module(const char *pattern, const struct probe *p)
{
	return user_module(pattern, p->path, p->mod, p->program);
}

static const char *const *args(struct probe_list *l, const struct probe *p)
{
	(void)l;
	return p->def->args;
}

/* Those of the D manual, pid provider. */
static const struct prov_stability pid_stability = {
	.provider = { STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA },
	.module = { STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN },
	.function = { STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN },
	.name = { STAB_EVOLVING, STAB_EVOLVING, CLASS_ISA },
	.args = { STAB_PRIVATE, STAB_PRIVATE, CLASS_UNKNOWN },
};

/* Is it the provider pid of one process or of all ("pid123", "pid*")? */
static bool is_pid(const char *provider)
{
	return !strncmp(provider, "pid", 3) && provider[3] && provider[3 + strspn(provider + 3, "0123456789*")] == '\0';
}

const struct provider *user_provider(struct arena *a, const char *name)
{
	static const struct probe_source source = { .args = args, .module = module };
	struct provider *p = ARENA_NEW(a, struct provider);

	p->name = name;
	p->stability = is_pid(name) ? &pid_stability : NULL;
	p->source = &source;
	return p;
}

void user_add(struct probe_list *l, const struct probe *p)
{
	struct probe *pr = vec_push(l->arena, &l->all);

	*pr = *p;
	pr->id = USER_FIRST + l->nuser++;
}
