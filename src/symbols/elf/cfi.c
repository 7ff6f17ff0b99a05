/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi: see cfi.h. Input: .eh_frame. libdw tells its entries apart; their instructions are followed here.
 * Invariant: whatever the section holds, nothing outside of it is read, and each walk ends.
 * Source: DWARF 5, section 6.4; the LSB's description of .eh_frame. */
#include "symbols/elf/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "abi/arch.h"
#include "symbols/elf/cfi_priv.h"
#include "symbols/elf/elffile.h"

struct cie {
	uint64_t at; /* offset in the section */
	struct span ins;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint8_t encoding; /* of addresses */
	bool sized;       /* its entries have augmentation data, whose length comes first */
	bool signal;
};

struct fde {
	uint64_t start, len;
	struct span ins;
	uint32_t cie;
};

struct cfi {
	uint8_t *data;
	size_t len;
	uint64_t addr; /* of the section */
	struct cie *cies;
	size_t ncies;
	struct fde *v;
	size_t n, cap;
};

/* ---- the section ------------------------------------------------------------------------------------------------- */
/* A pointer as the encoding says, relative to where it stands if that is asked for. False: not of a known kind. */
static bool read_encoded(const struct cfi *c, struct span *s, uint8_t enc, bool relative, uint64_t *out)
{
	uint64_t at = c->addr + (uint64_t)(s->p - c->data);

	if (!span_value(s, enc & 0x0f, out))
		return false;
	if (!relative || (enc & 0x70) == DW_EH_PE_absptr)
		return true;
	*out += at;
	return (enc & 0x70) == DW_EH_PE_pcrel && !(enc & 0x80);
}

/* The letters of the augmentation: only the encoding of addresses matters here. */
static bool parse_augmentation(const struct cfi *c, const Dwarf_CIE *e, struct cie *cie)
{
	struct span data = { e->augmentation_data, e->augmentation_data + e->augmentation_data_size };
	uint64_t skipped;

	cie->encoding = DW_EH_PE_absptr;
	cie->sized = *e->augmentation == 'z';
	for (const char *p = e->augmentation; *p; p++) {
		if (*p == 'R' && data.p < data.end)
			cie->encoding = *data.p++;
		else if (*p == 'L' && data.p < data.end)
			data.p++;
		else if (*p == 'P' && data.p < data.end) {
			uint8_t enc = *data.p++;

			if (!read_encoded(c, &data, enc, false, &skipped))
				return false;
		} else if (*p == 'S') {
			cie->signal = true;
		} else if (*p != 'z' && *p != 'B') {
			return false;
		}
	}
	return true;
}

static int cie_at(struct cfi *c, const uint8_t *ident, Elf_Data *data, uint64_t at)
{
	struct cie *more, cie = { .at = at };
	Dwarf_CFI_Entry e;
	Dwarf_Off next;

	for (size_t i = c->ncies; i-- > 0;)
		if (c->cies[i].at == at)
			return (int)i;
	if (dwarf_next_cfi(ident, data, true, at, &next, &e) != 0 || !dwarf_cfi_cie_p(&e) ||
		!parse_augmentation(c, &e.cie, &cie))
		return -1;
	cie.ins = (struct span){ e.cie.initial_instructions, e.cie.initial_instructions_end };
	cie.code_align = e.cie.code_alignment_factor;
	cie.data_align = e.cie.data_alignment_factor;
	cie.ra = e.cie.return_address_register;
	more = c->ncies < 4096 ? reallocarray(c->cies, c->ncies + 1, sizeof(cie)) : NULL;
	if (!more)
		return -1;
	c->cies = more;
	c->cies[c->ncies] = cie;
	return (int)c->ncies++;
}

static bool add_fde(struct cfi *c, const uint8_t *ident, Elf_Data *data, const Dwarf_FDE *e)
{
	int cie = cie_at(c, ident, data, e->CIE_pointer);
	struct span s = { e->start, e->end };
	struct fde f = { .cie = (uint32_t)cie };
	uint64_t skip;

	if (cie < 0 || !read_encoded(c, &s, c->cies[cie].encoding, true, &f.start) ||
		!read_encoded(c, &s, c->cies[cie].encoding, false, &f.len) || !f.start)
		return true; /* nothing to be had from this one */
	if (c->cies[cie].sized) {
		if (!span_uleb(&s, &skip) || skip > (uint64_t)(s.end - s.p))
			return true;
		s.p += skip;
	}
	f.ins = s;
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 256;
		struct fde *v = reallocarray(c->v, cap, sizeof(*v));

		if (!v)
			return false;
		c->v = v;
		c->cap = cap;
	}
	c->v[c->n++] = f;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool read_entries(struct cfi *c, const uint8_t *ident)
{
	Elf_Data data = { .d_buf = c->data, .d_size = c->len, .d_type = ELF_T_BYTE, .d_version = EV_CURRENT };
	Dwarf_Off at = 0, next = 0;

	while (at < c->len) {
		Dwarf_CFI_Entry e;
		int r = dwarf_next_cfi(ident, &data, true, at, &next, &e);

		if (r > 0 || next <= at)
			break;
		if (r == 0 && !dwarf_cfi_cie_p(&e) && !add_fde(c, ident, &data, &e.fde))
			break;
		at = next;
	}
	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), by_start);
	return c->n > 0;
}

static struct cfi *read_elf(Elf *elf)
{
	size_t strings = 0, n = 0;
	const uint8_t *ident = (const uint8_t *)elf_getident(elf, &n);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	if (!ident || n < EI_NIDENT || ident[EI_CLASS] != ELFCLASS64 || elf_getshdrstrndx(elf, &strings) != 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		Elf_Data *data = name && strcmp(name, ".eh_frame") == 0 ? elf_getdata(scn, NULL) : NULL;
		struct cfi *c = data && data->d_buf && data->d_size ? calloc(1, sizeof(*c)) : NULL;

		if (!c)
			continue;
		c->data = malloc(data->d_size);
		if (c->data) {
			memcpy(c->data, data->d_buf, data->d_size);
			c->len = data->d_size;
			c->addr = sh.sh_addr;
			if (read_entries(c, ident))
				return c;
		}
		cfi_free(c);
		return NULL;
	}
	return NULL;
}

struct cfi *cfi_open(const char *file)
{
	int fd;
	Elf *elf = elffile_open(file, &fd);
	struct cfi *c = elf ? read_elf(elf) : NULL;

	elffile_close(elf, fd);
	return c;
}

struct cfi *cfi_memory(void *image, size_t len)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_memory(image, len);
	struct cfi *c = elf && elf_kind(elf) == ELF_K_ELF ? read_elf(elf) : NULL;

	elf_end(elf);
	return c;
}

void cfi_free(struct cfi *c)
{
	if (!c)
		return;
	free(c->data);
	free(c->cies);
	free(c->v);
	free(c);
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */
static const struct fde *fde_of(const struct cfi *c, uint64_t addr)
{
	size_t lo = 0, hi = c->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->v[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr - c->v[lo - 1].start < c->v[lo - 1].len ? &c->v[lo - 1] : NULL;
}

static bool value_of(const struct cfi_rule *rule, const struct cfi_eval *e, uint64_t cfa, uint64_t same, uint64_t *out)
{
	uint64_t addr;

	switch (rule->kind) {
	case RULE_SAME:
		*out = same;
		return true;
	case RULE_OFFSET:
		return e->read(e->ctx, cfa + (uint64_t)rule->off, out);
	case RULE_VAL_OFFSET:
		*out = cfa + (uint64_t)rule->off;
		return true;
	case RULE_REGISTER:
		*out = (uint64_t)rule->off < CFI_REGS ? e->regs->v[rule->off] : 0;
		return (uint64_t)rule->off < CFI_REGS;
	case RULE_EXPR:
		return cfi_expr(e, rule->expr, &cfa, &addr) && e->read(e->ctx, addr, out);
	case RULE_VAL_EXPR:
		return cfi_expr(e, rule->expr, &cfa, out);
	case RULE_UNDEFINED:
		break;
	}
	*out = 0;
	return false;
}

bool cfi_step(const struct cfi *c, uint64_t addr, struct cfi_regs *r, cfi_read *read, void *ctx)
{
	const struct fde *f = fde_of(c, addr);
	const struct cie *cie = f ? &c->cies[f->cie] : NULL;
	struct cfi_eval e = { r, read, ctx };
	struct cfi_row row = { 0 };
	struct cfi_regs out = *r;
	uint64_t cfa;

	if (!f || cie->ra >= CFI_REGS)
		return false;
	row.code_align = cie->code_align;
	row.data_align = cie->data_align;
	row.rules[ARCH_DWARF_RA].kind = cie->ra == ARCH_DWARF_RA ? RULE_SAME : RULE_UNDEFINED;
	if (!cfi_run(&row, cie->ins, 0, UINT64_MAX))
		return false;
	memcpy(row.initial, row.rules, sizeof(row.initial));
	if (!cfi_run(&row, f->ins, f->start, addr))
		return false;
	if (row.cfa_expr.p) {
		if (!cfi_expr(&e, row.cfa_expr, NULL, &cfa))
			return false;
	} else {
		cfa = row.cfa_reg < CFI_REGS ? r->v[row.cfa_reg] + (uint64_t)row.cfa_off : 0;
	}
	for (unsigned i = 0; i < CFI_REGS; i++)
		(void)value_of(&row.rules[i], &e, cfa, r->v[i], &out.v[i]);
	if (row.rules[ARCH_DWARF_SP].kind == RULE_SAME)
		out.v[ARCH_DWARF_SP] = cfa;
	if (!value_of(&row.rules[cie->ra], &e, cfa, r->v[cie->ra], &out.pc) || !out.pc)
		return false;
	if (cfa <= r->v[ARCH_DWARF_SP] && out.pc == r->pc) /* no way on */
		return false;
	*r = out;
	return true;
}
