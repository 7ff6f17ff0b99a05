/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_print: every conversion of printf, every kind of field, dtrace's default layout, to the column. */
#include <errno.h>

#include "datum.h"
#include "formats.h"
#include "print/head.h"
#include "print/value/style.h"
#include "print/value/values.h"
#include "unit.h"

#define MAX_ARGS 8

static struct lit lits[] = { { "", 0 }, { "state-established", 17 }, { "a\tb\x1b", 4 }, { "SYN|", 4 },
	{ "127.0.0.1", 9 } };

static const char *zone(void *ctx, uint32_t inum)
{
	(void)ctx;
	return inum == 7 ? "web\x1b[2J" : inum == 8 ? NULL : inum == 9 ? "cni-6ba7b810-9dad" : "global";
}

#define V6_DOC "\x20\x01\x0d\xb8\0\0\0\0\0\x01\0\0\0\0\0\x01"
#define V6_LO "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01"
#define V6_ANY "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define V6_MAP "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\x05"
#define V6_LL "\xfe\x80\0\0\0\0\0\0\x02\x14\x4f\xff\xfe\x8d\x59\xaa"
#define V6_ONE0 "\x20\x01\0\x02\0\x03\0\0\0\x05\0\x06\0\x07\0\x08"
#define V6_NET "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\0"
#define V6_TIE "\0\0\0\0\0\x01\0\x02\0\0\0\0\0\x03\0\x04"
#define V6_COMPAT "\0\0\0\0\0\0\0\0\0\0\0\0\x01\x02\x03\x04"

static const struct {
	const char *fmt;
	struct datum args[MAX_ARGS];
	const char *want;
} printfs[] = {
	{ "hello\n", { { 0 } }, "hello\n" },
	{ "%d %d %d %d", { S8(-1), S16(-2), S32(-3), S64(-4) }, "-1 -2 -3 -4" },
	{ "%d %d %d %d", { U8(255), U16(65535), U32(4294967295u), U64(-1) },
		"255 65535 4294967295 18446744073709551615" },
	{ "%u %u %u %u", { S8(-1), S16(-1), S32(-1), U64(-1) }, "255 65535 4294967295 18446744073709551615" },
	{ "%x %x %x %X", { S8(-1), S16(-1), S32(-1), U64(-1) }, "ff ffff ffffffff FFFFFFFFFFFFFFFF" },
	{ "%o %#o %#o %#x %#X %#x", { U8(8), U8(8), U8(0), U16(255), U16(255), U16(0) }, "10 010 0 0xff 0XFF 0" },
	{ "%i %D %U %O %lld %hhd", { S32(1), S32(2), U32(3), U32(8), S32(5), S64(300) }, "1 2 3 10 5 300" },
	{ "[%5d][%-5d][%05d][%+d][% d][%.3d][%5.3d][%-5.3d]",
		{ S32(42), S32(42), S32(-42), S32(42), S32(42), S32(7), S32(-7), S32(7) },
		"[   42][42   ][-0042][+42][ 42][007][ -007][007  ]" },
	{ "[%.0d][%05.2d][%#06x][%-#6x][%#.3o]", { S32(0), S32(7), U32(255), U32(255), U32(8) },
		"[][   07][0x00ff][0xff  ][010]" },
	{ "[%*d][%-*d][%*d]", { S32(5), S32(1), S32(5), S32(2), S32(-5), S32(3) }, "[    1][2    ][3    ]" },
	{ "[%.*s][%*.*s]", { S32(2), CHARS(8, "abcdef"), S32(5), S32(3), CHARS(8, "abcdef") }, "[ab][  abc]" },
	{ "%d", { S64(INT64_MIN) }, "-9223372036854775808" },
	{ "%p %#p %a %A", { U64(0xffffffff81000000), U64(16), U64(0x10), U32(0x20) },
		"ffffffff81000000 0x10 0x10 0x20" },
	{ "%a|%-8a|%8A|%k|",
		{ { FIELD_SYM, 8, false, 0x10, NULL, 0 }, { FIELD_MOD, 8, false, 0x20, NULL, 0 },
			{ FIELD_USYM, 16, false, 0x30, NULL, 7 }, { FIELD_STACK, 16, false, 0, V6_DOC, 0 } },
		"0x10|0x20    |    0x30||" },
	{ "%k", { U64(1) }, "(not available)" },
	{ "%c%c%c%c|%3c|%-3c|", { S8('a'), S32('b'), S8('\n'), S8(27), S8('x'), S8('y') }, "ab\n\\x1b|  x|y  |" },
	{ "%C%C%C", { S8('a'), S8('\n'), S8('"') }, "a\\n\\\"" },
	{ "%wc %ws %wQ", { { 0 } }, NULL },
	{ "%wc %ws", { S32('w'), CHARS(4, "wide") }, "w wide" },
	{ "%f %.1f %8.2f %e %g %.0f", { S32(3), S32(-2), S32(7), S32(1500), S32(20), S64(5) },
		"3.000000 -2.0     7.00 1.500000e+03 20 5" },
	{ "%s %s", { S32(-5), U16(80) }, "-5 80" },
	{ "[%s][%s][%s]", { CHARS(8, "eightchr"), CHARS(8, "ab"), CHARS(4, "") }, "[eightchr][ab][]" },
	{ "[%10s][%-10s][%.3s][%8.2s]", { CHARS(8, "abc"), CHARS(8, "abc"), CHARS(8, "abcdef"), CHARS(8, "abcdef") },
		"[       abc][abc       ][abc][      ab]" },
	{ "%s", { CHARS(16, "a\x1b[31m\nb\tc\x7f") }, "a\\x1b[31m\\x0ab\tc\\x7f" },
	{ "[%6s][%-6s]", { CHARS(8, "gr\xc3\xbcn"), CHARS(8, "gr\xc3\xbcn") }, "[  gr\xc3\xbcn][gr\xc3\xbcn  ]" },
	{ "[%8s]", { CHARS(8, "a\xff") }, "[   a\\xff]" },
	{ "%s", { CHARS(4, "\xc2\x9b") }, "\\xc2\\x9b" },
	{ "%S", { CHARS(16, "a\"b\\\n\x01") }, "a\\\"b\\\\\\n\\x01" },
	{ "[%s][%-20s][%s][%s]", { LIT(0), LIT(1), LIT(2), LIT(99) }, "[][state-established   ][a\tb\x1b][]" },
	{ "printf's own \b \x1b bytes%s", { LIT(3) }, "printf's own \b \x1b bytesSYN|" },
	{ "[%s][%s][%s]", { TNONE, TLIT(4), TLIT(77) }, "[][127.0.0.1][]" },
	{ "%s %s %s", { IP4("\x7f\0\0\x01"), IP4("\xff\xff\xff\xff"), IP4("\0\0\0\0") },
		"127.0.0.1 255.255.255.255 0.0.0.0" },
	{ "%s %s %s", { IP6(V6_DOC), IP6(V6_LO), IP6(V6_ANY) }, "2001:db8::1:0:0:1 ::1 ::" },
	{ "%s %s %s", { IP6(V6_MAP), IP6(V6_LL), IP6(V6_ONE0) },
		"::ffff:10.0.0.5 fe80::214:4fff:fe8d:59aa 2001:2:3:0:5:6:7:8" },
	{ "%s %s %s", { IP6(V6_NET), IP6(V6_TIE), IP6(V6_COMPAT) }, "2001:db8:: ::1:2:0:0:3:4 ::1.2.3.4" },
	{ "%16s:%-5d|", { IP4("\xc0\xa8\x02\x50"), U16(22) }, "    192.168.2.80:22   |" },
	{ "%s %s %s", { ZONE(1), ZONE(7), ZONE(8) }, "global web\\x1b[2J 8" },
	{ "%-6.6s|%.3s|%.5s|%.20s", { ZONE(1), ZONE(1), ZONE(9), ZONE(9) }, "global|glo|6ba7b|cni-6ba7b810-9dad" },
	{ "%s", { { .kind = FIELD_TSTR, .size = sizeof(struct dw_tstr), .s = "", .tag = 99 } }, "" },
	{ "%Y|%25Y|%-25Y|", { U64(1795228508ull * 1000000000 + 999999999), U64(0), U64(1) },
		"2026 Nov 21 02:35:08|     1970 Jan  1 00:00:00|1970 Jan  1 00:00:00     |" },
	{ "%s and %s", { BYTES(6, "ab\0cd\0"), BYTES(2, "\x1b]") }, "ab and \\x1b]" },
	{ "%%%d%%", { S32(5) }, "%5%" },
	{ " %3s %15s:%-5s      %15s:%-5s %6s  %s\n",
		{ CHARS(4, "CPU"), CHARS(8, "LADDR"), CHARS(8, "LPORT"), CHARS(8, "RADDR"), CHARS(8, "RPORT"),
			CHARS(8, "BYTES"), CHARS(8, "FLAGS") },
		" CPU           LADDR:LPORT                RADDR:RPORT  BYTES  FLAGS\n" },
	{ " %3d %16s:%-5d -> %16s:%-5d %6d  (",
		{ S32(1), IP4("\xc0\xa8\x02\x50"), U16(22), IP4("\xc0\xa8\x01\x6d"), U16(60337), S32(464) },
		"   1     192.168.2.80:22    ->    192.168.1.109:60337    464  (" },
	{ " %3d %12s  %-20s -> %-20s\n",
		{ S32(0), CHARS(4, "-"), CHARS(20, "state-listen"), CHARS(20, "state-syn-received") },
		"   0            -  state-listen         -> state-syn-received  \n" },
};

static const struct {
	struct datum d;
	const char *want, *quiet;
} traces[] = {
	{ S64(1), "                1", "1" },
	{ U64(-1), "               -1", "-1" },
	{ S32(1), "        1", "1" },
	{ U32(4294967295u), " 4294967295", "4294967295" },
	{ U16(80), "    80", "80" },
	{ S8(-5), "  -5", "-5" },
	{ CHARS(8, "abc"), "  abc                              ", "abc" },
	{ IP4("\x7f\0\0\x01"), "  127.0.0.1                        ", "127.0.0.1" },
	{ BYTES(18, "/bin/ls\0\x01 abcdefghi"),
		"\n             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
		"         0: 2f 62 69 6e 2f 6c 73 00 01 20 61 62 63 64 65 66  /bin/ls.. abcdef\n"
		"        10: 67 68                                            gh\n",
		NULL },
};

/* printf of the fields of a record. */
static void print_record(struct out *o, const struct decoder *dec, const struct fmt *fmt, const struct field *fields,
	size_t n, const uint8_t *rec, size_t len)
{
	static struct value_room rooms[MAX_ARGS];
	struct value values[MAX_ARGS];

	for (size_t i = 0; i < n; i++)
		value_read(dec, &fields[i], rec, len, &rooms[i], &values[i]);
	print_format(o, fmt, values, n);
}

static void test_printf(struct arena *a, const struct decoder *dec, size_t i)
{
	struct field fields[MAX_ARGS];
	uint8_t rec[512] = { 0 };
	const struct diag *wrong;
	struct capture cap;
	struct fmt f;
	size_t n, len = data_put(printfs[i].args, MAX_ARGS, fields, &n, rec, sizeof(struct dw_rec));

	wrong = format_parse(a, printfs[i].fmt, &f);
	if (wrong) {
		CHECK(!printfs[i].want, "%s: %s", printfs[i].fmt, wrong->message);
		return;
	}
	CHECK(f.nargs == n, "%s: takes %zu, has %zu", printfs[i].fmt, f.nargs, n);
	capture_open(&cap);
	struct out *o = out_new(cap.f, &style_text, NULL);

	if (!o)
		abort();
	print_record(o, dec, &f, fields, n, rec, len);
	CHECK(!out_flush(o), "flush");
	CHECK_TEXT(printfs[i].fmt, capture_text(&cap), printfs[i].want);

	/* The same record cut short at every length: nothing outside it is read (the sanitizer would tell). */
	for (size_t cut = 0; cut < len; cut++) {
		uint8_t *part = malloc(cut + 1);

		if (!part)
			abort();
		memcpy(part, rec, cut);
		print_record(o, dec, &f, fields, n, part, cut);
		free(part);
	}
	CHECK(!out_flush(o), "flush");
	out_free(o);
	capture_close(&cap);
}

static void test_trace(const struct decoder *dec, size_t i, bool quiet)
{
	struct value_room room = { 0 };
	uint8_t rec[64] = { 0 };
	struct field f;
	struct value v;
	struct capture cap;
	size_t n, len = data_put(&traces[i].d, 1, &f, &n, rec, sizeof(struct dw_rec));
	const char *want = quiet && traces[i].quiet ? traces[i].quiet : traces[i].want;

	capture_open(&cap);
	struct out *o = out_new(cap.f, &style_text, NULL);

	if (!o)
		abort();
	value_read(dec, &f, rec, len, &room, &v);
	print_trace(o, &v, quiet);
	CHECK(!out_flush(o), "flush");
	CHECK_TEXT("trace", capture_text(&cap), want);
	out_free(o);
	capture_close(&cap);
}

static void test_heads(void)
{
	static const struct image_probe begin = { 1, "dtrace", "", "", "BEGIN" },
					send = { 71456, "tcp", "kernel", "none", "send" },
					wide = { 12345678, "fbt", "k", "a_function_with_a_very_long_name", "entry" };
	struct capture cap;

	capture_open(&cap);
	struct out *o = out_new(cap.f, &style_text, NULL);

	if (!o)
		abort();
	print_header(o);
	print_head(o, 0, &begin);
	out_str(o, "\n");
	print_head(o, 12, &send);
	out_str(o, "\n");
	print_head(o, 1234, &wide);
	CHECK(!out_flush(o), "flush");
	CHECK_TEXT("heads", capture_text(&cap),
		"CPU     ID                    FUNCTION:NAME\n"
		"  0      1                           :BEGIN \n"
		" 12  71456                        none:send \n"
		"1234 12345678 a_function_with_a_very_long_name:entry ");
	out_free(o);
	capture_close(&cap);
}

/* More than the buffer, in one piece and in many; a stream that fails. */
static void test_out(void)
{
	static char big[OUT_SIZE + 5];
	struct capture cap;
	FILE *full = fopen("/dev/full", "w");

	memset(big, 'x', sizeof(big));
	big[100] = '\x1b';
	capture_open(&cap);
	struct out *o = out_new(cap.f, &style_text, NULL);

	if (!o)
		abort();
	out_str(o, "a");
	out_bytes(o, big, sizeof(big));
	for (size_t i = 0; i < OUT_SIZE; i++)
		out_str(o, "bc");
	/* Escaped in pieces, cut at no character: 3 bytes each, no multiple of the piece. */
	for (size_t i = 0; i + 3 <= 3000; i += 3)
		memcpy(big + i, "\xe2\x82\xac", 3);
	out_text(o, big, 3000, false, -1002);
	CHECK(!out_flush(o), "flush");
	capture_text(&cap);
	CHECK(cap.len == 1 + sizeof(big) + 2 * OUT_SIZE + 3000 + 2, "%zu", cap.len);
	CHECK(!memchr(cap.text + sizeof(big) + 1, '\\', cap.len - sizeof(big) - 1), "a character was cut");
	out_free(o);
	capture_close(&cap);

	if (!full || !(o = out_new(full, &style_text, NULL)))
		abort();
	out_str(o, "lost");
	CHECK(out_flush(o) == -ENOSPC, "/dev/full");
	out_bytes(o, big, sizeof(big));
	CHECK(out_flush(o) == -ENOSPC, "stays");
	out_free(o);
	fclose(full);
	out_free(NULL);
}

int main(void)
{
	struct image image = { .lits = { lits, ROWS(lits), ROWS(lits) } };
	struct decoder dec = { .image = &image, .zone_name = zone };
	struct arena *a = arena_new();

	if (!a)
		abort();
	setenv("TZ", "UTC", 1);
	for (size_t i = 0; i < ROWS(printfs); i++)
		test_printf(a, &dec, i);
	for (size_t i = 0; i < ROWS(traces); i++) {
		test_trace(&dec, i, false);
		test_trace(&dec, i, true);
	}
	test_heads();
	test_out();
	arena_free(a);
	return unit_end();
}
