/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_usyms: names of addresses in a process, this one: what the compiler and the linker know of it. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/elf/elffile.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/sandbox/safeopen.h"
#include "symbols/usyms.h"
#include "unit.h"

__attribute__((noinline)) static int named(int x)
{
	return x * 3;
}

static const char *own_name(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static uint64_t address(int (*fn)(int))
{
	return (uint64_t)(uintptr_t)fn;
}

static void test_self(struct usyms *u)
{
	struct usym s = { 0 };

	EXPECT_INT(named(2), 6);
	EXPECT(usyms_find(u, getpid(), address(named), &s));
	EXPECT_STR(s.obj, own_name());
	EXPECT_STR(s.name, "named");
	EXPECT_INT(s.off, 0);
	EXPECT(usyms_find(u, getpid(), address(named) + 3, &s));
	EXPECT_STR(s.name, "named");
	EXPECT_INT(s.off, 3);
	EXPECT(!usyms_find(u, getpid(), 16, &s));
	EXPECT(!usyms_find(u, 0x7ffffff0, address(named), &s));
}

/* A function that lies in another: what comes behind it is the outer one's. */
__asm__(".pushsection .text\n"
	".type outer, %function\nouter: nop\n"
	".type within, %function\nwithin: nop\n.size within, . - within\n"
	".globl behind\nbehind: nop\n.size outer, . - outer\n.popsection");
extern const char behind[];

static void test_nested(struct usyms *u)
{
	struct usym s = { 0 };

	EXPECT(usyms_find(u, getpid(), (uint64_t)(uintptr_t)behind, &s));
	EXPECT_STR(s.name, "outer");
	EXPECT(usyms_find(u, getpid(), (uint64_t)(uintptr_t)behind - 1, &s));
	EXPECT_STR(s.name, "within");
}

/* Code that no symbol is known of. */
static void test_unnamed(struct usyms *u)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct usym s = { 0 };

	usyms_refresh(u);
	EXPECT(page != MAP_FAILED && !usyms_find(u, getpid(), (uint64_t)(uintptr_t)page, &s));
	munmap(page, 4096);
}

/* A process that has ended keeps its names, if it was noted. */
static void test_ended(struct usyms *u)
{
	struct usym s = { 0 };
	pid_t noted = fork(), other;

	if (!noted)
		pause();
	usyms_note(u, noted);
	kill(noted, 9);
	waitpid(noted, NULL, 0);
	usyms_refresh(u);
	EXPECT(usyms_find(u, noted, address(named) + 1, &s));
	EXPECT_STR(s.name, "named");
	other = fork();
	if (!other)
		_exit(0);
	waitpid(other, NULL, 0);
	EXPECT(!usyms_find(u, other, address(named), &s));
}

/* A program whose file its owner has made large by a hole: what libelf finds in it is not read. */
static void test_huge(void)
{
	char path[] = "/tmp/elf.XXXXXX", head[4096];
	int fd = mkstemp(path), self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	Elf *elf;

	EXPECT(fd >= 0 && self >= 0 && read(self, head, sizeof(head)) == (ssize_t)sizeof(head));
	EXPECT(write(fd, head, sizeof(head)) == (ssize_t)sizeof(head));
	elf = elffile_begin(fd);
	EXPECT(elf != NULL);
	elf_end(elf);
	EXPECT(ftruncate(fd, 1ll << 40) == 0);
	EXPECT(elffile_begin(fd) == NULL);
	unlink(path);
	close(self);
	close(fd);
}

static struct elfsyms *functions(const char *path)
{
	int fd = safeopen(-1, path, 0);
	struct elfsyms *e = NULL;

	if (fd >= 0) {
		(void)!elfsyms_open(NULL, fd, -1, "/x", &e);
		close(fd);
	}
	return e;
}

int main(void)
{
	struct usyms *u = usyms_new(NULL, NULL);
	const char *name;
	uint64_t off;

	EXPECT(u != NULL);
	if (u) {
		test_self(u);
		test_nested(u);
		test_unnamed(u);
		test_ended(u);
	}
	usyms_free(u);
	usyms_free(NULL);
	EXPECT(functions("/proc/self/maps") == NULL);
	EXPECT(functions("/nonexistent") == NULL);
	struct elfsyms *e = functions("/proc/self/exe");

	EXPECT(e != NULL && !elfsyms_find(e, UINT64_MAX, &name, &off));
	elfsyms_free(e);
	elfsyms_free(NULL);
	test_huge();
	return unit_end();
}
