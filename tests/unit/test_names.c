/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_names: mangled names, packed tables, lists of compiled functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/elf/unxz.h"
#include "symbols/perfmap.h"
#include "unit.h"

static void test_demangle(void)
{
	static const char *const cases[][2] = {
		{ "main", "main" },
		{ "_Z", "_Z" },
		{ "_Zzz", "_Zzz" },
		{ "_start", "_start" },
		{ "_ZN4shop6basket3addEiPKc", "shop::basket::add(int, char const*)" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
			"std::vector<int, std::allocator<int> >::push_back(int const&)" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
	};
	char buf[256], *deep = calloc(1, 20000);
	struct sandbox *s = sandbox_new(NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EXPECT_STR(demangle(s, cases[i][0], buf, sizeof(buf)), cases[i][1]);
	EXPECT(deep && s);
	if (!deep)
		return;
	memcpy(deep, "_Z1f", 4);
	memset(deep + 4, 'P', 19000); /* a pointer to a pointer to ... */
	EXPECT(demangle(s, deep, buf, sizeof(buf)) == deep);
	deep[1800] = '\0';
	(void)demangle(s, deep, buf, sizeof(buf));
	free(deep);
	sandbox_free(s);
}

static struct perfmap *perfmap_open_file(const char *path, uid_t uid)
{
	int fd = perfmap_open(-1, path, uid);
	struct perfmap *m = NULL;

	if (fd < 0)
		return NULL;
	(void)!perfmap_read(NULL, fd, &m);
	close(fd);
	return m;
}

static void test_perfmap(void)
{
	static const char text[] =
		"\nnothing\n10 0 empty\n1000 20 first one\n2000 10 old\nzz 10 x\n2000 8 new\n3000 10\n"
		"ffffffffffffffff 10 last\n1040 10 no newline";
	char path[] = "/tmp/perfmap.XXXXXX";
	int fd = mkstemp(path);
	struct perfmap *m;
	uint64_t off = 0;

	EXPECT(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	m = perfmap_open_file(path, getuid());
	EXPECT(m != NULL);
	if (m) {
		EXPECT_STR(perfmap_find(m, 0x101f, &off), "first one");
		EXPECT_INT(off, 0x1f);
		EXPECT(perfmap_find(m, 0x1020, &off) == NULL);
		EXPECT(perfmap_find(m, 0xfff, &off) == NULL);
		EXPECT_STR(perfmap_find(m, 0x2000, &off), "new");
		EXPECT_STR(perfmap_find(m, 0x1041, &off), "no newline");
		EXPECT(perfmap_find(m, 0x3001, &off) == NULL);
	}
	perfmap_free(m);
	perfmap_free(NULL);
	EXPECT(perfmap_open_file("/nonexistent", getuid()) == NULL);
	EXPECT(perfmap_open_file("/dev/null", getuid()) == NULL);
	EXPECT(perfmap_open_file("/tmp", getuid()) == NULL);
	/* what somebody else has left in /tmp: a file of his own, a link to one of root's, one with a hole of 1 TB */
	char link[] = "/tmp/perfmap.link.XXXXXX";
	int lfd = mkstemp(link);

	EXPECT(lfd >= 0 && unlink(link) == 0 && symlink(path, link) == 0);
	EXPECT(perfmap_open_file(link, getuid()) == NULL);
	if (geteuid() == 0) {
		EXPECT(fchown(fd, 65534, 65534) == 0);
		EXPECT(perfmap_open_file(path, 0) == NULL);
		m = perfmap_open_file(path, 65534);
		EXPECT(m != NULL);
		perfmap_free(m);
	}
	EXPECT(ftruncate(fd, 1ll << 40) == 0 && perfmap_open_file(path, 65534) == NULL);
	EXPECT(perfmap_open_file(path, getuid()) == NULL);
	unlink(link);
	unlink(path);
	close(lfd);
	close(fd);
}

static void test_unxz(void)
{
	/* printf hello | xz | xxd -i */
	static const unsigned char packed[] = { 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46,
		0x02, 0x00, 0x21, 0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x04, 0x68, 0x65,
		0x6c, 0x6c, 0x6f, 0x00, 0x00, 0x00, 0x00, 0xb1, 0x37, 0xb9, 0xdb, 0xe5, 0xda, 0x1e, 0x9b, 0x00, 0x01,
		0x1d, 0x05, 0xb8, 0x2d, 0x80, 0xaf, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59,
		0x5a };
	unsigned char bad[sizeof(packed)];
	size_t len = 0;
	char *p = unxz(packed, sizeof(packed), &len);

	EXPECT(p && len == 5 && !memcmp(p, "hello", 5));
	free(p);
	for (size_t i = 0; i < sizeof(packed); i++) {
		EXPECT(unxz(packed, i, &len) == NULL);
		memcpy(bad, packed, sizeof(packed));
		bad[i] ^= 0x41;
		EXPECT(unxz(bad, sizeof(bad), &len) == NULL);
	}
}

int main(void)
{
	test_demangle();
	test_perfmap();
	test_unxz();
	return unit_end();
}
