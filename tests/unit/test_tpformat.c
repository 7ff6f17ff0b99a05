/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_tpformat: format files of tracepoints, those that the kernel has and others. */
#include <errno.h>

#include "kernel/events/tpformat.h"
#include "unit.h"

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
#define FIELD(decl, off, size, sgn) "\tfield:" decl ";\toffset:" #off ";\tsize:" #size ";\tsigned:" #sgn ";\n"

static const struct {
	const char *line; /* a field's */
	const char *name, *type;
	unsigned stars;
	enum tpplace place;
	uint32_t off, size, elem;
	bool is_signed, relative;
} fields[] = {
	{ FIELD("int rc", 20, 4, 1), "rc", "int", 0, TP_WORD, 20, 4, 0, true, false },
	{ FIELD("unsigned int len", 8, 4, 0), "len", "unsigned int", 0, TP_WORD, 8, 4, 0, false, false },
	{ FIELD("const void * skbaddr", 8, 8, 0), "skbaddr", "void", 1, TP_WORD, 8, 8, 0, false, false },
	{ FIELD("const char *const * argv", 8, 8, 0), "argv", "char", 2, TP_WORD, 8, 8, 0, false, false },
	{ FIELD("struct page *page", 8, 8, 0), "page", "struct page", 1, TP_WORD, 8, 8, 0, false, false },
	{ FIELD("void __seg_gs * p", 8, 8, 0), "p", "void", 1, TP_WORD, 8, 8, 0, false, false },
	{ FIELD("const clockid_t which", 16, 8, 0), "which", "clockid_t", 0, TP_WORD, 16, 8, 0, false, false },
	{ FIELD("char comm[16]", 8, 16, 0), "comm", "char", 0, TP_TEXT, 8, 16, 1, false, false },
	{ FIELD("char comm[TASK_COMM_LEN]", 8, 16, 0), "comm", "char", 0, TP_TEXT, 8, 16, 0, false, false },
	{ FIELD("__u8 saddr[sizeof(struct sockaddr_in6)]", 8, 28, 0), "saddr", "__u8", 0, TP_ARRAY, 8, 28, 0, false,
		false },
	{ FIELD("unsigned long args[6]", 16, 48, 0), "args", "unsigned long", 0, TP_ARRAY, 16, 48, 8, false, false },
	{ FIELD("struct in6_addr addr", 8, 16, 0), "addr", "struct in6_addr", 0, TP_ARRAY, 8, 16, 0, false, false },
	{ FIELD("__data_loc char[] name", 24, 4, 0), "name", "char", 0, TP_DYNTEXT, 24, 4, 0, false, false },
	{ FIELD("__data_loc char[] name", 24, 4, 1), "name", "char", 0, TP_DYNTEXT, 24, 4, 0, true, false },
	{ FIELD("__rel_loc char[] name", 24, 4, 0), "name", "char", 0, TP_DYNTEXT, 24, 4, 0, false, true },
	{ FIELD("__data_loc u64[] addrs", 24, 4, 0), "addrs", "u64", 0, TP_DYNAMIC, 24, 4, 0, false, false },
	{ FIELD("__data_loc cpumask_t mask", 8, 4, 0), "mask", "cpumask_t", 0, TP_DYNAMIC, 8, 4, 0, false, false },
	{ FIELD("__data_location x", 8, 4, 0), "x", "__data_location", 0, TP_WORD, 8, 4, 0, false, false },
	{ "\tfield:int old;\toffset:8;\tsize:4;\n", "old", "int", 0, TP_WORD, 8, 4, 0, false, false },
	{ FIELD("char none[0]", 8, 0, 0), "none", "char", 0, TP_TEXT, 8, 0, 0, false, false },
};

/* What is no format: nothing may come of it but the error. */
static const char *const wrong[] = {
	"",
	"name: x\nID: 7\nformat:\n\nprint fmt: \"\"\n",
	COMMON "\tfield:int rc;\toffset:8;\n",
	COMMON "\tfield:int rc;\tsize:4;\n",
	COMMON "\tfield:int rc",
	COMMON "\tfield:int rc;",
	COMMON "\tfield:",
	COMMON FIELD("int rc", 9999, 4, 1),
	COMMON FIELD("int rc", 8190, 4, 1),
	COMMON FIELD("int rc", -8, 4, 1),
	COMMON FIELD("int rc", 8, 99999999999999999999, 1),
	COMMON FIELD("int rc", 8x, 4, 1),
	COMMON FIELD("", 8, 4, 1),
	COMMON FIELD("rc", 8, 4, 1),
	COMMON FIELD("[4]", 8, 4, 1),
	COMMON FIELD("int ]x[", 8, 4, 1),
	COMMON FIELD("const x", 8, 4, 1),
	COMMON FIELD("__data_loc char[] name", 8, 8, 0),
	COMMON FIELD("__data_loc", 8, 4, 0),
	COMMON FIELD("int (*f)(void)", 8, 8, 0),
};

int main(void)
{
	struct arena *a = arena_new();
	struct tpformat f;

	for (size_t i = 0; i < ROWS(fields); i++) {
		const char *text = arena_printf(
			a, "name: x\nID: 1\nformat:\n" COMMON "\n%s\nprint fmt: \"%%d\", REC->rc\n", fields[i].line);

		EXPECT_INT(tpformat_parse(a, text, &f), 0);
		EXPECT_INT(f.n, 1);
		if (f.n != 1)
			continue;
		EXPECT_STR(f.fields->name, fields[i].name);
		EXPECT_STR(f.fields->type, fields[i].type);
		EXPECT_INT(f.fields->stars, fields[i].stars);
		EXPECT_INT(f.fields->place, fields[i].place);
		EXPECT_INT(f.fields->off, fields[i].off);
		EXPECT_INT(f.fields->size, fields[i].size);
		EXPECT_INT(f.fields->elem, fields[i].elem);
		EXPECT_INT(f.fields->is_signed, fields[i].is_signed);
		EXPECT_INT(f.fields->relative, fields[i].relative);
	}
	for (size_t i = 0; i < ROWS(wrong); i++)
		EXPECT_INT(tpformat_parse(a, wrong[i], &f), -EINVAL);
	EXPECT_INT(tpformat_parse(a, COMMON, &f), 0); /* a record without fields of its own */
	EXPECT_INT(f.n, 0);
	arena_free(a);
	return unit_end();
}
