/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: see load.h. Creates the maps of an image and loads its programs.
 * Input: struct image. Output: struct loaded, descriptors only.
 * Invariants: the image does not change; everything created is held by descriptors only. */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "kernel/bpfsys.h"
#include "load/functab.h"
#include "load/load_priv.h"

int load_image(const struct load_config *c, struct loaded **out, const struct reporter *to)
{
	struct loaded *l = calloc(1, sizeof(*l));
	struct loader ld = { .c = c, .l = l, .to = to };
	int err;

	*out = NULL;
	if (!l)
		return report_no_memory(to, "load the programs");
	l->rings_fd = l->drops_fd = l->bell_fd = -1;
	l->image = c->image;
	err = load_make_maps(&ld);
	if (!err)
		err = load_make_progs(&ld);
	if (!err)
		err = load_await_rings(&ld);
	if (!l->late)
		func_types_free(&ld.types);
	if (err) {
		load_free(l);
		return err;
	}
	*out = l;
	return 0;
}

/* Closes what is ours. Maps of the owner service and of the rings belong to others. */
void load_free(struct loaded *l)
{
	if (!l)
		return;
	load_filler_free(l->filler);
	load_free_late(l);
	for (size_t i = 0; i < l->nprogs; i++)
		if (l->progs[i] >= 0)
			close(l->progs[i]);
	for (size_t i = 0; i < l->ncopies; i++)
		close(l->copies[i].fd);
	free(l->copies);
	for (size_t i = 0; i < l->nmaps; i++) {
		enum map_role role = l->image->maps.v[i].role;

		if (role != MAP_RINGS && !load_borrowed(&OWNER_MAPS_NONE, role))
			close(l->maps[i]);
	}
	if (l->rings_fd >= 0)
		close(l->rings_fd);
	load_close_rings(l);
	free(l->progs);
	free(l->maps);
	free(l->rings);
	free(l);
}

/* The descriptor of the map with this role; -1: the image has none. */
static int map_of(const struct loaded *l, enum map_role role)
{
	for (size_t i = 0; i < l->nmaps; i++)
		if (l->image->maps.v[i].role == role)
			return l->maps[i];
	return -1;
}

/* Sets the word of a map with one word. 0, also if the image has no such map, or -errno. */
static int set_word(const struct loaded *l, enum map_role role, uint64_t value)
{
	static const uint32_t first = 0;
	int fd = map_of(l, role);

	return fd < 0 ? 0 : bpfsys_map_update(fd, &first, &value, BPF_ANY);
}

int load_set_rate(const struct loaded *l, uint64_t rate)
{
	return set_word(l, MAP_SAMPLE, rate);
}

int load_set_gate(const struct loaded *l, enum dw_gate gate)
{
	return set_word(l, MAP_GATE, gate);
}

bool load_ended(const struct loaded *l)
{
	static const uint32_t first = 0;
	uint64_t value;
	int fd = map_of(l, MAP_GATE);

	return fd >= 0 && bpfsys_map_lookup(fd, &first, &value) == 0 && value == DW_GATE_ENDED;
}

/* recursion_misses exists since Linux 5.12; 0 before. */
uint64_t load_prog_missed(int prog)
{
	struct bpf_prog_info info;

	memset(&info, 0, sizeof(info));
	return bpfsys_info(prog, &info, sizeof(info)) == 0 ? info.recursion_misses : 0;
}

uint64_t load_missed(const struct loaded *l, size_t i)
{
	return load_prog_missed(l->progs[i]);
}

void load_synchronize(void)
{
	static const uint32_t first = 0;
	int inner, outer;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return;
	/* Kernels with nohz_full CPUs refuse that. Changing a map of maps waits for running programs too (since
	 * 4.20). If that fails there is no other way to wait. */
	inner = bpfsys_map_create(BPF_MAP_TYPE_ARRAY, "dw_wait", 4, 4, 1, 0, -1);
	outer = inner < 0 ? -1 : bpfsys_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "dw_wait", 4, 4, 1, 0, inner);
	if (outer >= 0) {
		(void)!bpfsys_map_update(outer, &first, &inner, BPF_ANY);
		close(outer);
	}
	if (inner >= 0)
		close(inner);
}
