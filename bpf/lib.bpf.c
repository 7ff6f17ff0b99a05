/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib: the functions of BPFLIB in src/ir/ir.h, which compiled programs call (IR_LIB).
 * Built by: clang -O2 -target bpf -mcpu=v3 -D__BPF__ -g0 -I src -c bpf/lib.bpf.c -o lib.bpf.o
 *           python3 bpf/gen_lib.py lib.bpf.o lib_code.h
 * Each function must stand alone: no data, no calls but of helpers and of other functions here, no other relocations;
 * gen_lib.py refuses anything else. A long loop calls its body as a function, which the verifier checks once.
 *
 * The verifier walks a function once for each call and path, or, if it can check it alone (lib_shapes of src/ir/ir.h),
 * once for each program; such a function tests its pointers for NULL, as the verifier demands. The code avoids paths:
 * the outcome of a branch is computed, and a value that a path would know exactly stays a range. Memory is accessed by
 * bytes: the pointers may have any alignment, and stack memory allows nothing else at variable offsets. */
#include "abi/abi.h"
#include "abi/arch.h"
#include "abi/notes.h"
#include "abi/words.h"

#define TSTR_ROOM 48 /* bytes of an address as text, with a NUL and what is written ahead */
#define INLINE static inline __attribute__((always_inline))
#define PART __attribute__((noinline)) /* a function that other functions here call */
/* Hides from clang what it knows about x, so that it does not turn arithmetic into branches. */
#define OPAQUE(x) asm volatile("" : "+r"(x))

/* Clears bits of x where the verifier and the CPU see it, though the compiler knows the outcome. Fuzzers build this
 * file for the host, too. */
#ifdef __bpf__
#define MASK(x, bits) asm volatile("%0 &= " #bits : "+r"(x))
/* The verifier forgets what it knows of x: it does of a register whose bytes are swapped. */
#define NUMBER(x) asm volatile("%0 = be64 %0\n%0 = be64 %0" : "+r"(x))
#else
#define MASK(x, bits) ((x) &= (bits))
#define NUMBER(x) ((void)(x))
#endif

typedef DW_U8 u8;
typedef DW_U16 u16;
typedef DW_U32 u32;
typedef DW_U64 u64;
typedef long long s64;

/* 1 when a > b, both less than 2^63. */
INLINE u64 greater(u64 a, u64 b)
{
	u64 d = b - a;
	OPAQUE(d);
	return d >> 63;
}

/* 1 when x is not 0, for x < 2^63. */
INLINE u64 nonzero(u64 x)
{
	return greater(x, 0);
}

/* The character of a hexadecimal digit. */
INLINE u8 hex(u64 digit)
{
	u64 letter = greater(digit, 9);
	OPAQUE(letter); /* as a mask made of a sign bit it would be two paths for the verifier (6.18) */
	return (u8)('0' + digit + letter * ('a' - '0' - 10));
}

/* Writes a.b.c.d at out + p; returns the position behind it. An unwanted digit is overwritten by the next one. */
INLINE u64 put_ip4(char *out, u64 p, const u8 *b)
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		u64 v = b[i];
		out[p] = (char)('0' + v / 100);
		p += greater(v, 99);
		out[p] = (char)('0' + v / 10 % 10);
		p += greater(v, 9);
		out[p] = (char)('0' + v % 10);
		p++;
		out[p] = '.';
		p += i < 3;
	}
	return p;
}

/* The groups of the eight that "::" stands for, as bits: the longest run of two or more zero groups, the first of
 * equals (RFC 5952, 4.2). */
INLINE u64 longest_run(u64 zero)
{
	u64 runs = zero, best = 0, len = 1;
#pragma clang loop unroll(disable)
	for (int n = 2; n <= 8; n++) {
		runs &= runs >> 1 & (0xffu >> (n - 1)); /* first groups of n zeros */
		OPAQUE(runs);
		u64 any = nonzero(runs), keep = any - 1;
		best = (best & keep) | runs;
		len += any;
	}
	best &= 0 - best;
	return (best << (len & 15)) - best;
}

INLINE u64 group(const u8 *b, int i)
{
	return (u64)b[2 * i] << 8 | b[2 * i + 1];
}

INLINE u64 put_ip6(char *out, const u8 *b)
{
	u64 zero = 0, p = 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 8; i++)
		zero |= (1 - nonzero(group(b, i))) << i;
	u64 run = longest_run(zero), before = 0;
	OPAQUE(run);
#pragma clang loop unroll(disable)
	for (int i = 0; i < 8; i++) {
		u64 v = group(b, i), in_run = run >> i & 1, shown = 1 - in_run;
		/* before each shown group but the first, and at the start of the run */
		u64 colon = (i > 0 ? shown : 0) | (in_run & ~before);
		OPAQUE(colon); /* before Linux 6.10 the verifier knows nothing of an OR, and clang leaves out "& 1" */
		out[p] = ':';
		p += colon & 1;
		out[p] = (char)hex(v >> 12);
		p += greater(v, 0xfff) & shown;
		out[p] = (char)hex(v >> 8 & 15);
		p += greater(v, 0xff) & shown;
		out[p] = (char)hex(v >> 4 & 15);
		p += greater(v, 0xf) & shown;
		out[p] = (char)hex(v & 15);
		p += shown;
		before = in_run;
	}
	out[p] = ':'; /* a run up to the end */
	p += before;
	return p;
}

/* ::ffff:a.b.c.d and ::a.b.c.d; the bytes before the last four are 0 or b[10] and b[11] are ff. */
INLINE u64 put_within(char *out, const u8 *b)
{
	u64 p = 2;

	out[0] = out[1] = ':';
	if (b[10]) {
		out[2] = out[3] = out[4] = out[5] = 'f';
		out[6] = ':';
		p = 7;
	}
	return put_ip4(out, p, b + 12);
}

/* Does the address contain an IPv4 address, as inet_ntop() of the C library sees it? */
INLINE int is_within(const u8 *b)
{
	u64 or = 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 10; i++)
		or |= b[i];
	if (or)
		return 0;
	return (b[10] & b[11]) == 0xff || (!(b[10] | b[11]) && (b[12] | b[13]));
}

u64 tstr_text(const struct dw_tstr *s, char *out)
{
	u64 p = 0;

	if (!s || !out)
		return 0;
	for (u32 i = 0; i < TSTR_ROOM; i += 8) {
		out[i] = out[i + 1] = out[i + 2] = out[i + 3] = 0;
		out[i + 4] = out[i + 5] = out[i + 6] = out[i + 7] = 0;
		OPAQUE(i); /* else clang makes this a call of memset */
	}
	if (s->tag == DW_STR_IP4)
		p = put_ip4(out, 0, s->b);
	else if (s->tag == DW_STR_IP6)
		p = is_within(s->b) ? put_within(out, s->b) : put_ip6(out, s->b);
	out[p] = 0;
	return p;
}

/* The length is counted in a value that the verifier cannot know, so that all ways out of the loop are the same state
 * to it. */
u64 str_len(const char *s, u32 size)
{
	u64 n = 0;
	for (u32 i = 0; i < size; i++) {
		u64 c = (u8)s[i];
		if (!c)
			break;
		n += nonzero(c);
	}
	return n;
}

/* In the order of their dependencies. */
/* clang-format off */
#include "lib_text.h"
#include "lib_path.h"
#include "lib_dns.h"
#include "lib_host.h"
#include "lib_stack.h"
#include "lib_chill.h"
#include "lib_json.h"
#include "lib_notes.h"
#include "lib_packet.h"
#include "lib_ended.h"
#include "lib_box.h"
#include "lib_nft.h"
#include "lib_xt.h"
#include "lib_words.h"
/* clang-format on */
