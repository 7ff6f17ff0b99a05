/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_packets: whose packet a buffer and the memory of its headers are (bpf/lib_packet.h), where the kernel copies
 * headers, and where it uses both again without a sign. */
#include <inttypes.h>

#include "abi/abi.h"
#include "abi/arch.h"
#include "abi/notes.h"
#include "unit.h"

typedef uint32_t u32;
typedef DW_U64 u64;
#define INLINE static inline
#define PART static
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))
#define MASK(x, bits) ((x) &= (bits))
#define NUMBER(x) ((void)(x))
#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* programs for the kernel have none */
#include <lib_notes.h>
#include <lib_packet.h>

/* Addresses: of sk_buffs, and of headers. */
enum { SKB_A = 0x1000, SKB_B = 0x2000, HEAD_X = 0x10000, HEAD_Y = 0x20000 };

static char *table;
static u64 freed[2], clock_now;

static void *look_up(void *map, const void *key)
{
	(void)key;
	return map;
}

/* The identity of the packet at a stage. */
static u64 stage(u64 buffer, u64 head, u64 number)
{
	struct dw_stage s = { .head = head, .buffer = buffer, .now = clock_now += 1000, .place = number };

	return packet_note(&s, table, freed);
}

static void gives_back(u64 head)
{
	u64 at[2] = { head, 0 };

	packet_end(at, table, freed);
}

static void begin(void)
{
	memset(table, 0, DW_NOTES_SIZE);
	memset(freed, 0, sizeof(freed));
}

static u32 first_cpu(void)
{
	return 0;
}

/* The old headers are given back before the next stage, or later. */
static void test_copied(void)
{
	u64 id;

	begin();
	id = stage(SKB_A, HEAD_X, DW_STAGE_QUEUE);
	EXPECT(id != 0);
	gives_back(HEAD_X);
	EXPECT(stage(SKB_A, HEAD_Y, DW_STAGE_TRANSMIT) == id);

	begin();
	id = stage(SKB_A, HEAD_X, DW_STAGE_QUEUE);
	EXPECT(stage(SKB_A, HEAD_Y, DW_STAGE_TRANSMIT) == id);
	gives_back(HEAD_X);
	EXPECT(stage(SKB_A, HEAD_Y, DW_STAGE_DRIVER_IN) == id);
}

/* A packet ends without a sign of its sk_buff's end. The next one has its headers' memory; the one after that its
 * sk_buff. */
static void test_used_again(void)
{
	u64 ids[3];

	begin();
	ids[0] = stage(SKB_A, HEAD_X, DW_STAGE_QUEUE);
	gives_back(HEAD_X);
	ids[1] = stage(SKB_B, HEAD_X, DW_STAGE_QUEUE);
	ids[2] = stage(SKB_A, HEAD_Y, DW_STAGE_QUEUE);
	CHECK(ids[0] && ids[1] != ids[0], "%" PRIx64 ", %" PRIx64, ids[0], ids[1]);
	CHECK(ids[2] != ids[0] && ids[2] != ids[1], "%" PRIx64 ", %" PRIx64 ", %" PRIx64, ids[0], ids[1], ids[2]);
	EXPECT(stage(SKB_B, HEAD_X, DW_STAGE_TRANSMIT) == ids[1]);
	EXPECT(stage(SKB_A, HEAD_Y, DW_STAGE_TRANSMIT) == ids[2]);
}

int main(void)
{
	table = calloc(1, DW_NOTES_SIZE);
	if (!table)
		return 1;
	map_lookup = look_up;
	this_cpu = first_cpu;
	test_copied();
	test_used_again();
	free(table);
	return unit_end();
}
