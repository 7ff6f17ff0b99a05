/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_trace: finds the kernel's typed tracepoints in BTF. Each is a typedef btf_trace_NAME of a pointer to a
 * function, whose first parameter is for the kernel and not counted.
 * Input: a name. Output: its id and arguments. The BTF of a module is read only if it may have the name. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/btf/btf_priv.h"

#define PREFIX "btf_trace_"

/* The prototype of a tracepoint's typedef; NULL if it is not the pointer to a function that it should be. */
static const struct btf_type *proto_of(const struct kbtf *k, uint32_t id)
{
	const struct btf_type *t = type_at(k, type_at(k, id)->type);

	if (!t || !btf_is_ptr(t))
		return NULL;
	t = type_at(k, t->type);
	return t && btf_is_func_proto(t) && btf_vlen(t) ? t : NULL;
}

/* sched_set_need_resched_tp comes before the thread's flag is set. When a program
 * has run, RCU may ask for rescheduling, which is the tracepoint again, until the stack is full: seen on Linux 7.2. */
bool kbtf_deadly_tracepoint(const char *name)
{
	return !strcmp(name, "sched_set_need_resched_tp");
}

/* The prototype of a tracepoint by its name, and the id of its typedef in *id. */
static const struct btf_type *find(const struct kbtf *k, const char *name, uint32_t *id)
{
	char buf[128];

	if (kbtf_deadly_tracepoint(name) || snprintf(buf, sizeof(buf), PREFIX "%s", name) >= (int)sizeof(buf))
		return NULL;
	*id = kbtf_find_id(k, buf, 1u << BTF_KIND_TYPEDEF);
	return *id ? proto_of(k, *id) : NULL;
}

/* In the kernel itself, else in the module. *k becomes the one that has it. */
static const struct btf_type *find_in(struct kbtf **k, const char *module, const char *name, uint32_t *id)
{
	const struct btf_type *p = find(*k, name, id);

	if (p || !module)
		return p;
	*k = kbtf_open_module(*k, module, strlen(module));
	return *k ? find(*k, name, id) : NULL;
}

bool kbtf_tracepoint(struct kbtf *k, const char *module, const char *name, struct ktracepoint *out)
{
	const struct btf_type *p = find_in(&k, module, name, &out->id);

	if (!p)
		return false;
	out->nargs = btf_vlen(p) - 1u;
	out->module = k->base ? k->name : NULL;
	for (unsigned i = 0; i < KBTF_ARGS; i++)
		out->of[i] = i < out->nargs ? kbtf_known_pointee(k, btf_params(p)[i + 1].type) : 0;
	return true;
}

const char *kbtf_tracepoint_arg_text(struct kbtf *k, struct arena *a, const char *module, const char *name, unsigned i)
{
	uint32_t id;
	const struct btf_type *p = find_in(&k, module, name, &id);

	return p && i + 1 < btf_vlen(p) ? kbtf_d_text(k, a, btf_params(p)[i + 1].type) : "long";
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */
/* Calls each for all tracepoints of one BTF. */
static void each_of(const struct kbtf *k, kbtf_each_fn *each, void *ctx)
{
	for (uint32_t id = base_n(k) + !k->base; id < base_n(k) + k->n; id++) {
		const struct btf_type *t = type_at(k, id), *p;
		const char *name = btf_is_typedef(t) ? str_at(k, t->name_off) : "";

		if (!strncmp(name, PREFIX, sizeof(PREFIX) - 1) && !kbtf_deadly_tracepoint(name + sizeof(PREFIX) - 1) &&
			(p = proto_of(k, id)) != NULL)
			each(ctx, k->base ? k->name : NULL, name + sizeof(PREFIX) - 1, btf_vlen(p) - 1u);
	}
}

/* Modules that have tracepoints have a section of their addresses. */
static int has_tracepoints(const struct dirent *e)
{
	char path[320];

	if (e->d_name[0] == '.' || !strcmp(e->d_name, "vmlinux"))
		return 0;
	snprintf(path, sizeof(path), "/sys/module/%s/sections/__tracepoints_ptrs", e->d_name);
	return access(path, F_OK) == 0;
}

void kbtf_each_tracepoint(struct kbtf *k, kbtf_each_fn *each, void *ctx)
{
	struct dirent **v;
	int n;

	each_of(k, each, ctx);
	n = scandir("/sys/kernel/btf", &v, has_tracepoints, alphasort);
	for (int i = 0; i < n; i++) {
		const struct kbtf *m = kbtf_open_module(k, v[i]->d_name, strlen(v[i]->d_name));

		if (m)
			each_of(m, each, ctx);
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

/* For kbtf_has_tracepoint(). */
struct looking {
	const char *name;
	bool found;
};

/* For kbtf_each_tracepoint(). */
static void look(void *ctx, const char *module, const char *name, unsigned nargs)
{
	struct looking *l = ctx;

	(void)module;
	(void)nargs;
	l->found = l->found || !strcmp(name, l->name);
}

bool kbtf_has_tracepoint(struct kbtf *k, const char *name)
{
	struct looking l = { .name = name };
	uint32_t id;

	if (find(k, name, &id))
		return true;
	kbtf_each_tracepoint(k, look, &l);
	return l.found;
}
