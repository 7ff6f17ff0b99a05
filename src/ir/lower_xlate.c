/* lower_xlate: a translated structure as a whole: all members that its translator makes, stored one after the other.
 * Input: where it goes, which translator, of what. Output: stores into memory of ours; what the translator does not
 * make is zeroes. */
#include <linux/bpf.h>

#include "ir/lower_priv.h"

/* A string into an array of characters. */
static void store_chars(struct lowerer *lw, struct val at, struct sval s)
{
	struct ir *ir = lw->ir;
	struct sval text = str_convert(lw, s, FORM_TEXT | (int)at.type->nelems << FORM_SHIFT);
	vreg to = at.off ? ir_alui(ir, ALU_ADD, at.r, (int32_t)at.off) : at.r;

	ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ to, ir_imm(ir, at.type->nelems), str_text(lw, &text) }, 3,
		false);
}

static void store_member(struct lowerer *lw, struct val at, struct val v, const struct type_member *m)
{
	const struct type *t = m->type;

	if (v.k == V_XL) {
		place_translate(lw, at, v);
	} else if (v.k == V_STR && t->kind == T_ARRAY) {
		store_chars(lw, at, v.s);
	} else if (v.k == V_STR) {
		place_near(lw, &at);
		str_store(lw, str_convert(lw, v.s, m->form ? m->form : FORM_LIT), at.r, (int32_t)at.off);
	} else if (type_is_block(t)) {
		place_copy(lw, at, v, t->size);
	} else {
		place_near(lw, &at);
		(void)place_store(lw, at, plain_number(lw, v));
	}
}

void place_translate(struct lowerer *lw, struct val to, struct val from)
{
	struct type *st = from.type->kind == T_PTR ? from.type->of : from.type;

	for (size_t i = 0; i < from.xl->ninits; i++) {
		const char *name = from.xl->inits[i].name;
		uint32_t bit = 0;
		const struct type_member *m = type_find_member(lw->ts, st, name, &bit);
		int32_t stack = ir_stack_mark(lw->ir), held = scratch_mark(lw);
		struct val at = to;
		struct expr want;

		if (!m || !check_xl_member(lw->ck, from.xl, name)) /* this site has no such thing */
			continue;
		at.off += bit / 8;
		at.bits = m->bits;
		at.bit = m->bits ? bit % 8 : 0;
		at.type = m->type;
		want = (struct expr){ .kind = EX_MEMBER, .loc = from.xl->inits[i].loc, .type = m->type };
		store_member(lw, at, xl_member(lw, &from, &want, name), m);
		ir_stack_release(lw->ir, stack);
		scratch_release(lw, held);
	}
}
