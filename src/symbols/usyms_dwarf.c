/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms_dwarf: inlined functions, and stacks of programs without frame pointers. Input: mappings; registers and a copy
 * of a piece of the stack. Invariant: a walk ends: each frame lies above the last. */
#include <string.h>

#include "abi/arch.h"
#include "symbols/elf/cfi.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/inlines.h"
#include "symbols/usyms_priv.h"

static bool address_of(pid_t pid, const struct mapping *m, uint64_t addr, uint64_t *in_file)
{
	const struct elfsyms *syms = usyms_symbols(pid, m);

	return syms && elfsyms_address(syms, addr - m->start + m->off, in_file);
}

size_t usyms_inlines(struct usyms *u, pid_t pid, uint64_t addr, const char **names, size_t max)
{
	const struct mapping *m = usyms_mapping(u, pid, addr);
	char path[USYMS_PATH], root[64];
	const char *debug;
	uint64_t at;

	if (!m || !address_of(pid, m, addr, &at))
		return 0;
	if (!m->obj->inlines_tried) {
		m->obj->inlines_tried = true;
		debug = elfsyms_debug(m->obj->syms);
		if (debug)
			m->obj->inlines = inlines_open(debug);
		else if (*m->obj->path == '/' && usyms_path(m->obj, pid, m, path, root))
			m->obj->inlines = inlines_open(path);
	}
	return m->obj->inlines ? inlines_at(m->obj->inlines, at, names, max) : 0;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */
struct copy {
	const uint8_t *data;
	size_t len;
	uint64_t addr;
};

static bool read_copy(void *ctx, uint64_t addr, uint64_t *word)
{
	const struct copy *c = ctx;

	if (addr < c->addr || addr - c->addr > c->len || c->len - (addr - c->addr) < sizeof(*word))
		return false;
	memcpy(word, c->data + (addr - c->addr), sizeof(*word));
	return true;
}

static void set_regs(struct cfi_regs *r, const uint64_t *regs)
{
	static const uint8_t places[] = ARCH_DWARF_WORDS;

	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < sizeof(places); i++)
		r->v[i] = regs[places[i]];
	r->pc = regs[ARCH_REGS_IP / 8];
}

static const struct cfi *cfi_of(pid_t pid, const struct mapping *m)
{
	struct object *o = m->obj;
	char path[USYMS_PATH], root[64];
	size_t len = 0;
	void *vdso;

	if (o->cfi_tried)
		return o->cfi;
	o->cfi_tried = true;
	if (strcmp(o->path, "[vdso]") == 0) {
		vdso = usyms_vdso(&len);
		o->cfi = vdso ? cfi_memory(vdso, len) : NULL;
	} else if (usyms_path(o, pid, m, path, root)) {
		o->cfi = cfi_open(path);
	}
	return o->cfi;
}

/* Where there is no table (code that a program makes itself): by the frame pointer. */
static bool step_frame(struct cfi_regs *r, struct copy *stack)
{
	uint64_t fp, pc, at = r->v[ARCH_DWARF_FP];

	if (at < r->v[ARCH_DWARF_SP] || !read_copy(stack, at, &fp) || !read_copy(stack, at + 8, &pc) || !pc)
		return false;
	r->v[ARCH_DWARF_SP] = at + 16;
	r->v[ARCH_DWARF_FP] = fp;
	r->pc = pc;
	return true;
}

static bool step(struct usyms *u, pid_t pid, struct cfi_regs *r, struct copy *stack, bool first)
{
	uint64_t addr = first ? r->pc : r->pc - 1, at; /* what has been called returns behind the call */
	const struct mapping *m = usyms_mapping(u, pid, addr);
	const struct cfi *c = m ? cfi_of(pid, m) : NULL;

	if (!c || !address_of(pid, m, addr, &at))
		return step_frame(r, stack);
	return cfi_step(c, at, r, read_copy, stack);
}

size_t usyms_unwind(
	struct usyms *u, pid_t pid, const uint64_t *regs, const void *stack, size_t len, uint64_t *pcs, size_t max)
{
	struct cfi_regs r;
	struct copy copy;
	uint64_t sp;
	size_t n = 0;

	set_regs(&r, regs);
	copy = (struct copy){ stack, len, r.v[ARCH_DWARF_SP] };
	while (n < max && r.pc) {
		pcs[n++] = r.pc;
		sp = r.v[ARCH_DWARF_SP];
		if (!step(u, pid, &r, &copy, n == 1) || (r.v[ARCH_DWARF_SP] <= sp && n > 1))
			break;
	}
	return n;
}
