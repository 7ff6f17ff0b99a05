/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ahead: loads the owner service by a thread, in the variant that most kernels take.
 * Input: the kernel's types, at the start only: they belong to another thread. Output: the loaded programs and maps.
 * Invariant: until the thread was waited for, nobody else touches what it loads. */
#include <stdlib.h>

#include "base/parallel.h"
#include "owner/owner.h"
#include "owner/owner_load.h"

struct owner_ahead {
	struct owner_kernel k;
	pthread_t thread;
	bool runs;
	int err; /* once the thread has ended */
};

static void *load(void *arg)
{
	struct owner_ahead *a = arg;

	a->err = owner_make_variant(&a->k, owner_room());
	return NULL;
}

struct owner_ahead *owner_ahead_start(struct kbtf *btf)
{
	struct owner_ahead *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	owner_kernel_init(&a->k);
	a->err = owner_open_variant(&a->k, OWNER_HOOKS, btf);
	a->runs = !a->err && parallel_start(&a->thread, load, a) == 0;
	if (a->runs)
		return a;
	owner_ahead_free(a);
	return NULL;
}

static void await(struct owner_ahead *a)
{
	if (a->runs)
		pthread_join(a->thread, NULL);
	a->runs = false;
}

bool owner_ahead_take(struct owner_ahead *a, struct owner_kernel *k)
{
	await(a);
	if (a->err || !a->k.service)
		return false;
	*k = a->k;
	owner_kernel_init(&a->k);
	return true;
}

void owner_ahead_free(struct owner_ahead *a)
{
	if (!a)
		return;
	await(a);
	owner_unload(&a->k);
	free(a);
}
