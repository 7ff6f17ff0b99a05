/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_packets: any bytes as a name of the Domain Name System in a packet. The routine that runs in the kernel is
 * compared with a plain reading of RFC 1035, section 4.1.4. */
#include <stdlib.h>
#include <string.h>

/* Programs for the kernel have no prototypes. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "../../bpf/lib.bpf.c"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* As the comment of dns_name() says. */
static u64 plain_name(char *out, const u8 *in, u64 len)
{
	u64 at = 0, n = 0;

	while (at < len && in[at] && in[at] <= 63) {
		u64 label = in[at++];

		if (n)
			out[n++] = '.';
		for (; label && at < len; label--, at++) {
			u8 c = in[at];

			out[n++] = (char)(!c || c == '.' ? '?' : c >= 'A' && c <= 'Z' ? c + 32 : c);
		}
		if (label)
			break;
	}
	if (at < len && !in[at]) {
		if (!n)
			out[n++] = '.';
		out[n] = 0;
		return at + 1;
	}
	out[n] = 0;
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char got[256], want[256];
	u8 in[256] = { 0 }; /* what it is given in the kernel; it says to look at 255 of them */
	u64 len = size < 255 ? size : 255, n;

	memcpy(in, data, len);
	n = dns_name(got, in, len);
	if (n != plain_name(want, in, len) || strcmp(got, want) != 0)
		abort();
	return 0;
}
