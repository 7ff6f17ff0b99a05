/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map: the maps of an image.
 * Input: the role of a map, or the sizes of its keys and values. Output: the map's number in the image.
 * Invariant: a map is added when it is first asked for. */
#include <linux/bpf.h>
#include <string.h>

#include "abi/notes.h"
#include "lower/program.h"
#include "lower/state/state.h"

#define PREALLOC_KEYS 8192u /* of a hash that takes its memory at once, unless a size is asked for */

/* A program may use 64 maps. An aggregation has two, or one; and those with the same keys, a table. */
#define OWN_AGG_MAPS 22u
#define OWN_DYNS 16u
/* Of one aggregation, associative array or self-> variable; not preallocated, but the kernel makes the table of such a
 * hash at once: 16 bytes each, and a millisecond for a hundred thousand. */
#define MAP_ENTRIES 131072u
#define BOXES 8192u             /* containers with a name that the script compares */
#define MAP_ENTRIES_MAX 262144u /* upper limit for options */

uint32_t map_add(struct lowerer *lw, struct image_map m)
{
	*vec_push(lw->arena, &lw->im->maps) = m;
	return (uint32_t)lw->im->maps.n - 1;
}

uint32_t map_add_value(struct lowerer *lw, enum map_role role, const char *name, uint32_t size)
{
	return map_add(lw,
		(struct image_map){ .role = role,
			.name = name,
			.type = BPF_MAP_TYPE_ARRAY,
			.key_size = 4,
			.value_size = size,
			.max_entries = 1 });
}

/* The first aggregations, which take OWN_AGG_MAPS, and OWN_DYNS other variables get separate maps. Later ones share
 * maps, and their keys end in the variable's number. Returns true if this one shares. */
bool map_share(struct lowerer *lw, struct symbol *s, enum map_role role)
{
	uint32_t *own = &lw->own_maps[role == MAP_AGG], n = role == MAP_AGG && agg_begins_apart(lw, s) ? 2 : 1;

	if (s->number || s->shared)
		return s->shared;
	if (*own + n <= (role == MAP_AGG ? OWN_AGG_MAPS : OWN_DYNS))
		*own += n;
	else
		s->shared = ++lw->nshared;
	return s->shared;
}

/* The map of this kind, with these key and value sizes, that all sharers use. */
uint32_t map_shared(struct lowerer *lw, struct image_map m)
{
	m.name = m.role != MAP_AGG ? "dw_dyn" : m.type == BPF_MAP_TYPE_HASH ? "aggs_new" : "aggs";
	for (uint32_t i = 0; i < lw->im->maps.n; i++) {
		const struct image_map *old = &lw->im->maps.v[i];

		if (old->role == m.role && !strcmp(old->name, m.name) && old->key_size == m.key_size &&
			old->value_size == m.value_size)
			return i;
	}
	return map_add(lw, m);
}

uint32_t map_for(struct lowerer *lw, enum map_role role)
{
	static const struct image_map shared[] = {
		[MAP_RINGS] = { MAP_RINGS, "dw_rings", 0, 4, 4, 0, 0, NULL },
		[MAP_BELL] = { MAP_BELL, "dw_bell", BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0, NULL },
		[MAP_DROPS] = { MAP_DROPS, "dw_drops", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, DW_DROP_COUNT, 0, NULL },
		[MAP_OWNER] = { MAP_OWNER, "dw_owner", 0, 8, sizeof(struct dw_owner), 0, 0, NULL },
		[MAP_LAST_USERS] = { MAP_LAST_USERS, "dw_last_users", 0, 8, sizeof(struct dw_owner), 0, 0, NULL },
		[MAP_MACHINE] = { MAP_MACHINE, "dw_machine", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dw_machine), 1, 0,
			NULL },
		[MAP_READINGS] = { MAP_READINGS, "dw_readings", BPF_MAP_TYPE_ARRAY, 4, DW_READINGS * 8, 1, 0, NULL },
		[MAP_SENDERS] = { MAP_SENDERS, "dw_senders", 0, 4, sizeof(struct dw_sender), DW_SENDERS, 0, NULL },
		[MAP_ENDED] = { MAP_ENDED, "dw_ended", 0, 4, sizeof(struct dw_ended), 1, 0, NULL },
		[MAP_PLACES] = { MAP_PLACES, "dw_places", 0, 4, sizeof(struct dw_places), 1, 0, NULL },
		[MAP_GATE] = { MAP_GATE, "dw_gate", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_SAMPLE] = { MAP_SAMPLE, "dw_sample", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_TICKS] = { MAP_TICKS, "dw_ticks", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dw_tick), 1, 0, NULL },
		[MAP_GLOBALS] = { MAP_GLOBALS, "dw_globals", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_SCRATCH] = { MAP_SCRATCH, "dw_scratch", BPF_MAP_TYPE_ARRAY, 4, 64, SCRATCH_SLOTS, 0, NULL },
		[MAP_SPECS] = { MAP_SPECS, "dw_specs", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_VTIME] = { MAP_VTIME, "dw_vtime", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 24, 1, 0, NULL },
		[MAP_CHILL] = { MAP_CHILL, "dw_chill", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 16, 1, 0, NULL },
		[MAP_CALLS] = { MAP_CALLS, "dw_calls", BPF_MAP_TYPE_LRU_HASH, 8, 72, 16384, 0, NULL },
		[MAP_PACKETS] = { MAP_PACKETS, "dw_packets", BPF_MAP_TYPE_ARRAY, 4, DW_NOTES_SIZE, 1, 0, NULL },
		[MAP_FREED] = { MAP_FREED, "dw_freed", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 16, 1, 0, NULL },
		[MAP_BOXES] = { MAP_BOXES, "dw_boxes", BPF_MAP_TYPE_HASH, sizeof(struct dw_tstr), 8, BOXES,
			BPF_F_NO_PREALLOC, NULL },
		[MAP_BORN] = { MAP_BORN, "dw_born", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_ZERO] = { MAP_ZERO, "dw_zero", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_BLANK] = { MAP_BLANK, "dw_blank", BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_RDONLY_PROG, NULL },
	};

	if (!lw->maps[role]) {
		lw->maps[role] = map_add(lw, shared[role]) + 1;
		if (role == MAP_RINGS && !lw->env->ringbuf)
			lw->im->maps.v[lw->maps[role] - 1].type = BPF_MAP_TYPE_ARRAY;
	}
	return lw->maps[role] - 1;
}

uint32_t map_entries(uint64_t bytes, uint32_t each)
{
	const uint64_t n = bytes / (each ? each : 1);

	return !bytes ? MAP_ENTRIES : n > MAP_ENTRIES_MAX ? MAP_ENTRIES_MAX : n ? (uint32_t)n : 1;
}

/* All of them: which programs use a map is not noted, and the kernel looks at each program's own. */
void maps_preallocate(struct lowerer *lw)
{
	bool events = false;

	for (size_t i = 0; i < lw->im->progs.n; i++)
		events = events || lw->im->progs.v[i].prog_type == BPF_PROG_TYPE_PERF_EVENT;
	for (size_t i = 0; events && lw->env->prealloc && i < lw->im->maps.n; i++)
		map_preallocate(lw, &lw->im->maps.v[i]);
}

void map_preallocate(const struct lowerer *lw, struct image_map *m)
{
	if (!(m->flags & BPF_F_NO_PREALLOC))
		return;
	m->flags &= ~(uint32_t)BPF_F_NO_PREALLOC;
	if (!(m->role == MAP_DYN ? lw->env->dynvarsize : lw->env->aggsize) && m->max_entries > PREALLOC_KEYS)
		m->max_entries = PREALLOC_KEYS;
}
