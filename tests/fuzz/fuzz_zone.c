/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_zone: any bytes as /proc/PID/cgroup, whose paths a container's manager, or a user, has chosen. A container's
 * name is twelve digits of an id, or lies within the text, and is one component of a path. */
#include <stdlib.h>
#include <sys/mman.h>

#include "../../src/namespaces/zone.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const paths[] = { "0::/lxc.payload.web-1/init.scope\n", "0::/lxc/a/b\n",
		"4:memory:/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n",
		"0::/system.slice/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope\n" };
	const char *p = paths[seed / 8 % (sizeof(paths) / sizeof(paths[0]))];

	if (seed % 8 == 0 && strlen(p) < max) {
		size = strlen(p);
		memcpy(data, p, size);
	}
	return LLVMFuzzerMutate(data, size, max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	const char *id;
	size_t len = 0;

	if (!text)
		abort();
	id = container_id(text, &len);
	if (id &&
		(!len || len > strlen(id) || id < text || id > text + strlen(text) || memchr(id, '/', len) ||
			memchr(id, '\n', len)))
		abort();
	free(text);
	return 0;
}
