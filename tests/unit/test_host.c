/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_host: which host names are addresses (bpf/lib_host.h), against what the C library takes for one. */
#include <arpa/inet.h>
#include <string.h>

#include "abi/abi.h"
#include "unit.h"

typedef uint8_t u8;
typedef uint32_t u32;
typedef unsigned long long u64;
#define INLINE static inline
#define PART static
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

static u64 greater(u64 a, u64 b)
{
	return (b - a) >> 63;
}

static u64 nonzero(u64 x)
{
	return greater(x, 0);
}

u64 is_address(const u8 *in, u64 len);
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "../../bpf/lib_host.h"

static bool means_address(const char *name)
{
	u8 room[HOST_ROOM] = { 0 };

	memcpy(room, name, strlen(name));
	return is_address(room, strlen(name)) != 0;
}

/* A scope (%eth0) is no part of what inet_pton() takes. */
static bool is_numeric(const char *name)
{
	char bare[HOST_ROOM] = { 0 };
	struct in6_addr six;
	struct in_addr four;

	memcpy(bare, name, strcspn(name, "%"));
	return inet_pton(AF_INET6, bare, &six) == 1 || (!strchr(name, '%') && inet_aton(name, &four));
}

int main(void)
{
	static const char *const names[] = { "127.0.0.1", "0.0.0.0", "255.255.255.255", "256.1.1.1", "1.2.3",
		"1.2.65535", "1.2.65536", "1.16777215", "1.16777216", "4294967295", "4294967296",
		"99999999999999999999", "0", "1.2.3.4.5", "1.2.3.", ".1.2.3", "1..2", "", ".", "0x7f.1", "0x7f000001",
		"0x", "0x.1", "1.0x", "00x1", "0xfg", "0177.1", "08.1", "0377.0377", "0400.1", "1a", "a1", "10.example",
		"10.0.0.1.example", "10.0.0.1x", "3com.com", "localhost", "www.example.com", "dead.beef", "face", "::1",
		"::", "fe80::1%eth0", "2001:db8::1", "2001:DB8::A:B", "::ffff:10.0.0.1", "1:2:3:4:5:6:7:8", "host:80",
		"dead:80", "::zz", "x::1", "1.2.3.4%lo", "a%b", "1e3", "abcd::1", "abcde::1", ":", "1:2", "%::1",
		"Face::", "abcd:" };

	for (size_t i = 0; i < ROWS(names); i++)
		CHECK(means_address(names[i]) == is_numeric(names[i]), "%s", names[i]);
	return unit_end();
}
