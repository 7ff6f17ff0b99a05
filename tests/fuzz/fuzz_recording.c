/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_recording: any bytes as a segment. Each piece of the input whose first byte is odd becomes a block with valid
 * sums, so that the text of blocks is reached. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/block.h"
#include "recording/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_piece(int fd, const uint8_t *data, size_t n)
{
	struct block b = { .flags = data[0] & BLOCK_PREAMBLE, .wall = 1 };
	unsigned char bytes[BLOCK_HEAD + 512];
	size_t len = data[0] & 1 ? block_pack(&b, (const char *)data + 1, n - 1, bytes) : n;

	if (write(fd, data[0] & 1 ? bytes : data, len) != (ssize_t)len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz-recording-XXXXXX", path[64];
	const struct reporter nobody = { NULL, NULL };
	const struct window all = { size % 7, UINT64_MAX };
	struct recording *r = NULL;
	FILE *out = fopen("/dev/null", "w");
	int fd;

	if (!out || !mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/000000000001.dwr", folder);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	for (size_t at = 0, n; at < size; at += n) {
		n = size - at < 200 ? size - at : 200;
		write_piece(fd, data + at, n);
	}
	close(fd);
	if (!recording_open(&r, folder, &nobody))
		for (size_t i = 0; i < recording_sessions(r); i++)
			(void)!recording_write(r, i, &all, out);
	recording_close(r);
	fclose(out);
	unlink(path);
	rmdir(folder);
	return 0;
}
