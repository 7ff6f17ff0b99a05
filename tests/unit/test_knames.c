/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_knames: what the kernel says of its addresses, taken apart. */
#include "kernel/knames.h"
#include "unit.h"

static const struct {
	const char *text, *name, *mod; /* name NULL: no symbol */
	uint64_t addr, size;
} rows[] = {
	{ "tcp_sendmsg+0x10/0x50", "tcp_sendmsg", "vmlinux", 0x1000, 0x50 },
	{ "tcp_sendmsg+0x0/0x50", "tcp_sendmsg", "vmlinux", 0x1010, 0x50 },
	{ "f.part.0+0x1010/0x2000", "f.part.0", "vmlinux", 0, 0x2000 },
	{ "veth_xmit+0x10/0x2d0 [veth]", "veth_xmit", "veth", 0x1000, 0x2d0 },
	{ "veth_xmit+0x10/0x2d0 [veth 0123456789abcdef]", "veth_xmit", "veth", 0x1000, 0x2d0 },
	{ "bpf_prog_6deef7357e7b4530_x+0x10/0x34", "bpf_prog_6deef7357e7b4530_x", "vmlinux", 0x1000, 0x34 },
	{ "operator+0x4/0x8", "operator", "vmlinux", 0x100c, 8 },
	{ "name+0x10", "name", "vmlinux", 0x1000, 0 },
	{ "name+0x10/0x20 []", "name", "vmlinux", 0x1000, 0x20 },
	{ "0xffffffff81000000", NULL, NULL, 0, 0 },
	{ "", NULL, NULL, 0, 0 },
	{ "+0x10/0x20", NULL, NULL, 0, 0 },
};

int main(void)
{
	char text[2 * KNAME_LEN] = "";
	struct kname s;

	for (size_t i = 0; i < ROWS(rows); i++) {
		bool found = knames_parse(rows[i].text, 0x1010, &s);

		EXPECT_INT(found, rows[i].name != NULL);
		if (!found || !rows[i].name)
			continue;
		EXPECT_STR(s.name, rows[i].name);
		EXPECT_STR(s.mod, rows[i].mod);
		EXPECT_INT(s.addr, rows[i].addr);
		EXPECT_INT(s.size, rows[i].size);
	}
	/* A name that is too long is cut, and so is a module's not said. */
	memset(text, 'n', 400);
	strcpy(text + 400, "+0x10/0x20 [m]");
	EXPECT(knames_parse(text, 0x1010, &s) && strlen(s.name) == KNAME_LEN - 1 && !strcmp(s.mod, "m"));
	strcpy(text, "n+0x10/0x20 [");
	memset(text + 13, 'm', 100);
	strcpy(text + 113, "]");
	EXPECT(knames_parse(text, 0x1010, &s) && !strcmp(s.mod, "vmlinux"));
	return unit_end();
}
