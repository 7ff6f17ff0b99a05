/* fuzz_elf: any bytes as a program whose symbols are wanted, as a packed table, as a list of compiled functions and as
 * a mangled name. Nothing may be read outside of them, and every reader ends. */
#include "kernel/demangle.h"
#include "kernel/elfsyms.h"
#include "kernel/perfmap.h"
#include "kernel/unxz.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void look(struct elfsyms *e)
{
	const char *name;
	uint64_t off;
	size_t n = 0;

	for (uint64_t at = 0; e && at < 1u << 16; at += 61)
		if (elfsyms_find(e, at, &name, &off))
			n += strlen(name);
	if (n == SIZE_MAX)
		abort();
	elfsyms_free(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	char path[64], name[128], text[256];
	uint64_t off;
	size_t len = size < sizeof(name) ? size : sizeof(name) - 1;
	void *image = malloc(size + 1);

	if (fd < 0 || !image || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	look(elfsyms_open(path, "/nonexistent", "/bin/x"));
	memcpy(image, data, size);
	look(elfsyms_memory(image, size));
	free(image);
	free(unxz(data, size, &len));
	struct perfmap *m = perfmap_open_file(path);

	if (m)
		(void)perfmap_find(m, 0x1000, &off);
	perfmap_free(m);
	len = size < sizeof(name) ? size : sizeof(name) - 1;
	memcpy(name, data, len);
	name[len] = '\0';
	if (strlen(demangle(name, text, sizeof(text))) >= sizeof(text))
		abort();
	close(fd);
	return 0;
}
