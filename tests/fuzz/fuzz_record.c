/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_record: any bytes as ring buffers and as values of aggregations, against a fixed image that has every kind of
 * field, conversion and action, through the sinks of text, rows and documents. Nothing may be read outside the data,
 * nothing printed may hold a control byte that the image's own text does not have, and every pass ends. */
#include <stdlib.h>
#include <string.h>

#include "consume/consume.h"
#include "diags.h"
#include "formats.h"
#include "print/sinks.h"

#define RING_SIZE 1024
#define NRINGS 2
#define REC_MAX 160

static struct lit lits[] = { { "", 0 }, { "literal", 7 }, { "127.0.0.1", 9 } };
static struct image_probe probes[] = { { 1, "dtrace", "", "", "BEGIN" }, { 2, "dtrace", "", "", "END" },
	{ 12, "tcp", "kernel", "none", "send" } };

static struct field fields[] = {
	{ .kind = FIELD_INT, .off = 16, .size = 1, .is_signed = true },
	{ .kind = FIELD_INT, .off = 17, .size = 1 },
	{ .kind = FIELD_INT, .off = 18, .size = 2, .is_signed = true },
	{ .kind = FIELD_INT, .off = 20, .size = 4, .is_signed = true },
	{ .kind = FIELD_INT, .off = 24, .size = 8 },
	{ .kind = FIELD_INT, .off = 32, .size = 8, .is_signed = true },
	{ .kind = FIELD_INT, .off = 32, .size = 8, .is_float = true },
	{ .kind = FIELD_LIT, .off = 40, .size = 4 },
	{ .kind = FIELD_TSTR, .off = 48, .size = sizeof(struct dw_tstr) },
	{ .kind = FIELD_CHARS, .off = 72, .size = 16 },
	{ .kind = FIELD_BYTES, .off = 88, .size = 40 },
	{ .kind = FIELD_INT, .off = 3000, .size = 4 },
	{ .kind = FIELD_CHARS, .off = 100, .size = 60 },
};
#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

static struct field memory[] = { { .kind = FIELD_BYTES, .off = 88, .size = 40 },
	{ .kind = FIELD_INT, .off = 24, .size = 8 } };
static struct field keys[] = { { .kind = FIELD_INT, .off = 0, .size = 2 },
	{ .kind = FIELD_TSTR, .off = 8, .size = sizeof(struct dw_tstr) },
	{ .kind = FIELD_CHARS, .off = 32, .size = 8 } };
#define KEY_SIZE 40

static const char *const formats[] = {
	"%d %u %x %o %c %C %s %S %Y %S %p %s\n",
	"%*d|%-*s|%.*s|%5.3d %f %e %s %s\n",
	"%a %k %#x %+d % d %010d %wc %ws %S %s %g %X\n",
	"%-20s %10s %.2s %s %y %s %d %s %s %s %i %D\n",
};
static const char *const agg_formats[] = { "%d %s %S %@d %@20u %@-x\n", "%*d %s %@s %@f\n" };

static struct agg aggs[] = {
	{ .name = "a0", .id = 0, .fn = DW_AGG_COUNT, .nwords = 1, .keys = keys, .nkeys = 3, .key_size = KEY_SIZE },
	{ .name = "a1", .id = 1, .fn = DW_AGG_STDDEV, .nwords = 4, .keys = keys, .nkeys = 3, .key_size = KEY_SIZE },
	{ .name = "a2", .id = 2, .fn = DW_AGG_MIN, .nwords = 2, .keys = keys, .nkeys = 3, .key_size = KEY_SIZE },
	{ .name = "a3",
		.id = 3,
		.fn = DW_AGG_LQUANTIZE,
		.nwords = 6,
		.lq_base = -5,
		.lq_limit = INT64_MAX,
		.lq_step = INT64_MAX / 4 },
	{ .name = "a4",
		.id = 4,
		.fn = DW_AGG_LLQUANTIZE,
		.nwords = 20,
		.llq_factor = 10,
		.llq_high = 1,
		.llq_steps = 10 },
	{ .name = "a5", .id = 5, .fn = DW_AGG_AVG, .nwords = 2 },
};
static uint32_t ids[] = { 0, 1, 2, 3, 4, 5, 99 };

static struct fmt fmts[6];
static struct action actions[40];
static struct epid epids[40];
static struct image image;
static FILE *devnull, *checked;

static const char *zone(void *ctx, uint32_t inum)
{
	(void)ctx;
	return inum & 1 ? NULL : "zo\x1bne";
}

/* One action an epid; the last has them all. */
static void image_make(void)
{
	static struct arena *a;
	size_t n = 0;

	a = arena_new();
	if (!a)
		abort();
	for (size_t i = 0; i < 4; i++)
		if (format_parse(a, formats[i], &fmts[i]))
			abort();
	for (size_t i = 0; i < 2; i++)
		if (format_parse(a, agg_formats[i], &fmts[4 + i]))
			abort();
	for (size_t i = 0; i < NFIELDS; i++)
		actions[n++] = (struct action){ .kind = ACT_TRACE, .args = &fields[i], .nargs = 1 };
	actions[n++] = (struct action){ .kind = ACT_TRACEMEM, .args = memory, .nargs = 2 };
	for (size_t i = 0; i < 4; i++)
		actions[n++] = (struct action){ .kind = ACT_PRINTF, .fmt = &fmts[i], .args = fields, .nargs = NFIELDS };
	for (size_t i = 0; i < 7; i++)
		actions[n++] = (struct action){ .kind = ACT_PRINTA, .aggs = &ids[i], .naggs = 1 };
	for (size_t i = 0; i < 2; i++)
		actions[n++] = (struct action){ .kind = ACT_PRINTA, .fmt = &fmts[4 + i], .aggs = ids, .naggs = 3 };
	actions[n++] = (struct action){ .kind = ACT_CLEAR, .aggs = ids, .naggs = 1, .guard_off = 17 };
	actions[n++] = (struct action){ .kind = ACT_CLEAR, .aggs = &ids[2], .naggs = 1 };
	actions[n++] =
		(struct action){ .kind = ACT_TRUNC, .aggs = &ids[1], .naggs = 1, .args = &fields[0], .nargs = 1 };
	actions[n++] =
		(struct action){ .kind = ACT_NORMALIZE, .aggs = &ids[1], .naggs = 1, .args = &fields[4], .nargs = 1 };
	actions[n++] = (struct action){ .kind = ACT_DENORMALIZE, .aggs = &ids[1], .naggs = 1 };
	actions[n++] = (struct action){ .kind = ACT_EXIT, .args = &fields[3], .nargs = 1, .guard_off = 18 };
	for (size_t i = 0; i < n; i++)
		epids[i] = (struct epid){ .probe = (uint32_t)i % 4,
			.rec_size = 24 + (uint32_t)i % 8,
			.actions = &actions[i],
			.nactions = 1,
			.quiet_head = i % 5 == 0 };
	epids[n] = (struct epid){ .probe = 2, .rec_size = 24, .actions = actions, .nactions = n };
	image.probes.v = probes;
	image.probes.n = 3;
	image.epids.v = epids;
	image.epids.n = n + 1;
	image.lits.v = lits;
	image.lits.n = 3;
	image.aggs.v = aggs;
	image.aggs.n = sizeof(aggs) / sizeof(aggs[0]);
}

/* Output has been escaped: of the control bytes only those of layout and of the image's formats are left. */
static ssize_t sink_write(void *cookie, const char *s, size_t n)
{
	(void)cookie;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			abort();
	}
	return (ssize_t)n;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	image_make();
	devnull = fopen("/dev/null", "w");
	checked = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = sink_write });
	if (!devnull || !checked)
		abort();
	return 0;
}

/* Some input becomes values of aggregations. */
static void feed_aggs(struct consumer *c, const uint8_t *data, size_t size)
{
	uint64_t words[2 * 20];
	uint8_t key[KEY_SIZE];

	for (size_t at = 0; at + 64 <= size && at < 512; at += 64) {
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			memcpy(&words[i], data + at + i % 8 * 8, sizeof(words[i]));
		memcpy(key, data + at, sizeof(key));
		agg_absorb(consumer_agg_set(c), data[at] % 7, key, words, 2);
	}
}

/* Well-formed records whose contents are the input: what a working kernel delivers. */
static unsigned long lay_records(uint8_t *ring, unsigned long at, const uint8_t *data, size_t size)
{
	unsigned long pos = at;

	while (size >= 8 && pos - at + 8 + REC_MAX + 8 <= RING_SIZE) {
		size_t len = 16 + data[1] % (REC_MAX - 16 + 1);
		uint8_t rec[REC_MAX] = { 0 };
		struct dw_rec head = { data[2], data[0] % 48, (uint32_t)len };
		size_t take = size - 3 < len - 16 ? size - 3 : len - 16;
		uint64_t word = len | (data[2] == 0xfe ? 1u << 30 : 0);

		if (data[0] == 0xff)
			head.epid = DW_EPID_ERROR;
		memcpy(rec, &head, sizeof(head));
		memcpy(rec + 16, data + 3, take);
		for (size_t i = 0; i < 8 + len; i++) {
			size_t p = (pos + i) % RING_SIZE;

			ring[p] = ring[p + RING_SIZE] = i < 8 ? (uint8_t)(word >> (8 * i)) : rec[i - 8];
		}
		pos += (8 + len + 7) & ~7ul;
		data += 3 + take;
		size -= 3 + take;
	}
	return pos;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options opts;
	const struct reporter report = { .fn = diag_write, .ctx = devnull };
	struct ring_memory rings[NRINGS];
	struct consumer_env env = { .image = &image,
		.options = &opts,
		.report = &report,
		.zone_name = zone,
		.memory = rings,
		.nrings = NRINGS };
	unsigned long cons[NRINGS], prod[NRINGS];
	uint8_t *ring[NRINGS];
	struct consumer *c;

	if (size < 4)
		return 0;
	bool raw = data[0] & 1;

	options_init(&opts);
	opts.quiet = data[0] & 2;
	opts.agg.sort_key = data[0] & 4;
	opts.agg.sort_rev = data[0] & 8;
	opts.agg.key_pos = data[0] >> 4;
	opts.agg.agg_pos = data[0] >> 6;
	/* Each way out. */
	opts.oformat = (enum oformat)(data[3] & 3);
	opts.rows = (enum row_format)(data[3] >> 2 & 3);
	opts.opretty = data[3] & 16;
	opts.oall = data[3] & 32;
	opts.flowindent = data[3] & 64;
	opts.rawbytes = data[3] & 128;
	env.sink = print_sink_new(&(struct print_to){ .out = checked, .options = &opts, .report = &report });
	if (!env.sink)
		abort();
	for (size_t i = 0; i < NRINGS; i++) {
		size_t half = (size - 4) / NRINGS;
		const uint8_t *part = data + 4 + i * half;

		ring[i] = calloc(2, RING_SIZE);
		if (!ring[i])
			abort();
		cons[i] = data[1] * 8ul;
		if (raw) {
			for (size_t k = 0; k < RING_SIZE && half; k++)
				ring[i][k] = ring[i][k + RING_SIZE] = part[k % half];
			/* The highest flag bit off in the first head: a busy record would end it at once. */
			ring[i][cons[i] % RING_SIZE + 3] &= 0x7f;
			ring[i][cons[i] % RING_SIZE + RING_SIZE + 3] = ring[i][cons[i] % RING_SIZE + 3];
			prod[i] = cons[i] + data[2] * 8ul % (RING_SIZE + 1);
		} else {
			prod[i] = lay_records(ring[i], cons[i], part, half);
		}
		rings[i] = (struct ring_memory){ &cons[i], &prod[i], ring[i], RING_SIZE, 0, 0 };
	}
	if (consumer_new(&env, &c))
		abort();
	feed_aggs(c, data + 4, size - 4);
	int status;

	if (consumer_work(c, false) < 0)
		abort();
	/* Well-formed records are old and complete: all are consumed, unless an exit stops them. */
	if (!raw && !consumer_exited(c, &status) && (cons[0] != prod[0] || cons[1] != prod[1]))
		abort();
	if (consumer_aggs(c))
		abort();
	(void)consumer_report_drops(c);
	if (consumer_end(c))
		abort();
	consumer_free(c);
	sink_free(env.sink);
	for (size_t i = 0; i < NRINGS; i++)
		free(ring[i]);
	return 0;
}
