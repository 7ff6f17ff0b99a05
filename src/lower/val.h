/* SPDX-License-Identifier: GPL-2.0-or-later */
/* val: the result of lowering an expression: a number or pointer in a register, a string, a place in memory, or a
 * structure whose members a translator computes when they are read. */
#ifndef DWIRE_LOWER_VAL_H
#define DWIRE_LOWER_VAL_H
#include "ir/ir.h"
#include "lang/check/check.h"

/* A string: in registers or, as REP_TEXT, in memory. */
struct sval {
	enum str_rep rep;
	int32_t lit; /* the number of a constant literal; -1: not constant */
	vreg tag;    /* REP_TSTR */
	unsigned n;  /* words of w: REP_LIT 1, REP_TSTR 2, REP_CHARS bytes / 8, REP_TEXT 0 */
	vreg *w;
	int form;
	/* REP_TEXT: form_chars(form) readable bytes, with a NUL among them. The memory is borrowed from a variable or
	 * from the scratch memory of the statement. 0: a literal that str_text() has not yet written to memory. */
	vreg mem;
	vreg null; /* REP_TEXT: not 0 at run time: the string is NULL (and its text ""); 0: it is never NULL */
};

enum val_kind {
	V_NONE,
	V_INT,  /* r: an integer or a pointer */
	V_STR,  /* s */
	V_MEM,  /* a place at r + off in memory: a structure, an array, or a scalar that is not loaded yet */
	V_XL,   /* a translated structure: xl computes its members, with its parameter bound to *bind */
	V_SITE, /* the data of the site (P) */
};

/* The verifier's view of a pointer. V_INT: the pointer itself; V_MEM: its base r. */
enum ptr_kind {
	PTR_PLAIN,     /* a kernel address; with val.btf, a pointer to that structure, which may be NULL */
	PTR_OURS,      /* to the program's memory, such as a map's value */
	PTR_SURE,      /* with val.btf: never NULL */
	PTR_UNSURE,    /* with val.btf: some verifiers see a number, or a pointer that may be NULL */
	PTR_NULL,      /* with val.btf: after a test that it is NULL, the verifier sees a number */
	PTR_SURE_NULL, /* as PTR_NULL, but we know that it is never NULL */
	PTR_NUMBER,    /* computed from a number: to the verifier not a pointer */
};

struct val {
	enum val_kind k;
	struct type *type;
	vreg r;
	uint32_t btf; /* BTF id of the structure to which r points, according to the verifier; 0: none */
	enum ptr_kind ptr;
	bool walked;        /* with btf: the verifier does not trust r, and so not what is loaded through it */
	bool held;          /* without btf: the verifier knows r as a pointer all the same; see release_faults_kill() */
	bool padded;        /* V_MEM: an array of characters with zeroes behind the first */
	bool mut;           /* V_MEM: in a variable of the script, so it may change during the run */
	uint32_t off;       /* V_MEM: bytes from r */
	uint32_t bit, bits; /* V_MEM: a bit-field's first bit, from the byte at off, and its width; bits 0: none */
	struct sval s;
	const struct xlator *xl;
	const struct val *bind;
};

static inline struct val int_val(vreg r, struct type *t)
{
	return (struct val){ .k = V_INT, .type = t, .r = r };
}
#endif
