/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_consume: records of several rings come out in order of time, malformed ones are counted, drops are reported.
 * Rings in memory, laid out as programs and as the kernel do; then real ones, written by programs run by hand. */
#include <errno.h>
#include <linux/bpf.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "consume/consume.h"
#include "datum.h"
#include "diags.h"
#include "print/sinks.h"
#include "unit.h"

#define NRINGS 3
#define RING_SIZE 512
#define BUSY BPF_RINGBUF_BUSY_BIT
#define DISCARD BPF_RINGBUF_DISCARD_BIT
#define KEY 0x9e3779b9u

static bool own; /* the rings are elements of a map (abi/abi.h), not BPF ring buffers */

/* ---- the image: what the epids below do -------------------------------------------------------------------------- */
enum { E_PRINTF = 1, E_EXIT, E_END, E_ERROR, E_TRACE, E_COUNT, E_GUARD, E_EMPTY };

static struct lit lits[] = { { "", 0 } };
static struct image_probe probes[] = { { 12, "tcp", "", "none", "send" }, { 2, "dtrace", "", "", "END" },
	{ 3, "dtrace", "", "", "ERROR" }, { 1, "dtrace", "", "", "BEGIN" } };
static struct field arg_int = { .kind = FIELD_INT, .off = 16, .size = 4, .is_signed = true };
static struct fmt_item items[] = { { .text = "n=", .text_len = 2, .conv = 'd', .width = -1, .prec = -1 },
	{ .text = "\n", .text_len = 1 } };
static struct fmt fmt_n = { items, 2, 1 };
static uint32_t agg_id;
static struct action do_printf = { .kind = ACT_PRINTF, .fmt = &fmt_n, .args = &arg_int, .nargs = 1 };
static struct action do_exit[] = { { .kind = ACT_EXIT, .args = &arg_int, .nargs = 1 },
	{ .kind = ACT_PRINTF, .fmt = &fmt_n, .args = &arg_int, .nargs = 1 } };
static struct action do_trace = { .kind = ACT_TRACE, .args = &arg_int, .nargs = 1 };
static struct action do_aggs[] = { { .kind = ACT_NORMALIZE, .aggs = &agg_id, .naggs = 1, .args = &arg_int, .nargs = 1 },
	{ .kind = ACT_PRINTA, .aggs = &agg_id, .naggs = 1 }, { .kind = ACT_DENORMALIZE, .aggs = &agg_id, .naggs = 1 },
	{ .kind = ACT_PRINTA, .aggs = &agg_id, .naggs = 1 }, { .kind = ACT_CLEAR, .aggs = &agg_id, .naggs = 1 },
	{ .kind = ACT_PRINTA, .aggs = &agg_id, .naggs = 1 }, { .kind = ACT_TRUNC, .aggs = &agg_id, .naggs = 1 },
	{ .kind = ACT_PRINTA, .aggs = &agg_id, .naggs = 1 } };
static struct action do_guard[] = {
	{ .kind = ACT_PRINTF, .fmt = &fmt_n, .args = &arg_int, .nargs = 1, .guard_off = 20 },
	{ .kind = ACT_PRINTF, .fmt = &fmt_n, .args = &arg_int, .nargs = 1, .guard_off = 21 },
	{ .kind = ACT_PRINTF, .fmt = &fmt_n, .args = &arg_int, .nargs = 1, .guard_off = 9999 }
};
static struct epid epids[] = {
	{ 0, 0, 20, &do_printf, 1, false, 0, false, 0 },
	{ 0, 1, 20, do_exit, 2, false, 0, false, 0 },
	{ 1, 2, 20, &do_printf, 1, false, 0, false, 0 },
	{ 2, 3, 20, &do_printf, 1, false, 0, false, 0 },
	{ 3, 4, 20, &do_trace, 1, false, 0, false, 0 },
	{ 0, 5, 20, do_aggs, ROWS(do_aggs), true, 0, false, 0 },
	{ 0, 6, 22, do_guard, ROWS(do_guard), false, 0, false, 0 },
	{ 3, 7, 16, NULL, 0, false, 0, false, 0 },
};
static struct agg aggs[] = { { .name = "a", .fn = DW_AGG_COUNT, .nwords = 1, .map = 9 } };
static struct image_map maps[] = { { .role = MAP_RINGS }, { .role = MAP_DROPS } };
static const struct image image = {
	.probes = { probes, ROWS(probes), ROWS(probes) },
	.epids = { epids, ROWS(epids), ROWS(epids) },
	.lits = { lits, ROWS(lits), ROWS(lits) },
	.aggs = { aggs, ROWS(aggs), ROWS(aggs) },
	.maps = { maps, ROWS(maps), ROWS(maps) },
};

/* ---- rings in memory --------------------------------------------------------------------------------------------- */
struct rig {
	unsigned long cons[NRINGS], prod[NRINGS];
	_Alignas(8) uint8_t data[NRINGS][2 * RING_SIZE];
	struct consumer *c;
	struct sink *sink;
	struct capture out, err;
	struct options options;
	struct reporter report;
};

/* Text on out, reports on err. */
static void env_output(struct consumer_env *env, struct reporter *report, FILE *out, FILE *err)
{
	*report = (struct reporter){ .fn = diag_write, .ctx = err };
	env->report = report;
	env->sink = print_sink_new(&(struct print_to){ .out = out, .options = env->options, .report = report });
	if (!env->sink)
		abort();
}

/* Of ours a record runs on behind the data, and the consumer writes how far programs may go. */
static struct ring_memory ring_memory(struct rig *r, size_t i)
{
	return (struct ring_memory){ &r->cons[i], &r->prod[i], r->data[i], RING_SIZE, own ? 2 * RING_SIZE : 0, KEY };
}

/* What is consumed, and its room given back. */
static unsigned long consumed(const struct rig *r, unsigned ring)
{
	return r->cons[ring] - (own ? RING_SIZE : 0);
}

/* start: where the positions begin, so that records wrap. */
static void rig_open(struct rig *r, bool quiet, unsigned long start)
{
	struct ring_memory rings[NRINGS];
	struct consumer_env env = { .image = &image, .options = &r->options, .memory = rings, .nrings = NRINGS };

	memset(r, 0, sizeof(*r));
	options_init(&r->options);
	r->options.quiet = quiet;
	capture_open(&r->out);
	capture_open(&r->err);
	env_output(&env, &r->report, r->out.f, r->err.f);
	r->sink = env.sink;
	for (size_t i = 0; i < NRINGS; i++) {
		r->cons[i] = start + (own ? RING_SIZE : 0);
		r->prod[i] = start;
		rings[i] = ring_memory(r, i);
	}
	if (consumer_new(&env, &r->c))
		abort();
}

static void rig_close(struct rig *r)
{
	consumer_free(r->c);
	sink_free(r->sink);
	capture_close(&r->out);
	capture_close(&r->err);
}

/* Byte i of what begins at pos. */
static void put_byte(struct rig *r, unsigned ring, unsigned long pos, size_t i, uint8_t b)
{
	if (own) {
		r->data[ring][pos % RING_SIZE + i] = b;
		return;
	}
	r->data[ring][(pos + i) % RING_SIZE] = b;
	r->data[ring][(pos + i) % RING_SIZE + RING_SIZE] = b;
}

/* As the kernel or a program: head, then the record; returns the position of the head. */
static unsigned long put_raw(struct rig *r, unsigned ring, uint32_t head, const void *rec, size_t size)
{
	unsigned long at = r->prod[ring];
	uint64_t word = head | (own ? (uint64_t)((uint32_t)(at >> 3) ^ KEY) << 32 : 0);

	for (size_t i = 0; i < 8; i++)
		put_byte(r, ring, at, i, (uint8_t)(word >> (8 * i)));
	for (size_t i = 0; i < size; i++)
		put_byte(r, ring, at, 8 + i, ((const uint8_t *)rec)[i]);
	r->prod[ring] = at + ((8 + size + 7) & ~7ul);
	return at;
}

static unsigned long put(struct rig *r, unsigned ring, uint64_t ts, uint32_t epid, int32_t n, uint32_t flags)
{
	uint8_t rec[24] = { 0 };
	struct dw_rec head = { ts, epid, 24 };

	memcpy(rec, &head, sizeof(head));
	memcpy(rec + 16, &n, sizeof(n));
	rec[21] = 1; /* the second guard of E_GUARD */
	return put_raw(r, ring, flags | sizeof(rec), rec, sizeof(rec));
}

static void set_head(struct rig *r, unsigned ring, unsigned long at, uint32_t head)
{
	for (size_t i = 0; i < 4; i++)
		put_byte(r, ring, at, i, (uint8_t)(head >> (8 * i)));
}

static void work(struct rig *r, bool final, int want, const char *name)
{
	int n = consumer_work(r->c, final);

	CHECK(n == want, "%s: consumed %d, not %d", name, n, want);
}

static void expect(struct rig *r, const char *name, const char *want)
{
	CHECK_TEXT(name, capture_text(&r->out), want);
	capture_reset(&r->out);
}

static void expect_err(struct rig *r, const char *name, const char *want)
{
	CHECK_TEXT(name, capture_text(&r->err), want);
	capture_reset(&r->err);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static void test_merge(void)
{
	static struct rig r;

	rig_open(&r, true, 0);
	put(&r, 0, 10, E_PRINTF, 1, 0);
	put(&r, 0, 40, E_PRINTF, 4, 0);
	put(&r, 1, 20, E_PRINTF, 2, 0);
	put(&r, 1, 30, E_PRINTF, 3, 0);
	put(&r, 2, 40, E_PRINTF, 5, 0);
	put(&r, 2, 41, E_PRINTF, 99, DISCARD);
	put(&r, 2, 42, E_PRINTF, 6, 0);
	work(&r, false, 6, "merge");
	expect(&r, "merge", "n=1\nn=2\nn=3\nn=4\nn=5\nn=6\n");
	for (unsigned i = 0; i < NRINGS; i++)
		CHECK(consumed(&r, i) == r.prod[i], "ring %u: %lu of %lu", i, consumed(&r, i), r.prod[i]);
	work(&r, true, 0, "empty");
	/* A probe interrupted by another: its record is behind, its time before. */
	put(&r, 0, 52, E_PRINTF, 3, 0);
	put(&r, 0, 51, E_PRINTF, 2, 0);
	put(&r, 0, 50, E_PRINTF, 1, 0);
	put(&r, 1, 51, E_PRINTF, 22, 0);
	work(&r, false, 4, "nested");
	expect(&r, "nested", "n=1\nn=2\nn=22\nn=3\n");
	rig_close(&r);
}

static void test_hold_back(void)
{
	static struct rig r;
	uint64_t soon = now_ns() + 3600000000000ull;

	rig_open(&r, true, 0);
	put(&r, 0, soon, E_PRINTF, 2, 0);
	put(&r, 1, 5, E_PRINTF, 1, 0);
	put(&r, 1, soon + 1, E_PRINTF, 3, 0);
	work(&r, false, 1, "hold back");
	expect(&r, "hold back", "n=1\n");
	CHECK(consumed(&r, 0) == 0 && consumed(&r, 1) == 32, "%lu, %lu", consumed(&r, 0), consumed(&r, 1));
	work(&r, false, 0, "still");
	work(&r, true, 2, "final");
	expect(&r, "final", "n=2\nn=3\n");
	rig_close(&r);
}

static void test_busy(void)
{
	static struct rig r;

	rig_open(&r, true, 0);
	unsigned long at = put(&r, 0, 10, E_PRINTF, 1, BUSY);

	put(&r, 0, 11, E_PRINTF, 2, 0);
	put(&r, 1, 12, E_PRINTF, 3, 0);
	work(&r, false, 0, "busy");
	uint64_t before = now_ns();

	work(&r, true, 1, "final, busy");
	uint64_t took = now_ns() - before;

	CHECK(took >= 90000000 && took < 2000000000, "waited %llu ns", (unsigned long long)took);
	expect(&r, "blocks its ring only, in the end", "n=3\n");
	set_head(&r, 0, at, 24);
	work(&r, true, 2, "done");
	expect(&r, "done", "n=1\nn=2\n");
	rig_close(&r);
}

/* A record that is still being written holds up what is later in other rings, not what is earlier. */
static void test_busy_order(void)
{
	static struct rig r;

	rig_open(&r, true, 0);
	put(&r, 0, 10, E_PRINTF, 1, 0);
	unsigned long at = put(&r, 0, 30, E_PRINTF, 4, BUSY);

	put(&r, 1, 5, E_PRINTF, 0, 0);
	put(&r, 1, 10, E_PRINTF, 2, 0);
	put(&r, 1, 40, E_PRINTF, 5, 0);
	work(&r, false, 3, "earlier than the busy one");
	expect(&r, "earlier than the busy one", "n=0\nn=1\nn=2\n");
	put(&r, 1, 41, E_PRINTF, 6, 0);
	work(&r, false, 0, "later");
	set_head(&r, 0, at, 24);
	work(&r, false, 3, "no more busy");
	expect(&r, "no more busy", "n=4\nn=5\nn=6\n");
	rig_close(&r);
}

/* A program that was held up before it read the clock: its record stands before many that are earlier. */
static void test_late_clock(void)
{
	static struct rig r;
	char want[128] = "";

	rig_open(&r, true, 0);
	put(&r, 0, 100, E_PRINTF, 100, 0);
	for (int i = 1; i <= 6; i++) {
		put(&r, 0, (uint64_t)i, E_PRINTF, i, 0);
		snprintf(want + strlen(want), sizeof(want) - strlen(want), "n=%d\n", i);
	}
	put(&r, 1, 7, E_PRINTF, 7, 0);
	put(&r, 1, 101, E_PRINTF, 101, 0);
	strcat(want, "n=7\nn=100\nn=101\n");
	work(&r, false, 9, "late clock");
	expect(&r, "late clock", want);
	CHECK(consumed(&r, 0) == r.prod[0] && consumed(&r, 1) == r.prod[1], "%lu, %lu", consumed(&r, 0),
		consumed(&r, 1));
	rig_close(&r);
}

/* Records cross the end of the ring many times, and the positions are far along. */
static void test_wrap(void)
{
	static struct rig r;
	char want[256];

	rig_open(&r, true, 1ul << 40 | 8);
	for (int i = 0; i < 100; i++) {
		for (int k = 0; k < 5; k++)
			put(&r, (unsigned)k % 2, (uint64_t)(10 * i + k), E_PRINTF, 5 * i + k, 0);
		CHECK(consumer_avail(r.c) == 96 * 100 / RING_SIZE, "%u%%", consumer_avail(r.c));
		work(&r, false, 5, "wrap");
		CHECK(consumer_avail(r.c) == 0, "%u%%", consumer_avail(r.c));
		snprintf(want, sizeof(want), "n=%d\nn=%d\nn=%d\nn=%d\nn=%d\n", 5 * i, 5 * i + 1, 5 * i + 2, 5 * i + 3,
			5 * i + 4);
		expect(&r, "wrap", want);
	}
	rig_close(&r);
}

static void test_hostile(void)
{
	static const struct {
		uint32_t head;
		struct dw_rec rec;
		bool rest; /* what follows in the ring is still read */
	} bad[] = {
		{ 24, { 1, 0, 24 }, true },
		{ 24, { 1, 9, 24 }, true },
		{ 24, { 1, 0xfffffffe, 24 }, true },
		{ 24, { 1, DW_EPID_ERROR, 24 }, true },
		{ 24, { 1, E_PRINTF, 16 }, true },
		{ 24, { 1, E_PRINTF, 0 }, true },
		{ 24, { 1, E_PRINTF, 25 }, true },
		{ 24, { 1, E_PRINTF, 0xffffffff }, true },
		{ 8, { 1, E_PRINTF, 24 }, true },
		{ 0, { 1, E_PRINTF, 24 }, true },
		{ 0x3fffffff, { 1, E_PRINTF, 24 }, false },
		{ RING_SIZE, { 1, E_PRINTF, RING_SIZE }, false },
		{ 200, { 1, E_PRINTF, 24 }, false },
	};
	static struct rig r;

	for (size_t i = 0; i < ROWS(bad); i++) {
		char name[32];
		uint8_t rec[24] = { 0 };

		snprintf(name, sizeof(name), "hostile %zu", i);
		rig_open(&r, true, RING_SIZE - 16);
		memcpy(rec, &bad[i].rec, sizeof(bad[i].rec));
		/* A record that is too short is as long as it says; the others only claim another length. */
		put_raw(&r, 0, bad[i].head, rec, bad[i].head < sizeof(struct dw_rec) ? bad[i].head : sizeof(rec));
		put(&r, 0, 2, E_PRINTF, 7, 0);
		put(&r, 1, 3, E_PRINTF, 8, 0);
		int n = consumer_work(r.c, false);

		CHECK(n >= 1, "%s: %d", name, n);
		expect(&r, name, bad[i].rest ? "n=7\nn=8\n" : "n=8\n");
		CHECK(consumed(&r, 0) == r.prod[0], "%s: the ring is stuck", name);
		uint64_t drops = consumer_report_drops(r.c);

		CHECK(drops >= 1, "%s: not counted", name);
		if (bad[i].rest)
			expect_err(&r, name, "dwire: 1 malformed record\n");
		CHECK(consumer_report_drops(r.c) == 0, "%s: counted twice", name);
		/* The ring goes on. */
		put(&r, 0, 4, E_PRINTF, 9, 0);
		capture_reset(&r.out);
		work(&r, false, 1, name);
		expect(&r, name, "n=9\n");
		rig_close(&r);
	}
}

/* A program has taken a place and not yet written its head: what is there is left from earlier rounds, or a stranger's.
 * Nothing in it is taken for a head but the one that says this place, with the trace's key. */
static void test_stale(void)
{
	const uint32_t places[] = { 2ul * RING_SIZE, RING_SIZE, 0, RING_SIZE + 8, 3 * RING_SIZE };
	static struct rig r;
	uint64_t word;

	rig_open(&r, true, 2ul * RING_SIZE);
	for (size_t i = 0; i < RING_SIZE; i += 8)
		for (size_t k = 0; k < ROWS(places); k++) {
			/* As if it were complete, then with another bit of the right word changed. */
			word = (uint64_t)(places[k] >> 3 ^ (k ? KEY : 0)) << 32 | 24;
			memcpy(r.data[0], &word, sizeof(word));
			r.prod[0] = 2ul * RING_SIZE + 8 + i;
			work(&r, false, 0, "an old head");
		}
	for (unsigned bit = 0; bit < 32; bit++) {
		word = (uint64_t)((2ul * RING_SIZE / 8) ^ KEY ^ 1u << bit) << 32 | 24;
		memcpy(r.data[0], &word, sizeof(word));
		work(&r, false, 0, "nearly the head");
	}
	memset(r.data[0], 0, RING_SIZE);
	work(&r, true, 0, "no head");
	CHECK(consumer_report_drops(r.c) == 0 && consumed(&r, 0) == 2ul * RING_SIZE, "nothing was taken for a record");
	/* The program goes on. */
	r.prod[0] = 2ul * RING_SIZE;
	put(&r, 0, 1, E_PRINTF, 5, BUSY);
	work(&r, false, 0, "busy");
	set_head(&r, 0, 2ul * RING_SIZE, 24);
	work(&r, false, 1, "complete");
	expect(&r, "after stale bytes", "n=5\n");
	rig_close(&r);
}

/* A record may end behind the data, as far as there is room, whatever the head of the last one says. */
static void test_room(void)
{
	static struct rig r;
	struct ring_memory m;
	struct ring ring;
	uint8_t rec[48] = { 0 };
	struct dw_rec head = { 1, E_PRINTF, 48 };

	for (unsigned less = 0; less < 2; less++) {
		memset(&r, 0, sizeof(r));
		m = ring_memory(&r, 0);
		r.prod[0] = RING_SIZE - 16;
		r.cons[0] = 2ul * RING_SIZE - 16;
		m.room = RING_SIZE + 40 - less;
		memcpy(rec, &head, sizeof(head));
		put_raw(&r, 0, sizeof(rec), rec, sizeof(rec));
		ring_from_memory(&ring, &m);
		ring_look(&ring);
		CHECK((ring_peek(&ring) == NULL) == (less > 0) && ring.bad == less, "%u bytes less", less);
		ring_release(&ring, false);
		if (less)
			CHECK(consumed(&r, 0) == r.prod[0], "the ring goes on");
		ring_close(&ring);
	}
}

/* Any bytes: nothing is read outside, and the ring goes on behind them. */
static void test_noise(void)
{
	static struct rig r;
	uint64_t x = 88172645463325252u;

	for (unsigned round = 0; round < 3000; round++) {
		struct ring_memory m;
		struct ring ring;
		unsigned n = 0;

		memset(&r, 0, sizeof(r));
		for (size_t i = 0; i < sizeof(r.data[0]); i += 8) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			/* Half of the heads are for their places, or nothing would ever be read. */
			uint64_t at = (uint32_t)((RING_SIZE + i % RING_SIZE) >> 3) ^ KEY;
			uint64_t word = own && round % 2 ? at << 32 | (x & (x >> 60 ? 127 : 0xffffffffu)) : x;

			memcpy(r.data[0] + i, &word, sizeof(word));
		}
		r.cons[0] = RING_SIZE + (own ? RING_SIZE : 0);
		r.prod[0] = RING_SIZE + x % (RING_SIZE / 8) * 8;
		m = ring_memory(&r, 0);
		if (own)
			m.room = RING_SIZE + 64;
		ring_from_memory(&ring, &m);
		ring_look(&ring);
		for (const struct ring_slot *s; (s = ring_peek(&ring)) && n < RING_SIZE; n++) {
			CHECK(s->rec >= m.data && s->rec + s->len <= m.data + (own ? m.room : 2ul * RING_SIZE),
				"inside");
			ring_next(&ring);
		}
		ring_release(&ring, false);
		CHECK(n < RING_SIZE && ring.pos <= r.prod[0] && consumed(&r, 0) <= r.prod[0], "round %u", round);
		ring_close(&ring);
	}
}

static void test_exit(void)
{
	static struct rig r;
	int status = -1;

	rig_open(&r, true, 0);
	CHECK(!consumer_exited(r.c, &status), "not yet");
	put(&r, 0, 10, E_PRINTF, 1, 0);
	put(&r, 1, 20, E_EXIT, 3, 0);
	put(&r, 1, 21, E_PRINTF, 97, 0);
	put(&r, 0, 30, E_PRINTF, 98, 0);
	work(&r, false, 2, "exit");
	CHECK(consumer_exited(r.c, &status) && status == 3, "status %d", status);
	put(&r, 2, 40, E_END, 5, 0);
	put(&r, 2, 41, E_PRINTF, 99, 0);
	put(&r, 2, 42, E_EXIT, 4, 0);
	work(&r, true, 5, "after exit");
	/* The rest of the clause that exits still runs; of what comes later only END. */
	expect(&r, "exit", "n=1\nn=3\nn=5\n");
	CHECK(consumer_exited(r.c, &status) && status == 3, "the first counts: %d", status);
	rig_close(&r);
}

static void put_error(struct rig *r, uint64_t ts, uint32_t epid, uint32_t fault, uint64_t value)
{
	struct dw_err e = {
		.rec = { ts, DW_EPID_ERROR, sizeof(e) }, .epid = epid, .action = 2, .fault = fault, .value = value
	};

	put_raw(r, 0, sizeof(e), &e, sizeof(e));
}

static void test_errors(void)
{
	static struct rig r;

	rig_open(&r, true, 0);
	put_error(&r, 1, 1, DW_FAULT_BADADDR, 16);
	put_error(&r, 2, 5, DW_FAULT_DIVZERO, 0);
	put_error(&r, 3, 1, DW_FAULT_NOSCRATCH, 0);
	put_error(&r, 4, 77, DW_FAULT_NOSCRATCH, 0);
	work(&r, false, 4, "errors");
	CHECK(consumer_report_drops(r.c) == 1, "the unknown epid");
	expect_err(&r, "errors",
		"dwire: error on enabled probe ID 1 (ID 12: tcp::none:send): invalid address (0x10) in action #2 at "
		"BPF pc 0\n"
		"dwire: error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): divide-by-zero in action #2 at BPF pc 0\n"
		"dwire: error on enabled probe ID 1 (ID 12: tcp::none:send): out of scratch space in action #2 at BPF "
		"pc 0\n"
		"dwire: 1 malformed record\n");
	put(&r, 0, 5, E_EXIT, 0, 0);
	put_error(&r, 6, 1, DW_FAULT_DIVZERO, 0);
	put_error(&r, 7, E_END, DW_FAULT_DIVZERO, 0);
	put(&r, 0, 8, E_ERROR, 6, 0);
	work(&r, false, 1, "exit");
	work(&r, true, 3, "after");
	expect_err(&r, "only END's",
		"dwire: error on enabled probe ID 3 (ID 2: dtrace:::END): divide-by-zero in action #2 at BPF pc 0\n");
	expect(&r, "ERROR clause", "n=0\nn=6\n");
	rig_close(&r);
}

/* Of each kind of fault the first is reported at once, and the number of the rest with the drops. */
static void test_errors_of_a_kind(void)
{
	static struct rig r;

	rig_open(&r, true, 0);
	for (uint64_t i = 0; i < 6; i++)
		put_error(&r, 1 + i, 1, DW_FAULT_BADADDR, 16 + i);
	put_error(&r, 7, 1, DW_FAULT_DIVZERO, 0);
	put_error(&r, 8, 1, DW_FAULT_DIVZERO, 0);
	put_error(&r, 9, 5, DW_FAULT_BADADDR, 16);
	work(&r, false, 9, "errors");
	expect_err(&r, "the first of each",
		"dwire: error on enabled probe ID 1 (ID 12: tcp::none:send): invalid address (0x10) in action #2 at "
		"BPF pc 0\n"
		"dwire: error on enabled probe ID 1 (ID 12: tcp::none:send): divide-by-zero in action #2 at BPF pc 0\n"
		"dwire: error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): invalid address (0x10) in action #2 at "
		"BPF pc 0\n");
	CHECK(consumer_report_drops(r.c) == 0, "faults are no drops");
	expect_err(&r, "the rest",
		"dwire: 5 more errors on enabled probe ID 1 (ID 12: tcp::none:send): invalid address in action #2\n"
		"dwire: 1 more error on enabled probe ID 1 (ID 12: tcp::none:send): divide-by-zero in action #2\n");
	put_error(&r, 10, 5, DW_FAULT_BADADDR, 8);
	work(&r, false, 1, "a later one");
	expect_err(&r, "a later one", "");
	CHECK(consumer_report_drops(r.c) == 0 && consumer_report_drops(r.c) == 0, "faults are no drops");
	expect_err(&r, "a later one, once",
		"dwire: 1 more error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): invalid address in action #2\n");
	rig_close(&r);
}

static void test_layout(void)
{
	static struct rig r;

	rig_open(&r, false, 0);
	put(&r, 0, 1, E_TRACE, 5, 0);
	put(&r, 1, 2, E_PRINTF, 6, 0);
	put(&r, 2, 3, E_EMPTY, 0, 0);
	put(&r, 2, 4, E_GUARD, 7, 0);
	work(&r, false, 4, "layout");
	agg_absorb(consumer_agg_set(r.c), 0, "", (const uint64_t[]){ 12 }, 1);
	put(&r, 2, 5, E_COUNT, 4, 0);
	work(&r, false, 1, "layout");
	expect(&r, "layout",
		"CPU     ID                    FUNCTION:NAME\n"
		"  0      1                           :BEGIN         5\n"
		"  1     12                        none:send n=6\n\n"
		"  2      1                           :BEGIN \n"
		"  2     12                        none:send n=7\n\n"
		/* normalize(4), denormalize, clear; after trunc there is nothing to print but the empty line */
		"\n                3\n"
		"\n               12\n"
		"\n                0\n\n");
	agg_absorb(consumer_agg_set(r.c), 0, "", (const uint64_t[]){ 13 }, 1);
	CHECK(!consumer_aggs(r.c), "aggs");
	expect(&r, "printed by printa", "\n");
	rig_close(&r);

	rig_open(&r, true, 0);
	agg_absorb(consumer_agg_set(r.c), 0, "", (const uint64_t[]){ 13 }, 1);
	CHECK(!consumer_aggs(r.c), "aggs");
	expect(&r, "never printed", "\n               13\n");
	rig_close(&r);
}

static void test_broken_stream(void)
{
	struct options quiet = { .quiet = true };
	static struct rig r;
	struct ring_memory ring = ring_memory(&r, 0);
	struct consumer_env env = { .image = &image, .options = &quiet, .memory = &ring, .nrings = 1 };
	struct consumer *c;
	FILE *full = fopen("/dev/full", "w"), *err = tmpfile();

	if (!full || !err)
		abort();
	memset(&r, 0, sizeof(r));
	r.cons[0] = own ? RING_SIZE : 0;
	env_output(&env, &r.report, full, err);
	CHECK(!consumer_new(&env, &c), "new");
	put(&r, 0, 1, E_PRINTF, 1, 0);
	CHECK(consumer_work(c, false) == -ENOSPC, "the error is returned");
	CHECK(consumer_aggs(c) == -ENOSPC, "again");
	consumer_free(c);
	sink_free(env.sink);
	fclose(full);
	fclose(err);
	consumer_free(NULL);
}

static void test_missed(void)
{
	static struct rig r;

	rig_open(&r, true, 0);
	consumer_add_missed(r.c, "tcp:::send", false, false, 3);
	consumer_add_missed(r.c, "tcp:::receive", false, true, 1);
	consumer_add_missed(r.c, "tcp:::send", false, false, 2);
	consumer_add_missed(r.c, "ip:::send", false, false, 0);
	consumer_add_missed(r.c, "tcp:::send", true, false, 1); /* of what it looks back at: told by itself */
	consumer_add_missed(r.c, "tcp:::send", true, false, 2);
	CHECK(consumer_report_drops(r.c) == 9, "sum");
	expect_err(&r, "missed",
		"dwire: 5 probe firings missed in tcp:::send (recursion)\n"
		"dwire: up to 1 probe firing missed in tcp:::receive (recursion)\n"
		"dwire: 3 earlier events missed for tcp:::send (recursion)\n");
	/* More names than there is room for are counted under the last. */
	for (int i = 0; i < 30; i++) {
		char name[32];

		snprintf(name, sizeof(name), "p%d", i);
		consumer_add_missed(r.c, name, false, false, 1);
	}
	CHECK(consumer_report_drops(r.c) == 30, "sum");
	CHECK(consumer_report_drops(r.c) == 0, "nothing new");
	rig_close(&r);
}

/* ---- rings of the kernel ----------------------------------------------------------------------------------------- */
#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define REC_BYTES 24

/* A program that copies its context to a record of the ring. */
static int writer_load(int ring)
{
	struct bpf_insn p[16];
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	size_t n = 0;

	for (int i = 0; i < REC_BYTES; i += 8) {
		p[n++] = INSN(BPF_LDX | BPF_MEM | BPF_DW, BPF_REG_0, BPF_REG_1, (int16_t)i, 0);
		p[n++] = INSN(BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_0, (int16_t)(i - REC_BYTES), 0);
	}
	p[n++] = INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, ring);
	p[n++] = INSN(0, 0, 0, 0, 0);
	p[n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0);
	p[n++] = INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -REC_BYTES);
	p[n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, REC_BYTES);
	p[n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_4, 0, 0, 0);
	p[n++] = INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ringbuf_output);
	p[n++] = INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "dwt_writer", "GPL", p, n, &opts);
}

/* 0, or what the program returned: -EAGAIN when the ring is full. */
static int writer_run(int prog, uint64_t ts, int32_t n)
{
	struct {
		struct dw_rec rec;
		int32_t n, pad;
	} ctx = { { ts, E_PRINTF, REC_BYTES }, n, 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &ctx, .ctx_size_in = sizeof(ctx));

	if (bpf_prog_test_run_opts(prog, &opts))
		abort();
	return (int)opts.retval;
}

static void test_kernel_rings(int rings[2], const int progs[2])
{
	struct options quiet = { .quiet = true };
	struct consumer_env env = { .image = &image, .options = &quiet, .ring_fds = rings, .nrings = 2 };
	int fds[2] = { -1, bpf_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "dwt_drops", 4, 8, DW_DROP_COUNT, NULL) };
	size_t ncpus = (size_t)libbpf_num_possible_cpus();
	uint64_t *counts = calloc(ncpus, sizeof(*counts));
	struct capture out, err;
	struct reporter report;
	struct consumer *c;
	int in = 0, got = 0;

	capture_open(&out);
	capture_open(&err);
	env_output(&env, &report, out.f, err.f);
	env.map_fds = fds;
	if (!counts || consumer_new(&env, &c))
		abort();
	/* Until the ring is full, then read it, many times around. */
	for (int round = 0; round < 20; round++) {
		int before = in;

		while (!writer_run(progs[in % 2], (uint64_t)in + 1, in))
			in++;
		CHECK(in - before > 200, "%d records fit", in - before);
		CHECK(consumer_avail(c) >= 99, "%u%%", consumer_avail(c));
		int n = consumer_work(c, round % 2);

		CHECK(n == in - before, "%d of %d", n, in - before);
		got += n;
	}
	const char *p = capture_text(&out);
	int expected = 0;

	for (; *p && expected >= 0; expected++) {
		char line[32];
		int len = snprintf(line, sizeof(line), "n=%d\n", expected);

		if (strncmp(p, line, (size_t)len) != 0)
			break;
		p += len;
	}
	CHECK(expected == in && got == in && !*p, "%d in, %d consumed, %d in order", in, got, expected);
	CHECK(consumer_report_drops(c) == 0, "no drops");

	/* Counters as programs would leave them. */
	for (uint32_t cause = 0; cause < DW_DROP_COUNT; cause++) {
		for (size_t cpu = 0; cpu < ncpus; cpu++)
			counts[cpu] = cpu == 0 ? cause + 1 : cause == DW_DROP_RING && cpu == 1 ? 12 : 0;
		if (bpf_map_update_elem(fds[1], &cause, counts, BPF_ANY))
			abort();
	}
	consumer_set_rate(c, 4);
	CHECK(consumer_report_drops(c) == (ncpus > 1 ? 40 : 28), "sum");
	if (ncpus > 1)
		CHECK_TEXT("drops", capture_text(&err),
			"dwire: 1 drop on CPU 0\n"
			"dwire: 12 drops on CPU 1\n"
			"dwire: 2 aggregation drops on CPU 0\n"
			"dwire: 3 dynamic variable drops\n"
			"dwire: 4 scratch nesting drops\n"
			"dwire: 5 socket owner drops\n"
			"dwire: 6 failed speculations (no speculative buffer available)\n"
			"dwire: 7 probe firings left out (1 in 4 ran)\n");
	CHECK(consumer_report_drops(c) == 0, "nothing new");
	consumer_free(c);
	sink_free(env.sink);
	capture_close(&out);
	capture_close(&err);
	free(counts);
	close(fds[1]);
}

static void test_kernel(void)
{
	uint32_t size = (uint32_t)sysconf(_SC_PAGESIZE);
	int rings[2], progs[2], bad_fds[1] = { -1 };
	struct options none = { .quiet = false };
	struct consumer_env env = { .image = &image, .options = &none, .ring_fds = bad_fds, .nrings = 1 };
	struct consumer *c;

	CHECK(consumer_new(&env, &c) < 0 && !c, "a bad descriptor");
	for (int i = 0; i < 2; i++) {
		rings[i] = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "dwt_ring", 0, 0, size, NULL);
		progs[i] = rings[i] < 0 ? -1 : writer_load(rings[i]);
		if (progs[i] < 0) {
			unit_skip(strerror(rings[i] < 0 ? -rings[i] : -progs[i]));
			return;
		}
	}
	/* The second is no ring: the first is unmapped again. */
	int half[2] = { rings[0], progs[0] };

	env.ring_fds = half;
	env.nrings = 2;
	CHECK(consumer_new(&env, &c) < 0 && !c, "half a consumer");
	test_kernel_rings(rings, progs);
	for (int i = 0; i < 2; i++) {
		close(rings[i]);
		close(progs[i]);
	}
}

/* A map of rings, which this process writes to as programs do. */
static void test_map(void)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), size = page, value = 2 * page;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	const int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "dwt_rings", 4, value, 2, &opts);
	struct ring_map m = { fd, size, KEY };
	struct ring ring;

	if (fd < 0) {
		unit_skip(strerror(-fd));
		return;
	}
	CHECK(ring_open_own(&ring, &m, 2) == -EINVAL, "a CPU without a ring");
	ring_close(&ring);
	CHECK(ring_open_own(&ring, &(struct ring_map){ fd, value, KEY }, 0) == -EINVAL,
		"a ring larger than its element");
	ring_close(&ring);
	CHECK(ring_open_own(&ring, &(struct ring_map){ -1, size, KEY }, 0) < 0, "no map");
	ring_close(&ring);
	uint8_t *both = mmap(NULL, 2ul * value, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *p = both + value;
	uint64_t *prod = (uint64_t *)(void *)(p + DW_RING_PRODUCED), *limit = (uint64_t *)(void *)(p + DW_RING_LIMIT);

	if (both == MAP_FAILED)
		abort();
	CHECK(*limit == 0, "no program may write yet");
	for (unsigned round = 0; round < 3; round++) {
		unsigned n = 0;

		CHECK(ring_open_own(&ring, &m, 1) == 0 && *limit == *prod + size, "round %u: limit %llu", round,
			(unsigned long long)*limit);
		for (; *prod + 56 <= *limit; n++, *prod += 56) {
			struct dw_rec rec = { n, E_PRINTF, 48 };
			struct dw_ring_head head = { 48, (uint32_t)(*prod >> 3) ^ KEY };

			memcpy(p + DW_RING_DATA + *prod % size + sizeof(head), &rec, sizeof(rec));
			memcpy(p + DW_RING_DATA + *prod % size, &head, sizeof(head));
		}
		CHECK(ring_fill(&ring) > 97, "%u%%", ring_fill(&ring));
		ring_look(&ring);
		for (unsigned i = 0; i < n; i++, ring_next(&ring)) {
			const struct ring_slot *s = ring_peek(&ring);

			CHECK(s && s->ts == i && s->len == 48, "record %u of %u", i, n);
		}
		CHECK(!ring_peek(&ring) && !ring.bad, "no more");
		ring_release(&ring, false);
		CHECK(!ring_fill(&ring), "%u%%", ring_fill(&ring));
		ring_close(&ring); /* the next consumer goes on where this one has stopped */
	}
	munmap(both, 2ul * value);
	close(fd);
}

static void test_rings(void)
{
	test_merge();
	test_hold_back();
	test_busy();
	test_busy_order();
	test_late_clock();
	test_wrap();
	test_hostile();
	test_noise();
	test_exit();
	test_errors();
	test_errors_of_a_kind();
	test_layout();
	test_broken_stream();
	test_missed();
}

int main(void)
{
	test_rings();
	test_kernel();
	own = true;
	test_rings();
	test_stale();
	test_room();
	test_map();
	return unit_end();
}
