/* test_kaddrs: the table of the kernel's symbols, from files of that format. */
#include "kernel/kaddrs.h"
#include "unit.h"
#include <errno.h>
#include <unistd.h>

static const char table[] = "0000000000000000 A fixed_percpu_data\n"
			    "ffffffff81000200 t local_fn\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T startup\n"
			    "ffffffff81000000 D data_there\n"
			    "ffffffff81000100 t __pfx_fn\n"
			    "ffffffff81000100 T fn.part.0\n"
			    "ffffffffa0001000 t init_module\t[veth]\n"
			    "ffffffffa0002000 t start\t[tun]\n"
			    "ffffffffa0001100 t start\t[veth]\n"
			    "ffffffffc0000000 t bpf_prog_1\t[bpf]\n"
			    "not a line\n"
			    "ffffffff81000300\n";

static const struct {
	uint64_t addr;
	const char *want; /* NULL: none */
	uint64_t off;
} finds[] = {
	{ 0, NULL, 0 },
	{ 0xffffffff80ffffff, NULL, 0 },
	{ 0xffffffff81000000, "vmlinux`startup", 0 },
	{ 0xffffffff810000ff, "vmlinux`startup", 0xff },
	{ 0xffffffff81000100, "vmlinux`fn.part.0", 0 },
	{ 0xffffffff81000201, "vmlinux`local_fn", 1 },
	{ 0xffffffff91000201, NULL, 0 }, /* too far behind */
	{ 0xffffffffa0001010, "veth`init_module", 0x10 },
	{ 0xffffffffa0001100, "veth`start", 0 },
	{ 0xffffffffa0002004, "tun`start", 4 },
	{ 0xffffffffc0000020, "bpf`bpf_prog_1", 0x20 },
	{ UINT64_MAX, NULL, 0 },
};

static void test_find(const struct kaddrs *k)
{
	for (size_t i = 0; i < UNIT_ROWS(finds); i++) {
		struct kaddr s;
		char text[64];
		bool found = kaddrs_find(k, finds[i].addr, &s);

		EXPECT_INT(found, finds[i].want != NULL);
		if (!found || !finds[i].want)
			continue;
		snprintf(text, sizeof(text), "%s`%s", s.mod, s.name);
		EXPECT_STR(text, finds[i].want);
		EXPECT_INT(finds[i].addr - s.addr, finds[i].off);
	}
}

static int load(const char *text, size_t len, struct kaddrs **k)
{
	char path[] = "/tmp/test_kaddrs.XXXXXX";
	int fd = mkstemp(path), err;

	EXPECT(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	err = kaddrs_load_file(path, k);
	close(fd);
	unlink(path);
	return err;
}

int main(void)
{
	static const char hidden[] = "0000000000000000 T _stext\n0000000000000000 T startup\n";
	struct kaddrs *k = NULL;

	EXPECT_INT(load(table, sizeof(table) - 1, &k), 0);
	if (k)
		test_find(k);
	kaddrs_free(k);
	EXPECT_INT(load(hidden, sizeof(hidden) - 1, &k), -EACCES);
	EXPECT(k == NULL);
	EXPECT_INT(load("", 0, &k), -EACCES);
	EXPECT_INT(kaddrs_load_file("/nonexistent/kallsyms", &k), -ENOENT);
	kaddrs_free(NULL);
	return unit_end();
}
