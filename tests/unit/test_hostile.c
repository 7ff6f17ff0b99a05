/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_hostile: files and names that strangers make to harm whoever reads them: each is refused, or read within its
 * limits, and what comes after it is read as before. Judged by work (bytes, functions, children), not by time. */
#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "symbols/demangle.h"
#include "symbols/elf/cfi_priv.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/inlines.h"
#include "symbols/elf/sdtnotes.h"
#include "symbols/perfmap.h"
#include "symbols/sandbox/budget.h"
#include "symbols/sandbox/jail.h"
#include "symbols/sandbox/safeopen.h"
#include "symbols/usyms.h"
#include "unit.h"

/* How many children this process has started. */
static unsigned children;

/* In place of the C library's, for the sandbox. */
pid_t fork(void)
{
	children++;
	return _Fork();
}

/* ---- files ------------------------------------------------------------------------------------------------------- */
struct section {
	const char *name;
	uint32_t type, link;
	uint64_t flags, entsize;
	const void *data;
	size_t len;
	int same_as; /* > 0: it has the bytes of that section */
};

#define SECTIONS_MOST 64

/* An x86-64 file of these sections, numbered from 1 on, and one segment of 64 KB at the address 0x1000. */
static int make_elf(const struct section *v, size_t n)
{
	Elf64_Ehdr h = { .e_ident = { 127, 'E', 'L', 'F', 2, 1, 1 },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_phoff = sizeof(h),
		.e_ehsize = sizeof(h),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)(n + 2),
		.e_shstrndx = (Elf64_Half)(n + 1) };
	Elf64_Phdr ph = { .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = 1 << 16, .p_memsz = 1 << 16 };
	Elf64_Shdr sh[SECTIONS_MOST + 2] = { 0 };
	char names[4096] = "";
	size_t at = sizeof(h) + sizeof(ph), names_len = 1;
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	for (size_t i = 0; i <= n; i++) {
		const struct section last = { .name = ".shstrtab", .type = SHT_STRTAB }, *s = i < n ? &v[i] : &last;
		size_t len = strlen(s->name) + 1;

		memcpy(names + names_len, s->name, len);
		sh[i + 1] = (Elf64_Shdr){ .sh_name = (uint32_t)names_len,
			.sh_type = s->type,
			.sh_flags = s->flags,
			.sh_offset = at,
			.sh_size = s->len,
			.sh_link = s->link,
			.sh_entsize = s->entsize,
			.sh_addralign = 1 };
		names_len += len;
		if (i == n)
			sh[i + 1].sh_size = names_len;
		if (s->same_as) {
			sh[i + 1].sh_offset = sh[s->same_as].sh_offset;
			sh[i + 1].sh_size = sh[s->same_as].sh_size;
			continue;
		}
		EXPECT(pwrite(fd, i < n ? s->data : names, sh[i + 1].sh_size, (off_t)at) == (ssize_t)sh[i + 1].sh_size);
		at = (at + sh[i + 1].sh_size + 15) & ~(size_t)15;
	}
	h.e_shoff = at;
	EXPECT(pwrite(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) &&
		pwrite(fd, &ph, sizeof(ph), sizeof(h)) == (ssize_t)sizeof(ph) &&
		pwrite(fd, sh, (n + 2) * sizeof(*sh), (off_t)at) == (ssize_t)((n + 2) * sizeof(*sh)));
	return fd;
}

static void count(void *ctx, const char *name, uint64_t off, uint64_t size)
{
	(void)name;
	(void)off;
	(void)size;
	++*(size_t *)ctx;
}

static size_t functions(const struct elfsyms *e)
{
	size_t n = 0;

	if (e)
		elfsyms_each(e, count, &n);
	return n;
}

/* n functions that share one name of len characters; not terminated: the string table has no NUL. Tables: how often the
 * symbol table is listed. */
static int many_symbols(size_t n, size_t len, bool terminated, size_t tables)
{
	struct section v[SECTIONS_MOST];
	Elf64_Sym *syms = calloc(n, sizeof(*syms));
	char *name = malloc(len + 2);
	int fd;

	if (!syms || !name)
		abort();
	memset(name, 'a', len + 2);
	if (terminated)
		name[len + 1] = '\0';
	name[0] = '\0';
	for (size_t i = 0; i < n; i++)
		syms[i] = (Elf64_Sym){
			.st_name = 1, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x1000 + i % 0x8000, .st_size = 1
		};
	v[0] = (struct section){ .name = ".strtab", .type = SHT_STRTAB, .data = name, .len = len + 2 };
	v[1] = (struct section){ .name = ".symtab",
		.type = SHT_SYMTAB,
		.link = 1,
		.entsize = sizeof(*syms),
		.data = syms,
		.len = n * sizeof(*syms) };
	for (size_t i = 1; i < tables; i++) {
		v[1 + i] = v[1];
		v[1 + i].same_as = 2;
	}
	fd = make_elf(v, tables + 1);
	free(syms);
	free(name);
	return fd;
}

/* After each attack: a file that is as it should be. */
static void expect_works(struct sandbox *s)
{
	int fd = many_symbols(3, 5, true, 1);
	struct elfsyms *e = NULL;

	EXPECT_INT(elfsyms_open(s, fd, -1, "/x", &e), 0);
	EXPECT_INT(functions(e), 3);
	elfsyms_free(e);
	close(fd);
}

/* ---- the sandbox ------------------------------------------------------------------------------------------------- */
static int job_answers(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	(void)fd;
	(void)kept;
	return blob_put(out, in, len);
}

static int job_loops(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	(void)fd;
	(void)in;
	(void)len;
	(void)out;
	(void)kept;
	for (volatile int i = 1; i;)
		;
	return 0;
}

static int job_crashes(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	(void)fd;
	(void)in;
	(void)len;
	(void)out;
	(void)kept;
	raise(SIGSEGV);
	_exit(1);
}

/* What the child must not be able to do: the number of things that it could. */
static int job_escapes(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	int could = open("/etc/passwd", O_RDONLY) >= 0;

	(void)fd;
	(void)in;
	(void)len;
	(void)kept;
	could += open("/proc/self/mem", O_RDWR) >= 0;
	could += kill(getppid(), 0) == 0;
	could += fork() >= 0;
	could += fcntl(4, F_GETFD) >= 0; /* only its socket is open, and the three of /dev/null */
	could += write(1, "x", 1) != 1;
	return blob_put(out, &could, sizeof(could));
}

static int job_allocates(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	(void)fd;
	(void)in;
	(void)len;
	(void)out;
	(void)kept;
	for (size_t n = 0; n < 4 * SANDBOX_MEMORY; n += 1 << 20) {
		char *p = malloc(1 << 20);

		if (!p)
			return -ENOMEM;
		*(volatile char *)p = 1; /* keeps the compiler from leaving out malloc() */
	}
	return 0;
}

static int job_writes(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	(void)fd;
	(void)kept;
	while (blob_put(out, in, len) == 0)
		;
	return 0;
}

static void test_sandbox(struct sandbox *s)
{
	struct blob b = blob_new(100);
	int could = -1;

	EXPECT_INT(sandbox_run(s, job_answers, -1, "hello", 5, &b), 0);
	EXPECT(b.n == 5 && memcmp(b.v, "hello", 5) == 0);
	blob_free(&b);
	EXPECT_INT(sandbox_run(s, job_loops, -1, NULL, 0, &b), -ETIME);
	EXPECT_INT(sandbox_run(s, job_crashes, -1, NULL, 0, &b), -EIO);
	EXPECT_INT(sandbox_run(s, job_writes, -1, "0123456789", 10, &b), -E2BIG);
	EXPECT_INT(b.n, 0);
	if (!JAIL_SANITIZED) {
		EXPECT_INT(sandbox_run(s, job_allocates, -1, NULL, 0, &b), -ENOMEM);
		EXPECT_INT(sandbox_run(s, job_escapes, -1, NULL, 0, &b), 0);
		EXPECT_INT(b.n, sizeof(could));
		if (b.n == sizeof(could))
			memcpy(&could, b.v, sizeof(could));
		EXPECT_INT(could, 0);
	}
	blob_free(&b);
	expect_works(s);
}

/* ---- stopping ---------------------------------------------------------------------------------------------------- */
/* Reads a file that never gives anything. */
static int job_waits(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	char c;

	(void)in;
	(void)len;
	(void)kept;
	return read(fd, &c, 1) == 1 ? blob_put(out, &c, 1) : -EBADF;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A stop in the middle of a job ends it, and all that come later; one between jobs does not. */
static void test_stop(void)
{
	int stop = eventfd(0, EFD_CLOEXEC), early = eventfd(1, EFD_CLOEXEC), slow[2];
	struct sandbox *s = sandbox_new(&stop), *t = sandbox_new(&early);
	struct blob b = blob_new(100);
	double began;
	pid_t pid;

	EXPECT(s && t && pipe2(slow, O_CLOEXEC) == 0);
	EXPECT_INT(sandbox_run(t, job_answers, -1, "hello", 5, &b), 0);
	blob_free(&b);
	EXPECT_INT(sandbox_run(s, job_answers, -1, "hello", 5, &b), 0);
	blob_free(&b);
	pid = fork();
	if (!pid) {
		usleep(100000);
		_exit(eventfd_write(stop, 1) != 0);
	}
	began = seconds();
	EXPECT_INT(sandbox_run(s, job_waits, slow[0], NULL, 0, &b), -ECANCELED);
	EXPECT_INT(sandbox_run(s, job_waits, slow[0], NULL, 0, &b), -ECANCELED);
	EXPECT_INT(sandbox_run(s, job_answers, -1, "hello", 5, &b), -ECANCELED);
	CHECK(seconds() - began < SANDBOX_WALL_MS / 1000.0 / 2, "%.2f s", seconds() - began);
	waitpid(pid, NULL, 0);
	sandbox_free(s);
	sandbox_free(t);
	close(stop);
	close(early);
	close(slow[0]);
	close(slow[1]);
}

static volatile sig_atomic_t handled;

static void handle(int sig)
{
	(void)sig;
	handled = 1;
}

/* How many of these are wrong: SIGPROF ends jobs, the signals of the caller's terminal are blocked, its handlers never
 * ran. */
static int job_signals(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	sigset_t now;
	int seen = 0;

	(void)fd;
	(void)in;
	(void)len;
	(void)kept;
	sigprocmask(SIG_SETMASK, NULL, &now);
	seen += sigismember(&now, SIGPROF) == 1;
	seen += sigismember(&now, SIGUSR1) != 1;
	seen += handled;
	return blob_put(out, &seen, sizeof(seen));
}

/* Handlers and the mask of the process that uses the library are its own, before and after a child is made. */
static void test_signals(void)
{
	struct sigaction act = { .sa_handler = handle }, old;
	struct sandbox *s = sandbox_new(NULL);
	struct blob b = blob_new(100);
	sigset_t mask, before, after;
	int seen = -1;

	sigemptyset(&mask);
	sigaddset(&mask, SIGPROF);
	sigprocmask(SIG_BLOCK, &mask, &before);
	sigaction(SIGUSR1, &act, &old);
	EXPECT_INT(sandbox_run(s, job_signals, -1, NULL, 0, &b), 0);
	if (b.n == sizeof(seen))
		memcpy(&seen, b.v, sizeof(seen));
	EXPECT_INT(seen, 0);
	blob_free(&b);
	EXPECT_INT(sandbox_run(s, job_loops, -1, NULL, 0, &b), -ETIME); /* though the caller blocks SIGPROF */
	sigprocmask(SIG_SETMASK, &before, &after);
	EXPECT(sigismember(&after, SIGPROF) == 1 && !sigismember(&after, SIGUSR1));
	raise(SIGUSR1);
	EXPECT(handled);
	sigaction(SIGUSR1, &old, NULL);
	sandbox_free(s);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* f(pair<pair<...>, pair<...>>): each level names the one before it twice. */
static void nested_name(char *name, size_t size, unsigned levels)
{
	size_t n = (size_t)snprintf(name, size, "_Z1f1AIiiE");

	/* S_ is A, S0_ A<int, int>, then each further one A<the last, the last> */
	for (unsigned i = 0; i < levels; i++) {
		char ref[16] = "S_";

		if (i > 0 && i <= 36)
			snprintf(ref, sizeof(ref), "S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 1]);
		else if (i > 36)
			snprintf(ref, sizeof(ref), "S1%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i - 37]);
		n += (size_t)snprintf(name + n, size - n, "S_I%s%sE", i ? ref : "S0_", i ? ref : "S0_");
	}
}

/* The same for Rust: f::<(i32, i32), (the one before, the one before), ...>. A back reference is the distance from
 * "_R", less one, to the base 62. */
static void rust_name(char *name, size_t size, unsigned levels)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t n = (size_t)snprintf(name, size, "_RINvC1a1f"), last = n;

	n += (size_t)snprintf(name + n, size - n, "TllE");
	for (unsigned i = 1; i < levels; i++) {
		size_t at = last - 2 - 1;
		char ref[8] = { 'B' };

		last = n;
		if (at < 62)
			snprintf(ref + 1, sizeof(ref) - 1, "%c_", digits[at]);
		else
			snprintf(ref + 1, sizeof(ref) - 1, "%c%c_", digits[at / 62], digits[at % 62]);
		n += (size_t)snprintf(name + n, size - n, "T%s%sE", ref, ref);
	}
	snprintf(name + n, size - n, "E");
}

static void test_names(struct sandbox *s)
{
	char name[4096], buf[1024];

	for (unsigned levels = 2; levels <= 64; levels += levels < 8 ? 1 : 8) {
		unsigned before = children;
		const char *text;

		nested_name(name, sizeof(name), levels);
		text = demangle(s, name, buf, sizeof(buf));
		EXPECT(children - before <= 1);
		if (levels < 32)
			EXPECT(strstr(text, "A<int, int>") != NULL);
		else
			EXPECT(text == name);
		if (levels >= 16 && levels < 32)
			EXPECT_INT(strlen(text), sizeof(buf) - 1);
	}
	for (unsigned levels = 2; levels <= 64; levels += 12) {
		rust_name(name, sizeof(name), levels);
		if (levels < 10)
			EXPECT(strstr(demangle(s, name, buf, sizeof(buf)), "((i32, i32), (i32, i32))") != NULL);
		else if (levels > 24)
			EXPECT(demangle(s, name, buf, sizeof(buf)) == name);
	}
	EXPECT_STR(demangle(s, "_ZN4shop6basket3addEiPKc", buf, sizeof(buf)), "shop::basket::add(int, char const*)");
	EXPECT(children > 0);
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */
static void test_symbols(struct sandbox *s)
{
	struct elfsyms *e = NULL;
	int fd = many_symbols(5000, 4000, true, 40);

	EXPECT_INT(elfsyms_open(s, fd, -1, "/x", &e), 0);
	EXPECT_INT(functions(e), 5000); /* of one table, not of 40 */
	EXPECT(e && elfsyms_bytes(e) < ELFSYMS_MOST + 4096);
	elfsyms_free(e);
	close(fd);

	fd = many_symbols(100000, 4000, true, 1);
	EXPECT_INT(elfsyms_open(s, fd, -1, "/x", &e), -E2BIG);
	EXPECT(e == NULL);
	close(fd);

	fd = many_symbols(200000, 8 << 20, false, 1);
	EXPECT_INT(elfsyms_open(s, fd, -1, "/x", &e), 0);
	EXPECT_INT(functions(e), 0);
	elfsyms_free(e);
	close(fd);
	expect_works(s);
}

/* ---- DWARF ------------------------------------------------------------------------------------------------------- */
/* What deflate makes of a gigabyte of zeros: the same block again and again. */
static size_t zeros_packed(uint8_t *to, size_t size, size_t megabytes)
{
	static uint8_t zeros[1 << 20];
	z_stream z = { 0 };
	uLong sum = adler32(0, NULL, 0), one = adler32(sum, zeros, sizeof(zeros));
	size_t head, block, n;

	if (deflateInit(&z, 9) != Z_OK)
		abort();
	z.next_out = to;
	z.avail_out = (uInt)size;
	for (int i = 0; i < 2; i++) {
		z.next_in = zeros;
		z.avail_in = sizeof(zeros);
		deflate(&z, Z_FULL_FLUSH);
		if (i == 0)
			head = z.total_out;
	}
	block = z.total_out - head;
	n = z.total_out;
	for (size_t i = 2; i < megabytes; i++, n += block)
		memcpy(to + n, to + head, block);
	for (size_t i = 0; i < megabytes; i++)
		sum = adler32_combine(sum, one, sizeof(zeros));
	memcpy(to + n, "\x03\x00", 2); /* the last block: empty */
	for (int i = 0; i < 4; i++)
		to[n + 2 + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
	deflateEnd(&z);
	return n + 6;
}

static void test_compressed(struct sandbox *s)
{
	const size_t megabytes = 1500;
	struct {
		Elf64_Chdr h;
		uint8_t data[4 << 20];
	} *packed = calloc(1, sizeof(*packed));
	struct section v[2] = { { .name = ".debug_info", .type = SHT_PROGBITS, .flags = SHF_COMPRESSED } };
	struct inlines in;
	int fd;

	if (!packed)
		abort();
	packed->h = (Elf64_Chdr){ .ch_type = ELFCOMPRESS_ZLIB, .ch_size = megabytes << 20, .ch_addralign = 1 };
	v[0].data = packed;
	v[0].len = sizeof(packed->h) + zeros_packed(packed->data, sizeof(packed->data), megabytes);
	v[1] = (struct section){ .name = ".debug_abbrev", .type = SHT_PROGBITS, .data = "", .len = 1 };
	fd = make_elf(v, 2);
	EXPECT(inlines_at(s, fd, 1, 0x1000, &in) != 0);
	EXPECT_INT(in.n, 0);
	close(fd);
	free(packed);
	expect_works(s);
}

/* Blocks within blocks, levels of them, in a function at 0x1000. */
static void test_nested_blocks(struct sandbox *s)
{
	static const uint8_t abbrev[] = { 1, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		DW_FORM_data4, 0, 0, 2, DW_TAG_subprogram, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
		0, 0, 3, DW_TAG_lexical_block, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0, 0 };
	const size_t levels = 300000;
	const uint64_t low = 0x1000;
	const uint32_t high = 0x100;
	uint8_t *info = calloc(levels + 2, 14), *p = info;
	struct section v[2] = { { .name = ".debug_info", .type = SHT_PROGBITS } };
	struct inlines in;
	uint32_t len;
	int fd;

	if (!info)
		abort();
	p += 4;
	memcpy(p, "\x04\x00\x00\x00\x00\x00\x08", 7); /* version 4, abbreviations at 0, addresses of 8 bytes */
	p += 7;
	for (size_t i = 0; i < levels; i++) {
		*p++ = i < 2 ? (uint8_t)(i + 1) : 3;
		memcpy(p, &low, 8);
		memcpy(p + 8, &high, 4);
		p += 12;
	}
	p += levels;
	len = (uint32_t)(p - info) - 4;
	memcpy(info, &len, 4);
	v[0].data = info;
	v[0].len = len + 4;
	v[1] = (struct section){ .name = ".debug_abbrev", .type = SHT_PROGBITS, .data = abbrev, .len = sizeof(abbrev) };
	fd = make_elf(v, 2);
	EXPECT_INT(inlines_at(s, fd, 2, 0x1010, &in), -EIO); /* the stack of the child overflows */
	close(fd);
	free(info);
	expect_works(s);
}

/* ---- call frame information -------------------------------------------------------------------------------------- */
#define U63 "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"       /* ULEB128 of 2^63 - 1 */
#define S_MIN "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f" /* SLEB128 of -2^63 */

/* Offsets times the CIE's data alignment: a product of more than 64 bits wraps. UBSan sees one that overflows. */
static void test_cfi_products(void)
{
	static const struct {
		const char *ins;
		size_t len;
		int64_t align, want;
		bool of_cfa;
	} rows[] = {
		{ "\x05\x03\x02", 3, -8, -16, false }, /* offset_extended of register 3 */
		{ "\x05\x03" U63, 11, INT64_MIN, INT64_MIN, false },
		{ "\x11\x03" S_MIN, 12, -1, INT64_MIN, false },       /* offset_extended_sf */
		{ "\x14\x03" U63, 11, 3, INT64_MAX - 2, false },      /* val_offset */
		{ "\x15\x03" S_MIN, 12, INT64_MIN, 0, false },        /* val_offset_sf */
		{ "\x83" U63, 10, -2, 2, false },                     /* offset */
		{ "\x13" S_MIN, 11, -1, INT64_MIN, true },            /* def_cfa_offset_sf */
		{ "\x12\x07" S_MIN, 12, INT64_MAX, INT64_MIN, true }, /* def_cfa_sf */
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct cfi_row row = { .code_align = 1, .data_align = rows[i].align };
		const uint8_t *p = (const uint8_t *)rows[i].ins;

		CHECK(cfi_run(&row, (struct span){ p, p + rows[i].len }, 0, UINT64_MAX), "row %zu", i);
		EXPECT_INT(rows[i].of_cfa ? row.cfa_off : row.rules[3].off, rows[i].want);
	}
}

/* Instructions that end too early, restore what was never remembered, remember without end; expressions that need more
 * than their stack holds. */
static void test_cfi_damaged(void)
{
	static const struct {
		const char *ins;
		size_t len;
	} bad[] = { { "\x05", 1 }, { "\x05\x03\xff", 3 }, { "\x0b", 1 }, { "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a", 9 },
		{ "\x0f\x7f", 2 }, { "\x03\x01", 2 }, { "\x3f\x01", 2 } },
	  exprs[] = { { "", 0 }, { "\x22", 1 }, { "\x30\x22", 2 },
		  { "\x30\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12\x12"
		    "\x12\x12\x12\x12",
			  17 },
		  { "\x92\xff\x7f\x00", 4 }, { "\x2f\x00\x00", 3 } };
	const struct cfi_eval e = { .regs = &(struct cfi_regs){ .pc = 0 } };
	uint64_t out;

	for (size_t i = 0; i < ROWS(bad); i++) {
		struct cfi_row row = { .code_align = 1, .data_align = -8 };
		const uint8_t *p = (const uint8_t *)bad[i].ins;

		CHECK(!cfi_run(&row, (struct span){ p, p + bad[i].len }, 0, UINT64_MAX), "instructions %zu", i);
	}
	for (size_t i = 0; i < ROWS(exprs); i++) {
		const uint8_t *p = (const uint8_t *)exprs[i].ins;

		CHECK(!cfi_expr(&e, (struct span){ p, p + exprs[i].len }, NULL, &out), "expression %zu", i);
	}
}

/* ---- notes ------------------------------------------------------------------------------------------------------- */
static void test_notes(struct sandbox *s)
{
	struct note {
		Elf64_Nhdr head;
		char owner[8];
		uint32_t where[6]; /* three addresses, which are not aligned */
		char text[32];
	} *notes = calloc(100000, sizeof(*notes));
	struct section v = { .name = ".note.stapsdt", .type = SHT_NOTE, .data = notes, .len = 100000 * sizeof(*notes) };
	struct arena *a = arena_new();
	sdt_list list = { 0 };
	int fd;

	if (!notes)
		abort();
	for (size_t i = 0; i < 100000; i++) {
		notes[i].head = (Elf64_Nhdr){ 8, sizeof(notes->where) + sizeof(notes->text), 3 };
		memcpy(notes[i].owner, "stapsdt", 8);
		notes[i].where[0] = 0x1020;
		memcpy(notes[i].text, "p\0n\0", 4);
		snprintf(notes[i].text + 4, sizeof(notes->text) - 4, "%zu@%%rax", i);
	}
	fd = make_elf(&v, 1);
	EXPECT_INT(sdt_read(s, a, fd, &list), 0);
	EXPECT_INT(list.n, SDT_NOTES_MOST);
	EXPECT(list.n && !strcmp(list.v[list.n - 1].args, "16383@%rax"));
	close(fd);
	free(notes);
	arena_free(a);
}

/* ---- lists of compiled functions --------------------------------------------------------------------------------- */
static void test_perfmap(struct sandbox *s)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perfmap *m;
	uint64_t off;

	EXPECT(write(fd, "1000 10 one\n", 12) == 12 && ftruncate(fd, 1 << 30) == 0);
	EXPECT_INT(perfmap_read(s, fd, &m), -EFBIG);
	EXPECT(m == NULL);
	EXPECT(ftruncate(fd, 60 << 20) == 0); /* a line of 60 MB */
	EXPECT_INT(perfmap_read(s, fd, &m), 0);
	EXPECT(m && strcmp(perfmap_find(m, 0x1001, &off), "one") == 0);
	EXPECT(m && perfmap_bytes(m) < 10000);
	perfmap_free(m);
	close(fd);
}

/* ---- names of files ---------------------------------------------------------------------------------------------- */
static void test_links(void)
{
	char dir[] = "/tmp/hostile.XXXXXX", path[128];
	static const char *const targets[] = { "/dev/ptmx", "/dev/tty", "/dev/null", "/proc/self/maps",
		"/proc/self/root", "/sys/kernel/notes", "fifo", ".", "loop0", "/outside" };
	int root;

	EXPECT(mkdtemp(dir) != NULL);
	root = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	EXPECT(root >= 0);
	EXPECT(mknodat(root, "fifo", S_IFIFO | 0600, 0) == 0);
	EXPECT(mknodat(root, "file", S_IFREG | 0600, 0) == 0);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		snprintf(path, sizeof(path), "loop%zu", i ? i : 8);
		EXPECT(symlinkat(targets[i], root, path) == 0);
		snprintf(path, sizeof(path), "%s/loop%zu", dir, i ? i : 8);
		EXPECT(safeopen(-1, path, 0) < 0);
		EXPECT(safeopen(root, path + strlen(dir), 0) < 0);
		unlink(path);
	}
	/* absolute links and ".." begin at the process's root */
	EXPECT(symlinkat("/file", root, "link") == 0 && symlinkat("../../../file", root, "up") == 0);
	for (int i = 0; i < 2; i++) {
		int fd = safeopen(root, i ? "/up" : "/link", 0);

		EXPECT(fd >= 0 && fcntl(fd, F_GETFL) & O_NONBLOCK);
		close(fd);
		EXPECT(safeopen(root, i ? "/up" : "/link", O_NOFOLLOW) < 0);
	}
	static const char *const made[] = { "link", "up", "file", "fifo" };

	for (int i = 0; i < 4; i++)
		unlinkat(root, made[i], 0);
	close(root);
	rmdir(dir);
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */
static void test_budget(void)
{
	struct budget *all = NULL, *a = budget_of(&all, 1), *b = budget_of(&all, 2);

	EXPECT(a && b && a != b && budget_of(&all, 1) == a);
	if (!a || !b)
		return;
	budget_spend(a, BUDGET_NS / 2);
	EXPECT(budget_left(a));
	budget_spend(a, 2 * BUDGET_NS);
	a->at += 1000000000; /* nothing has come back since */
	EXPECT_INT(a->ns, 0);
	EXPECT(budget_left(b));
	b->bytes = BUDGET_BYTES;
	EXPECT(!budget_left(b));
	budgets_free(all);
}

/* ---- processes --------------------------------------------------------------------------------------------------- */
#define MAPS 60000

/* A process that has mapped a file 60,000 times: it is known as far as OF_ONE_MOST, the rest has no names. */
static void test_mappings(void)
{
	struct usyms *u = usyms_new(NULL, NULL);
	long page = sysconf(_SC_PAGESIZE);
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ready[2];
	char *base =
		mmap(NULL, 2ul * MAPS * (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char done = 0;
	struct usym sym;
	pid_t pid;

	EXPECT(u && self >= 0 && base != MAP_FAILED && pipe(ready) == 0);
	pid = fork();
	if (!pid) {
		for (size_t i = 0; i < MAPS; i++)
			if (mmap(base + 2 * i * (size_t)page, (size_t)page, PROT_READ | PROT_EXEC,
				    MAP_PRIVATE | MAP_FIXED, self, 0) == MAP_FAILED)
				break;
		if (write(ready[1], "r", 1) == 1)
			pause();
		_exit(0);
	}
	EXPECT(read(ready[0], &done, 1) == 1);
	EXPECT(usyms_find(u, pid, (uint64_t)(uintptr_t)base, &sym));
	EXPECT(!usyms_find(u, pid, (uint64_t)(uintptr_t)base + 2 * 30000 * (uint64_t)page, &sym));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	usyms_free(u);
	munmap(base, 2ul * MAPS * (size_t)page);
	close(self);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	struct sandbox *s = sandbox_new(NULL);

	EXPECT(s != NULL);
	test_sandbox(s);
	test_stop();
	test_signals();
	test_names(s);
	test_symbols(s);
	test_compressed(s);
	test_nested_blocks(s);
	test_cfi_products();
	test_cfi_damaged();
	test_notes(s);
	test_perfmap(s);
	test_links();
	test_budget();
	test_mappings();
	sandbox_free(s);
	return unit_end();
}
