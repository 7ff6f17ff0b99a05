/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service: see service.h. service_core.c resolves what depends on the kernel's types.
 * Input: struct service. Output: descriptors of maps and programs, the variables in memory.
 * Invariant: nothing is attached here; everything is held by descriptors only. */
#include "owner/service.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/parallel.h"
#include "kernel/bpfsys.h"
#include "owner/service_priv.h"

/* ---- maps -------------------------------------------------------------------------------------------------------- */
/* Types of the service's own BTF: the verifier asks for those of functions, which are all alike to it. */
enum { TYPE_WORD = 1, TYPE_PROTO, TYPE_FUNC };

static int load_types(void)
{
	static const char names[] = "\0word\0fn";
	static const struct {
		struct btf_header head;
		uint32_t types[4 + 3 + 3];
		char names[sizeof(names)];
	} all = {
		.head = { .magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(struct btf_header),
			.type_len = sizeof(all.types),
			.str_off = sizeof(all.types),
			.str_len = sizeof(names) },
		/* name, kind << 24, size or type; of an integer its bits, too */
		.types = { 1, BTF_KIND_INT << 24, 8, 64, 0, BTF_KIND_FUNC_PROTO << 24, TYPE_WORD, 6,
			BTF_KIND_FUNC << 24, TYPE_PROTO },
		.names = "\0word\0fn",
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)&all;
	attr.btf_size = (uint32_t)(sizeof(all.head) + sizeof(all.types) + sizeof(names));
	return bpfsys(BPF_BTF_LOAD, &attr);
}

int service_make_maps(struct service_kernel *k, uint32_t entries)
{
	k->types = load_types();
	if (k->types < 0)
		return k->types;
	for (size_t i = 0; i < k->s->nmaps; i++) {
		const struct service_map *m = &k->s->maps[i];

		k->maps[i] = bpfsys_map_create(
			m->type, m->name, m->key, m->value, !strcmp(m->name, "owners") ? entries : m->n, m->flags, -1);
		if (k->maps[i] < 0)
			return k->maps[i];
	}
	k->bss = bpfsys_map_create(BPF_MAP_TYPE_ARRAY, "owner.bss", 4, k->s->bss, 1, BPF_F_MMAPABLE, -1);
	if (k->bss < 0)
		return k->bss;
	k->vars = mmap(NULL, k->s->bss, PROT_READ | PROT_WRITE, MAP_SHARED, k->bss, 0);
	return k->vars == MAP_FAILED ? -errno : service_link_maps(k);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */
static int unpack(struct service_kernel *k)
{
	uLongf len = k->s->ninsns * sizeof(*k->insns);

	k->insns = malloc(len);
	if (!k->insns)
		return -ENOMEM;
	return uncompress((Bytef *)k->insns, &len, k->s->packed, k->s->packed_len) == Z_OK ? 0 : -EINVAL;
}

static int load_one(const struct service_kernel *k, const struct service_prog *p, uint32_t at)
{
	struct bpf_func_info funcs[SERVICE_FUNCS];
	union bpf_attr attr;

	if (p->nstarts > SERVICE_FUNCS)
		return -EINVAL;
	for (uint32_t i = 0; i < p->nstarts; i++)
		funcs[i] = (struct bpf_func_info){ .insn_off = k->s->starts[p->start + i], .type_id = TYPE_FUNC };
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = p->prog_type;
	attr.expected_attach_type = p->attach_type;
	attr.attach_btf_id = at;
	attr.insns = (uintptr_t)(k->insns + p->insn);
	attr.insn_cnt = p->ninsns;
	attr.license = (uintptr_t) "GPL";
	attr.prog_btf_fd = (uint32_t)k->types;
	attr.func_info_rec_size = sizeof(funcs[0]);
	attr.func_info = (uintptr_t)funcs;
	attr.func_info_cnt = p->nstarts;
	bpfsys_name(attr.prog_name, p->name);
	return bpfsys(BPF_PROG_LOAD, &attr);
}

/* The programs that are to be loaded, the largest first. Each is loaded by one thread. */
struct jobs {
	struct service_kernel *k;
	size_t progs[SERVICE_PROGS], n;
};

static void work(void *ctx, size_t i)
{
	const struct jobs *js = ctx;
	const size_t p = js->progs[i];

	js->k->fds[p] = load_one(js->k, &js->k->s->progs[p], js->k->at[p]);
}

static void add_job(struct jobs *js, size_t prog)
{
	const struct service_prog *all = js->k->s->progs;
	size_t i = js->n++;

	for (; i && all[js->progs[i - 1]].ninsns < all[prog].ninsns; i--)
		js->progs[i] = js->progs[i - 1];
	js->progs[i] = prog;
}

int service_load(struct service_kernel *k, const size_t *progs, size_t n)
{
	struct jobs js = { .k = k };
	int err = 0;

	for (size_t i = 0; i < n; i++)
		if (k->fds[progs[i]] < 0)
			add_job(&js, progs[i]);
	parallel_each(js.n, work, &js);
	for (size_t i = 0; i < js.n; i++) {
		err = !err && k->fds[js.progs[i]] < 0 ? k->fds[js.progs[i]] : err;
		if (k->fds[js.progs[i]] < 0)
			k->fds[js.progs[i]] = -1;
	}
	return err;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
int service_open(struct service_kernel **out, const struct service *s, struct kbtf *btf)
{
	struct service_kernel *k = calloc(1, sizeof(*k));
	int err;

	*out = NULL;
	if (!k)
		return -ENOMEM;
	if (s->nprogs > SERVICE_PROGS || s->nmaps > SERVICE_MAPS) {
		free(k);
		return -EINVAL;
	}
	k->s = s;
	k->types = k->bss = -1;
	k->vars = MAP_FAILED;
	for (size_t i = 0; i < SERVICE_PROGS; i++)
		k->fds[i] = -1;
	for (size_t i = 0; i < SERVICE_MAPS; i++)
		k->maps[i] = -1;
	err = unpack(k);
	if (!err)
		err = service_places(k, btf);
	if (!err)
		err = service_link(k, btf);
	if (err) {
		service_close(k);
		return err;
	}
	*out = k;
	return 0;
}

void service_close(struct service_kernel *k)
{
	if (!k)
		return;
	if (k->vars != MAP_FAILED)
		munmap(k->vars, k->s->bss);
	for (size_t i = 0; i < SERVICE_PROGS; i++)
		if (k->fds[i] >= 0)
			close(k->fds[i]);
	for (size_t i = 0; i < SERVICE_MAPS; i++)
		if (k->maps[i] >= 0)
			close(k->maps[i]);
	if (k->bss >= 0)
		close(k->bss);
	if (k->types >= 0)
		close(k->types);
	free(k->insns);
	free(k);
}

int service_prog(const struct service *s, const char *name)
{
	for (size_t i = 0; i < s->nprogs; i++)
		if (!strcmp(s->progs[i].name, name))
			return (int)i;
	return -1;
}

int service_prog_fd(const struct service_kernel *k, int prog)
{
	return prog < 0 ? -1 : k->fds[prog];
}

const char *service_prog_kprobe(const struct service_kernel *k, int prog)
{
	return k && prog >= 0 && k->s->progs[prog].prog_type == BPF_PROG_TYPE_KPROBE ? k->s->progs[prog].at : NULL;
}

int service_map_fd(const struct service_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->s->nmaps; i++)
		if (!strcmp(k->s->maps[i].name, name))
			return k->maps[i];
	return -1;
}

void *service_var(const struct service_kernel *k, const char *name)
{
	for (size_t i = 0; i < k->s->nvars; i++)
		if (!strcmp(k->s->vars[i].name, name))
			return (char *)k->vars + k->s->vars[i].at;
	return NULL;
}
