/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_answers: any bytes as the answer of a sandbox that a stranger's file has taken over. What the tracer makes of
 * them may be nonsense, but is read within its bounds. Mutations start from true answers.
 * The sandbox is replaced: sandbox_run() gives the bytes, in a block of just their size. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/demangle.h"
#include "symbols/elf/cfi.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/inlines.h"
#include "symbols/elf/sdtnotes.h"
#include "symbols/perfmap.h"

enum kind { FUNCTIONS, FRAMES, NOTES, INLINES, COMPILED, TEXT, KINDS };

#define SEED_MOST ((size_t)64 << 10)

struct sandbox {
	const uint8_t *data;
	size_t size;
	struct blob *keep; /* not NULL: the job is run, and its answer kept here */
};

static struct blob seeds[KINDS];
static void *kept;             /* by jobs, as in a child */
static volatile uint64_t sink; /* so that what is read is read */

/* ---- the sandbox ------------------------------------------------------------------------------------------------- */
int sandbox_run(struct sandbox *s, sandbox_job *job, int fd, const void *in, size_t len, struct blob *out)
{
	int err;

	if (s->keep) {
		err = job(fd, in, len, out, &kept);
		if (!err && out->n <= SEED_MOST && s->keep->n == 0)
			(void)blob_put(s->keep, out->v, out->n);
		return err ? err : out->err;
	}
	if (s->size > out->most)
		return -E2BIG;
	out->v = malloc(s->size ? s->size : 1);
	if (!out->v)
		abort();
	memcpy(out->v, s->data, s->size);
	out->n = out->cap = s->size;
	return 0;
}

void sandbox_give_up(void)
{
	abort();
}

/* ---- use --------------------------------------------------------------------------------------------------------- */
static void add_length(void *ctx, const char *name, uint64_t off, uint64_t size)
{
	*(uint64_t *)ctx += strlen(name) + off + size;
}

static void use_functions(struct sandbox *s, int fd)
{
	struct elfsyms *e;
	uint64_t sum = 0, off;
	const char *name;

	if (elfsyms_open(s, fd, -1, NULL, &e) != 0)
		return;
	elfsyms_each(e, add_length, &sum);
	for (uint64_t at = 0; at < 1 << 16; at += 509)
		if (elfsyms_find(e, at, &name, &off))
			sum += strlen(name);
	sink = sum;
	elfsyms_free(e);
}

static bool read_word(void *ctx, uint64_t addr, uint64_t *word)
{
	*word = addr * 3 + *(const uint64_t *)ctx;
	return addr % 5 != 0;
}

static void use_frames(struct sandbox *s, int fd)
{
	uint64_t salt = 77;
	struct cfi *c;

	if (cfi_open(s, fd, &c) != 0)
		return;
	for (uint64_t at = 0; at < 1 << 13; at += 61) {
		struct cfi_regs r = { .pc = at };

		for (unsigned i = 0; i < CFI_REGS; i++)
			r.v[i] = 1000 * i + at;
		for (unsigned n = 0; n < 4 && cfi_step(c, at, &r, read_word, &salt); n++)
			;
	}
	cfi_free(c);
}

static void use_notes(struct sandbox *s, int fd)
{
	struct arena *a = arena_new();
	sdt_list notes = { 0 };

	(void)!sdt_read(s, a, fd, &notes);
	for (size_t i = 0; i < notes.n; i++)
		if (!*notes.v[i].prov || !*notes.v[i].name || strlen(notes.v[i].args) > 1024)
			abort();
	arena_free(a);
}

static void use_inlines(struct sandbox *s, int fd)
{
	struct inlines *in = malloc(sizeof(*in));
	size_t len = 0;

	if (in && inlines_at(s, fd, 1, 0x1000, in) == 0)
		for (size_t i = 0; i < in->n; i++)
			len += strlen(in->text + len) + 1;
	if (in && len != in->len)
		abort();
	free(in);
}

static void use_compiled(struct sandbox *s, int fd)
{
	uint64_t off, sum = 0;
	const char *name;
	struct perfmap *m;

	if (perfmap_read(s, fd, &m) != 0)
		return;
	for (uint64_t at = 0; at < 0x3000; at += 0x80) {
		name = perfmap_find(m, at, &off);
		sum += name ? strlen(name) : 0;
	}
	sink = sum;
	perfmap_free(m);
}

static void use_text(struct sandbox *s)
{
	char buf[64];
	const char *name = "_Z1fv", *text = demangle(s, name, buf, sizeof(buf));

	if (text != name && strlen(text) >= sizeof(buf))
		abort();
}

static void use(enum kind kind, struct sandbox *s, int fd)
{
	switch (kind) {
	case FUNCTIONS:
		use_functions(s, fd);
		break;
	case FRAMES:
		use_frames(s, fd);
		break;
	case NOTES:
		use_notes(s, fd);
		break;
	case INLINES:
		use_inlines(s, fd);
		break;
	case COMPILED:
		use_compiled(s, fd);
		break;
	case TEXT:
	case KINDS:
		use_text(s);
		break;
	}
}

/* ---- libFuzzer --------------------------------------------------------------------------------------------------- */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* The answers for a small program of the system. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int file = open("/bin/true", O_RDONLY | O_CLOEXEC);

	(void)argc;
	(void)argv;
	for (int k = 0; k < KINDS; k++) {
		struct sandbox s = { .keep = &seeds[k] };

		seeds[k] = blob_new(SEED_MOST);
		if (file >= 0)
			use((enum kind)k, &s, file);
	}
	close(file);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	const struct blob *from = &seeds[seed / 16 % KINDS];

	if (seed % 16 == 0 && from->n && from->n < max) {
		data[0] = (uint8_t)(seed / 16 % KINDS);
		memcpy(data + 1, from->v, from->n);
		size = from->n + 1;
	}
	return LLVMFuzzerMutate(data, size, max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sandbox s = { .data = data + 1, .size = size - 1 };

	if (size)
		use((enum kind)(data[0] % KINDS), &s, -1);
	return 0;
}
