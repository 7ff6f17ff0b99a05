/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine: see machine.h.
 * Input: sysinfo(2), clocks. Output: the only value of the map, which is written as a whole. */
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

int machine_update(const struct image *image, const int *maps)
{
	static const uint32_t first = 0;

	for (size_t i = 0; i < image->maps.n; i++) {
		struct dw_machine m;
		int err;

		if (image->maps.v[i].role != MAP_MACHINE)
			continue;
		err = machine_read(&m);
		return err ? err : bpfsys_map_update(maps[i], &first, &m, BPF_ANY);
	}
	return 0;
}
