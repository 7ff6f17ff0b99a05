/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_maps: creates the maps of an image, on several CPUs: the kernel clears the table of a hash, a millisecond each.
 * Input: struct image_map. Output: descriptors in l->maps.
 * Invariant: the maps of the owner service are borrowed and never closed here. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "base/parallel.h"
#include "kernel/bpfsys.h"
#include "load/load_priv.h"

#define MANY 4 /* hashes, from which on threads are worth their start */

static int create(const struct image_map *m)
{
	bool mapped = m->role == MAP_TICKS || m->role == MAP_BORN || m->role == MAP_SLOTS || m->role == MAP_FRONT ||
		m->role == MAP_PACKETS || m->role == MAP_WORDS; /* or because its value then begins at a page */
	uint32_t flags = m->flags | (mapped ? (uint32_t)BPF_F_MMAPABLE : 0);

	return bpfsys_map_create(m->type, m->name, m->key_size, m->value_size, m->max_entries, flags, -1);
}

/* Creates a map as the image describes it. The message of a failure has the memory that all CPUs together would need.
 * A descriptor, or -errno, which is reported. */
static int create_plain(struct loader *ld, const struct image_map *m)
{
	unsigned cpus = features_cpus(ld->c->features);
	bool percpu = m->type == BPF_MAP_TYPE_PERCPU_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_HASH;
	int fd = create(m);

	if (fd < 0)
		return load_map_failed(ld, m->name,
			((uint64_t)m->key_size + m->value_size) * m->max_entries * (percpu ? cpus : 1), fd);
	return fd;
}

/* Creates a map of one entry and fills it with the image's data. A descriptor, or -errno, which is reported. */
static int create_table(struct loader *ld, const struct image_map *m)
{
	static const uint32_t first = 0;
	int fd = create_plain(ld, m), err;

	if (fd < 0)
		return fd;
	err = bpfsys_map_update(fd, &first, m->data, BPF_ANY);
	if (!err)
		return fd;
	close(fd);
	return load_map_failed(ld, m->name, m->value_size, err);
}

/* Creates a map of one entry that stays as it is: zeroes. A descriptor, or -errno, which is reported. */
static int create_blank(struct loader *ld, const struct image_map *m)
{
	int fd = create_plain(ld, m), err = fd < 0 ? 0 : bpfsys_map_freeze(fd);

	if (!err)
		return fd;
	close(fd);
	return load_map_failed(ld, m->name, m->value_size, err);
}

const int *load_borrowed(const struct owner_maps *maps, enum map_role role)
{
	switch ((int)role) {
	case MAP_OWNER:
		return &maps->owners;
	case MAP_LAST_USERS:
		return &maps->last_users;
	case MAP_SENDERS:
		return &maps->senders;
	case MAP_ENDED:
		return &maps->ended;
	case MAP_PLACES:
		return &maps->places;
	default:
		return NULL;
	}
}

/* Returns a map of the owner service. Without the service the script cannot run: -EINVAL, which is reported. */
static int borrow(struct loader *ld, int fd, const char *name)
{
	if (fd >= 0)
		return fd;
	return report_error(ld->to, -EINVAL, D_NONE, NULL,
		"the script needs the owners of sockets (map %s), and their service does not run", name);
}

/* The map's descriptor, or -errno. */
static int make_map(struct loader *ld, const struct image_map *m)
{
	struct image_map drops, slots, bell;

	switch (m->role) {
	case MAP_RINGS:
		return load_create_rings(ld, m);
	case MAP_BELL:
		bell = *m;
		bell.max_entries = (uint32_t)sysconf(_SC_PAGESIZE);
		return ld->l->bell_fd = create_plain(ld, &bell);
	case MAP_OWNER:
	case MAP_LAST_USERS:
	case MAP_SENDERS:
	case MAP_ENDED:
	case MAP_PLACES:
		return borrow(ld, *load_borrowed(&ld->c->owner, m->role), m->name);
	case MAP_DROPS:
		drops = *m;
		drops.type = BPF_MAP_TYPE_PERCPU_ARRAY;
		drops.key_size = 4;
		drops.value_size = 8;
		drops.max_entries = DW_DROP_COUNT;
		return ld->l->drops_fd = create_plain(ld, &drops);
	case MAP_GATE:
	case MAP_SAMPLE:
	case MAP_TICKS:
	case MAP_GLOBALS:
	case MAP_DYN:
	case MAP_WORDS:
	case MAP_AGG:
	case MAP_ZERO:
	case MAP_BORN:
	case MAP_SLOTS:
	case MAP_SPECS:
	case MAP_VTIME:
	case MAP_CHILL:
	case MAP_STAMP:
	case MAP_CALLS:
	case MAP_PACKETS:
	case MAP_FREED:
	case MAP_AGES:
	case MAP_MACHINE:
	case MAP_BOXES:
	case MAP_READINGS:
		return create_plain(ld, m);
	case MAP_BLANK:
		return create_blank(ld, m);
	case MAP_TABLE:
		return create_table(ld, m);
	case MAP_FRONT:
	case MAP_SCRATCH:
		slots = *m;
		slots.max_entries *= features_cpus(ld->c->features);
		return create_plain(ld, &slots);
	}
	return -EINVAL;
}

/* ---- all maps ---------------------------------------------------------------------------------------------------- */
/* Hashes that are made ahead, on several CPUs. Nothing is reported here: what fails is made again by make_map(). */
struct ahead {
	const struct image_map **maps;
	size_t *of, n; /* of: index in the image */
	int *fds;      /* by index in the image; -1: not made ahead */
};

static void make_ahead(void *ctx, size_t i)
{
	struct ahead *a = ctx;

	a->fds[a->of[i]] = create(a->maps[i]);
}

/* One that create() makes as make_map() does. */
static bool is_hash(const struct image_map *m)
{
	return (m->role == MAP_AGG || m->role == MAP_DYN || m->role == MAP_STAMP || m->role == MAP_CALLS) &&
		(m->type == BPF_MAP_TYPE_HASH || m->type == BPF_MAP_TYPE_PERCPU_HASH ||
			m->type == BPF_MAP_TYPE_LRU_HASH);
}

/* False: no memory. */
static bool make_hashes(const struct image *img, int *fds)
{
	struct ahead a = { .maps = calloc(img->maps.n + 1, sizeof(struct image_map *)),
		.of = calloc(img->maps.n + 1, sizeof(size_t)),
		.fds = fds };
	const bool ok = a.maps && a.of;

	for (size_t i = 0; ok && i < img->maps.n; i++) {
		fds[i] = -1;
		if (!is_hash(&img->maps.v[i]))
			continue;
		a.maps[a.n] = &img->maps.v[i];
		a.of[a.n++] = i;
	}
	if (ok && a.n >= MANY)
		parallel_each(a.n, make_ahead, &a);
	free(a.maps);
	free(a.of);
	return ok;
}

static int make_all(struct loader *ld, int *ahead)
{
	const struct image *img = ld->c->image;
	struct loaded *l = ld->l;

	for (size_t i = 0; i < img->maps.n; i++) {
		/* only code that no run can reach, and that was left out, would read it */
		const bool unread = !img->needs_owner && load_borrowed(&OWNER_MAPS_NONE, img->maps.v[i].role);
		int fd = unread ? -1 : ahead[i] >= 0 ? ahead[i] : make_map(ld, &img->maps.v[i]);

		ahead[i] = -1;
		if (fd < 0 && !unread)
			return fd;
		l->maps[l->nmaps++] = fd;
	}
	return 0;
}

int load_make_maps(struct loader *ld)
{
	const struct image *img = ld->c->image;
	int *ahead = calloc(img->maps.n + 1, sizeof(*ahead)), err;

	ld->l->maps = calloc(img->maps.n + 1, sizeof(*ld->l->maps));
	if (!ld->l->maps || !ahead || !make_hashes(img, ahead)) {
		free(ahead);
		return report_no_memory(ld->to, "create the BPF maps");
	}
	err = make_all(ld, ahead);
	for (size_t i = 0; i < img->maps.n; i++)
		if (ahead[i] >= 0)
			close(ahead[i]);
	free(ahead);
	return err;
}
