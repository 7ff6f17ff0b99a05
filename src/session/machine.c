/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine: see machine.h.
 * Input: sysinfo(2), clocks, the kernel's statistics. Output: the only values of the maps, written as a whole. */
#include "session/machine.h"

#include <errno.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "kernel/bpfsys.h"
#include "kernel/features.h"

/* Load averages are scaled by 1 << SI_LOAD_SHIFT (16), as hp_avenrun is in Solaris. Memory is counted in pages. */
static int machine_read(struct dw_machine *m)
{
	struct sysinfo info;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (sysinfo(&info) < 0)
		return -errno;
	*m = (struct dw_machine){
		.load = { info.loads[0], info.loads[1], info.loads[2] },
		.threads = info.procs,
		.cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
		.pages = info.totalram * info.mem_unit / page,
		.free = info.freeram * info.mem_unit / page,
		.wall = (uint64_t)features_walltime_offset(),
	};
	return 0;
}

/* The map with that role, or -1. */
static int map_with(const struct image *image, const int *maps, enum map_role role)
{
	for (size_t i = 0; i < image->maps.n; i++)
		if (image->maps.v[i].role == role)
			return maps[i];
	return -1;
}

struct readings *machine_readings(
	const struct image *image, struct zones *z, const char *netns, const struct reporter *to)
{
	struct reading v[DW_READINGS];
	size_t n = image->readings.n;

	for (size_t i = 0; i < n; i++)
		v[i] = (struct reading){ image->readings.v[i].name, image->readings.v[i].moved };
	return readings_new(v, n, z, netns, to);
}

int machine_read_counters(struct readings *r, const struct image *image, const int *maps)
{
	static const uint32_t first = 0;
	int64_t values[DW_READINGS] = { 0 };
	int map = map_with(image, maps, MAP_READINGS);

	if (map < 0 || !r)
		return 0;
	readings_take(r, values);
	return bpfsys_map_update(map, &first, values, BPF_ANY);
}

int machine_update(const struct image *image, const int *maps)
{
	static const uint32_t first = 0;

	int map = map_with(image, maps, MAP_MACHINE), err;
	struct dw_machine m;

	if (map < 0)
		return 0;
	err = machine_read(&m);
	return err ? err : bpfsys_map_update(map, &first, &m, BPF_ANY);
}
