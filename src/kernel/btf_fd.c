/* btf_fd: the descriptors by which bpf() knows the types of modules. */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kernel/btf.h"

int kbtf_module_fd(const char *module)
{
	uint32_t id = 0;

	while (bpf_btf_get_next_id(id, &id) == 0) {
		struct bpf_btf_info info;
		char name[64] = "";
		uint32_t len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		memset(&info, 0, sizeof(info));
		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.kernel_btf &&
			strcmp(name, module) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -ENOENT;
}
