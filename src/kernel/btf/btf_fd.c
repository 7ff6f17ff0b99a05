/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_fd: opens the BTF of a module as a descriptor for bpf(2).
 * Input: a module's name. Output: a descriptor, or -errno. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel/bpfsys.h"
#include "kernel/btf/btf.h"

int kbtf_module_fd(const char *module)
{
	uint32_t id = 0;

	while (bpfsys_btf_next(&id) == 0) {
		struct bpf_btf_info info;
		char name[64] = "";
		int fd = bpfsys_btf_fd(id);

		memset(&info, 0, sizeof(info));
		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		if (fd >= 0 && bpfsys_info(fd, &info, sizeof(info)) == 0 && info.kernel_btf &&
			strcmp(name, module) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -ENOENT;
}
