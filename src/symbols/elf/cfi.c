/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cfi: see cfi.h. Input: .eh_frame. libdw splits it into entries; their instructions are followed here.
 * The first part runs in the sandbox and writes the entries; the second checks them and makes steps.
 * Invariant: whatever the section holds, nothing outside of it is read, and each walk ends.
 * Source: DWARF 5, section 6.4; the LSB's description of .eh_frame. */
#include "symbols/elf/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/arch.h"
#include "symbols/elf/cfi_priv.h"
#include "symbols/elf/elffile.h"

#define CIES_MOST 4096
#define INS_MOST 16384u /* bytes of a function's instructions: each step follows them */

/* Bytes of the section. */
struct range {
	uint64_t at, len;
};

struct cie {
	uint64_t at; /* offset in the section */
	struct range ins;
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;
	uint64_t encoding; /* of addresses */
	uint64_t sized;    /* its entries have augmentation data, whose length comes first */
};

struct fde {
	uint64_t start, len;
	struct range ins;
	uint64_t cie;
};

/* In a blob: this, the CIEs, the FDEs by address, the section. */
struct head {
	uint64_t len, addr; /* of the section */
	uint64_t ncies, n;
};

struct cfi {
	struct blob blob;
	const struct cie *cies;
	size_t ncies;
	const struct fde *v;
	size_t n;
	const uint8_t *data;
};

/* ---- in the sandbox ---------------------------------------------------------------------------------------------- */
struct reading {
	const uint8_t *ident, *data;
	struct head h;
	struct blob cies, fdes;
};

/* A pointer as the encoding says, relative to where it stands if that is asked for. False: not of a known kind. */
static bool read_encoded(const struct reading *r, struct span *s, uint8_t enc, bool relative, uint64_t *out)
{
	uint64_t at = r->h.addr + (uint64_t)(s->p - r->data);

	if (!span_value(s, enc & 0x0f, out))
		return false;
	if (!relative || (enc & 0x70) == DW_EH_PE_absptr)
		return true;
	*out += at;
	return (enc & 0x70) == DW_EH_PE_pcrel && !(enc & 0x80);
}

/* The letters of the augmentation: only the encoding of addresses matters here. */
static bool parse_augmentation(const struct reading *r, const Dwarf_CIE *e, struct cie *cie)
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

			if (!read_encoded(r, &data, enc, false, &skipped))
				return false;
		} else if (*p != 'z' && *p != 'B' && *p != 'S') {
			return false;
		}
	}
	return true;
}

/* Pointers into the section become offsets: the tables outlive the file. */
static struct range range_of(const struct reading *r, const uint8_t *from, const uint8_t *to)
{
	return (struct range){ (uint64_t)(from - r->data), (uint64_t)(to - from) };
}

/* The CIE at this offset, read when the first FDE refers to it. NULL: it is damaged, or there are too many. */
static const struct cie *cie_at(struct reading *r, Elf_Data *data, uint64_t at)
{
	const struct cie *known = (const void *)r->cies.v;
	struct cie cie = { .at = at };
	Dwarf_CFI_Entry e;
	Dwarf_Off next;

	for (size_t i = r->h.ncies; i-- > 0;)
		if (known[i].at == at)
			return &known[i];
	if (r->h.ncies == CIES_MOST || dwarf_next_cfi(r->ident, data, true, at, &next, &e) != 0 ||
		!dwarf_cfi_cie_p(&e) || !parse_augmentation(r, &e.cie, &cie) ||
		e.cie.initial_instructions_end - e.cie.initial_instructions > INS_MOST)
		return NULL;
	cie.ins = range_of(r, e.cie.initial_instructions, e.cie.initial_instructions_end);
	cie.code_align = e.cie.code_alignment_factor;
	cie.data_align = e.cie.data_alignment_factor;
	cie.ra = e.cie.return_address_register;
	if (blob_put(&r->cies, &cie, sizeof(cie)) != 0)
		return NULL;
	return (const struct cie *)(const void *)r->cies.v + r->h.ncies++;
}

/* An FDE that makes no sense is left out: its functions have no callers. */
static int add_fde(struct reading *r, Elf_Data *data, const Dwarf_FDE *e)
{
	const struct cie *cie = cie_at(r, data, e->CIE_pointer);
	struct span s = { e->start, e->end };
	struct fde f = { 0 };
	uint64_t skip;

	if (!cie || e->end - e->start > INS_MOST || !read_encoded(r, &s, (uint8_t)cie->encoding, true, &f.start) ||
		!read_encoded(r, &s, (uint8_t)cie->encoding, false, &f.len) || !f.start)
		return r->cies.err; /* nothing to be had from this one */
	if (cie->sized) {
		if (!span_uleb(&s, &skip) || skip > (uint64_t)(s.end - s.p))
			return 0;
		s.p += skip;
	}
	f.cie = (uint64_t)(cie - (const struct cie *)(const void *)r->cies.v);
	f.ins = range_of(r, s.p, s.end);
	r->h.n++;
	return blob_put(&r->fdes, &f, sizeof(f));
}

/* For qsort(): steps look entries up by address. */
static int by_start(const void *a, const void *b)
{
	const struct fde *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* All FDEs, until an entry is damaged: those before it count. */
static int read_entries(struct reading *r, Elf_Data *data)
{
	Dwarf_Off at = 0, next = 0;
	int err = 0;

	while (!err && at < r->h.len) {
		Dwarf_CFI_Entry e;
		int got = dwarf_next_cfi(r->ident, data, true, at, &next, &e);

		if (got > 0 || next <= at)
			break;
		if (got == 0 && !dwarf_cfi_cie_p(&e))
			err = add_fde(r, data, &e.fde);
		at = next;
	}
	if (r->h.n)
		qsort(r->fdes.v, r->h.n, sizeof(struct fde), by_start);
	return err ? err : r->h.n ? 0 : -ENOENT;
}

/* The order that check() reads: head, CIEs, FDEs, section. */
static int put_entries(const struct reading *r, struct blob *out)
{
	(void)blob_put(out, &r->h, sizeof(r->h));
	(void)blob_put(out, r->cies.v, r->cies.n);
	(void)blob_put(out, r->fdes.v, r->fdes.n);
	return blob_put(out, r->data, r->h.len);
}

/* Only .eh_frame: it is loaded with the program, .debug_frame is not. */
static int read_elf(Elf *elf, struct blob *out)
{
	GElf_Shdr sh;
	Elf_Scn *scn = elffile_section(elf, ".eh_frame", &sh);
	Elf_Data *data = scn && !(sh.sh_flags & SHF_COMPRESSED) ? elf_getdata(scn, NULL) : NULL;
	struct reading r = { .cies = blob_new(out->most), .fdes = blob_new(out->most) };
	size_t n = 0;
	int err;

	r.ident = (const uint8_t *)elf_getident(elf, &n);
	if (!r.ident || n < EI_NIDENT || r.ident[EI_CLASS] != ELFCLASS64 || !data || !data->d_buf || !data->d_size)
		return -ENOENT;
	r.data = data->d_buf;
	r.h.len = data->d_size;
	r.h.addr = sh.sh_addr;
	Elf_Data bytes = {
		.d_buf = data->d_buf, .d_size = data->d_size, .d_type = ELF_T_BYTE, .d_version = EV_CURRENT
	};

	err = read_entries(&r, &bytes);
	if (!err)
		err = put_entries(&r, out);
	blob_free(&r.cies);
	blob_free(&r.fdes);
	return err;
}

static int read_file(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	(void)in;
	(void)len;
	(void)kept;
	return elffile_read(fd, read_elf, out);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */
/* len: bytes of the section. */
static bool lies_in(const struct range *r, uint64_t len)
{
	return r->at <= len && r->len <= len - r->at && r->len <= INS_MOST;
}

/* The tables come from the child that parsed a stranger's file: every offset and number in them is checked once,
 * here. */
static int check(struct cfi *c)
{
	struct blob_reader r = blob_read(&c->blob);
	struct head h;

	if (!blob_take(&r, &h, sizeof(h)) || h.ncies > CIES_MOST || h.n > c->blob.n / sizeof(struct fde))
		return -EIO;
	c->cies = blob_bytes(&r, h.ncies * sizeof(struct cie));
	c->v = blob_bytes(&r, h.n * sizeof(struct fde));
	c->data = blob_bytes(&r, h.len);
	if (!c->cies || !c->v || !c->data)
		return -EIO;
	for (size_t i = 0; i < h.ncies; i++)
		if (!lies_in(&c->cies[i].ins, h.len))
			return -EIO;
	for (size_t i = 0; i < h.n; i++)
		if (c->v[i].cie >= h.ncies || !lies_in(&c->v[i].ins, h.len))
			return -EIO;
	c->ncies = h.ncies;
	c->n = h.n;
	return 0;
}

int cfi_open(struct sandbox *s, int fd, struct cfi **out)
{
	struct cfi *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	if (c) {
		c->blob = blob_new(CFI_MOST);
		err = sandbox_run(s, read_file, fd, NULL, 0, &c->blob);
	}
	if (!err)
		err = check(c);
	if (err) {
		cfi_free(c);
		c = NULL;
	}
	*out = c;
	return err;
}

struct cfi *cfi_memory(void *image, size_t len)
{
	Elf *elf = elffile_memory(image, len);
	struct cfi *c = elf ? calloc(1, sizeof(*c)) : NULL;

	if (c)
		c->blob = blob_new(CFI_MOST);
	if (c && (read_elf(elf, &c->blob) != 0 || check(c) != 0)) {
		cfi_free(c);
		c = NULL;
	}
	elf_end(elf);
	return c;
}

void cfi_free(struct cfi *c)
{
	if (c)
		blob_free(&c->blob);
	free(c);
}

size_t cfi_bytes(const struct cfi *c)
{
	return sizeof(*c) + c->blob.cap;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */
/* Binary search. The last FDE that starts at or before addr, if it is long enough. */
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

/* The caller's value of a register, by its rule. same: its value here. */
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

static struct span span_of(const struct cfi *c, const struct range *r)
{
	return (struct span){ c->data + r->at, c->data + r->at + r->len };
}

/* Registers whose rules cannot be followed are not known afterwards: only the return address matters for the walk.
 * The stack pointer before the call is the CFA by definition (DWARF 5, 6.4). */
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
	if (!cfi_run(&row, span_of(c, &cie->ins), 0, UINT64_MAX))
		return false;
	memcpy(row.initial, row.rules, sizeof(row.initial));
	if (!cfi_run(&row, span_of(c, &f->ins), f->start, addr))
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
