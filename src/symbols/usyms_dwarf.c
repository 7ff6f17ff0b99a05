/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms_dwarf: inlined functions, and stacks of programs without frame pointers. Input: mappings; registers and a copy
 * of a piece of the stack. Invariant: a walk ends: each frame lies above the last. */
#include <string.h>
#include <unistd.h>

#include "abi/arch.h"
#include "symbols/elf/cfi.h"
#include "symbols/elf/elfsyms.h"
#include "symbols/elf/inlines.h"
#include "symbols/sandbox/safeopen.h"
#include "symbols/usyms_priv.h"

/* An address in the process becomes one in the file as its program headers have it. */
static bool address_of(
	struct usyms *u, const struct process *p, const struct mapping *m, uint64_t addr, uint64_t *in_file)
{
	const struct elfsyms *syms = usyms_symbols(u, p, m);

	return syms && elfsyms_address(syms, addr - m->start + m->off, in_file);
}

/* The file with the object's DWARF: itself, or the debugging file that its symbols are from. */
static int dwarf_file(struct usyms *u, const struct process *p, const struct mapping *m)
{
	bool in_root = false;
	const char *debug = elfsyms_debug(m->obj->syms, &in_root);
	int root, fd;

	if (*m->obj->path != '/' || u->kept >= USYMS_KEPT_MAX)
		return -1;
	fd = usyms_file(m->obj, p, m, &root);
	if (debug && (!in_root || root >= 0)) {
		if (fd >= 0)
			close(fd);
		fd = safeopen(in_root ? root : -1, debug, 0);
	}
	if (root >= 0)
		close(root);
	u->kept += fd >= 0;
	return fd;
}

/* DWARF is read in the sandbox, which keeps the file open: a profile asks for many addresses of few files. */
size_t usyms_inlines(struct usyms *u, pid_t pid, uint64_t addr, const char **names, size_t max)
{
	struct process *p;
	const struct mapping *m = usyms_mapping(u, pid, addr, &p);
	const char *text = u->inlines.text;
	struct usyms_work w;
	struct object *o;
	size_t n = 0;
	uint64_t at;
	int err;

	if (!m || !address_of(u, p, m, addr, &at) || usyms_begin(u, p, &w) != 0)
		return 0;
	o = m->obj;
	if (!o->inlines_tried)
		o->dwarf_fd = dwarf_file(u, p, m);
	o->inlines_tried = true;
	if (o->dwarf_fd < 0)
		return 0;
	err = usyms_end(
		u, &w, "inlined functions", o->path, inlines_at(u->sandbox, o->dwarf_fd, o->id, at, &u->inlines));
	if (err) { /* not again */
		close(o->dwarf_fd);
		o->dwarf_fd = -1;
		u->kept--;
		return 0;
	}
	for (; n < u->inlines.n && n < max; n++) {
		names[n] = text;
		text += strlen(text) + 1;
	}
	return n;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */
/* The piece of the stack that the program recorded: from the stack pointer up. */
struct copy {
	const uint8_t *data;
	size_t len;
	uint64_t addr;
};

/* False outside of the copy: the walk ends there. */
static bool read_copy(void *ctx, uint64_t addr, uint64_t *word)
{
	const struct copy *c = ctx;

	if (addr < c->addr || addr - c->addr > c->len || c->len - (addr - c->addr) < sizeof(*word))
		return false;
	memcpy(word, c->data + (addr - c->addr), sizeof(*word));
	return true;
}

/* From the order of struct pt_regs to DWARF's. */
static void set_regs(struct cfi_regs *r, const uint64_t *regs)
{
	static const uint8_t places[] = ARCH_DWARF_WORDS;

	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < sizeof(places); i++)
		r->v[i] = regs[places[i]];
	r->pc = regs[ARCH_REGS_IP / 8];
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

/* One frame up. addr is that of the call: the function that was called returns to the instruction behind it, which
 * may belong to another function. */
static bool step(struct usyms *u, pid_t pid, struct cfi_regs *r, struct copy *stack, bool first)
{
	uint64_t addr = first ? r->pc : r->pc - 1, at; /* what has been called returns behind the call */
	struct process *p;
	const struct mapping *m = usyms_mapping(u, pid, addr, &p);
	const struct cfi *c = m ? usyms_cfi(u, p, m) : NULL;

	if (!c || !address_of(u, p, m, addr, &at))
		return step_frame(r, stack);
	return cfi_step(c, at, r, read_copy, stack);
}

/* The second frame may have the same stack pointer: a leaf function on arm64 pushes nothing. */
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
