/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provheader: see provheader.h.
 * Input: provider declarations. Output: a header for C and C++ with the macros that DTrace's has, PROV_PROBE(...) and
 * PROV_PROBE_ENABLED(). A macro calls an inline function, which converts the arguments and places a nop and a note of
 * type 3 named "stapsdt" (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation): the addresses of the
 * nop, of section .stapsdt.base, and of the semaphore; the names of provider and probe; the operands of the arguments.
 * Invariants: the header includes nothing. Each argument is in a register of 64 bits or is a constant: every reader of
 * notes understands both. */
#include "compile/provheader.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

struct writer {
	struct compilation *c;
	FILE *out;
	struct strmap *macros; /* made so far: each name to itself */
};

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* In capitals, with _ for __. */
static const char *macro_part(struct arena *a, const char *name)
{
	char *copy = arena_strdup(a, name), *to = copy;

	for (const char *s = copy; *s; s++) {
		*to++ = (char)toupper((unsigned char)*s);
		if (s[0] == '_' && s[1] == '_')
			s++;
	}
	*to = '\0';
	return copy;
}

/* The macro of a probe: my__probe of myprov is MYPROV_MY_PROBE. */
static const char *macro_name(struct arena *a, const char *prov, const char *probe)
{
	return arena_printf(a, "%s_%s", macro_part(a, prov), macro_part(a, probe));
}

static const char *semaphore_name(struct arena *a, const char *prov, const char *probe)
{
	return arena_printf(a, "%s_%s_semaphore", prov, probe);
}

/* ---- the header -------------------------------------------------------------------------------------------------- */
static const char *c_type(const struct provider_arg *a)
{
	if (a->is_pointer)
		return "const volatile void *";
	switch (a->size) {
	case 1:
		return a->is_signed ? "signed char " : "unsigned char ";
	case 2:
		return a->is_signed ? "short " : "unsigned short ";
	case 4:
		return a->is_signed ? "int " : "unsigned int ";
	default:
		return a->is_signed ? "long " : "unsigned long ";
	}
}

/* "arg0, arg1", with the types or without. */
static void put_parameters(FILE *out, const struct provider_probe *probe, bool types)
{
	for (size_t i = 0; i < probe->args.n; i++)
		fprintf(out, "%s%sarg%zu", i ? ", " : "", types ? c_type(&probe->args.v[i]) : "", i);
	if (!probe->args.n && types)
		fputs("void", out);
}

/* The note's text of arguments, as "-4@%[v0] 8@%[v1]" for the compiler to fill in. */
static void put_operands(FILE *out, const struct provider_probe *probe)
{
	for (size_t i = 0; i < probe->args.n; i++)
		fprintf(out, "%s%s%u@%%[v%zu]", i ? " " : "", probe->args.v[i].is_signed ? "-" : "",
			probe->args.v[i].size, i);
}

/* The assembler's lines. In the note's section, ? puts the note into the group of the function around it, so that a
 * copy of an inline function that the linker drops takes its notes with it. */
static void put_assembly(FILE *out, const char *prov, const char *semaphore, const struct provider_probe *probe)
{
	fprintf(out,
		"\t\t\"990:\\tnop\\n\"\n"
		"\t\t\"\\t.pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n\"\n"
		"\t\t\"\\t.balign 4\\n\"\n"
		"\t\t\"\\t.4byte 992f-991f, 994f-993f, 3\\n\"\n"
		"\t\t\"991:\\t.asciz \\\"stapsdt\\\"\\n\"\n"
		"\t\t\"992:\\t.balign 4\\n\"\n"
		"\t\t\"993:\\t.8byte 990b\\n\"\n"
		"\t\t\"\\t.8byte _.stapsdt.base\\n\"\n"
		"\t\t\"\\t.8byte %s\\n\"\n"
		"\t\t\"\\t.asciz \\\"%s\\\"\\n\"\n"
		"\t\t\"\\t.asciz \\\"%s\\\"\\n\"\n"
		"\t\t\"\\t.asciz \\\"",
		semaphore, prov, probe->name);
	put_operands(out, probe);
	fputs("\\\"\\n\"\n"
	      "\t\t\"994:\\t.balign 4\\n\"\n"
	      "\t\t\"\\t.popsection\\n\"\n"
	      "\t\t\".ifndef _.stapsdt.base\\n\"\n"
	      "\t\t\"\\t.pushsection .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",.stapsdt.base,comdat\\n\"\n"
	      "\t\t\"\\t.weak _.stapsdt.base\\n\"\n"
	      "\t\t\"\\t.hidden _.stapsdt.base\\n\"\n"
	      "\t\t\"_.stapsdt.base:\\t.space 1\\n\"\n"
	      "\t\t\"\\t.size _.stapsdt.base, 1\\n\"\n"
	      "\t\t\"\\t.popsection\\n\"\n"
	      "\t\t\".endif\\n\"\n",
		out);
}

/* The memory that pointers name has to be written before the probe: hence "memory". */
static void put_function(FILE *out, const char *prov, const char *semaphore, const struct provider_probe *probe)
{
	fprintf(out, "static __inline__ __attribute__((__always_inline__, __unused__)) void\ndwire_probe_%s_%s(", prov,
		probe->name);
	put_parameters(out, probe, true);
	fputs(")\n{\n", out);
	for (size_t i = 0; i < probe->args.n; i++)
		fprintf(out, "\t%sv%zu = arg%zu;\n",
			probe->args.v[i].is_pointer          ? "const volatile void *"
				: probe->args.v[i].is_signed ? "long "
							     : "unsigned long ",
			i, i);
	fputs("\n\t__asm__ __volatile__(\n", out);
	put_assembly(out, prov, semaphore, probe);
	fputs("\t\t:\n\t\t: ", out);
	for (size_t i = 0; i < probe->args.n; i++)
		fprintf(out, "%s[v%zu] \"nr\"(v%zu)", i ? ", " : "", i, i);
	fputs("\n\t\t: \"memory\");\n}\n", out);
}

static void put_macros(
	FILE *out, const char *macro, const char *function, const struct provider_probe *probe, const char *semaphore)
{
	fprintf(out, "#define %s(", macro);
	put_parameters(out, probe, false);
	if (function) {
		fprintf(out, ") \\\n\t%s(", function);
		put_parameters(out, probe, false);
		fprintf(out, ")\n#define %s_ENABLED() \\\n\t__builtin_expect(%s != 0, 0)\n", macro, semaphore);
		return;
	}
	fputs(") \\\n\tdo { ", out);
	for (size_t i = 0; i < probe->args.n; i++)
		fprintf(out, "(void)(arg%zu); ", i);
	fprintf(out, "} while (0)\n#define %s_ENABLED() (0)\n", macro);
}

/* False after an error. */
static bool macro_is_new(struct writer *w, const char *macro, const struct provider_probe *probe)
{
	if (strmap_get(w->macros, macro)) {
		diag_error(
			w->c->diags, probe->loc, D_PROV_PRDUP, NULL, "another probe has the macro %s already", macro);
		return false;
	}
	strmap_put(w->macros, macro, w);
	return true;
}

static void put_provider(struct writer *w, const struct provider_decl *prov, bool here)
{
	struct arena *a = w->c->arena;

	for (size_t i = 0; i < prov->probes.n; i++) {
		const struct provider_probe *probe = &prov->probes.v[i];
		const char *semaphore = semaphore_name(a, prov->name, probe->name);
		const char *macro = macro_name(a, prov->name, probe->name);

		if (!here) {
			put_macros(w->out, macro, NULL, probe, NULL);
			continue;
		}
		if (!macro_is_new(w, macro, probe))
			return;
		fprintf(w->out, "\nextern volatile unsigned short %s __attribute__((__visibility__(\"hidden\")));\n",
			semaphore);
		put_function(w->out, prov->name, semaphore, probe);
		put_macros(
			w->out, macro, arena_printf(a, "dwire_probe_%s_%s", prov->name, probe->name), probe, semaphore);
	}
}

typedef VEC(const struct provider_decl *) provider_list;

static int find_providers(const struct compilation *c, provider_list *out)
{
	for (size_t i = 0; i < c->texts.n; i++) {
		const struct program *p = &c->texts.v[i].prog;

		for (size_t k = 0; k < p->decls.n; k++)
			if (p->decls.v[k]->kind == DECL_PROVIDER)
				*vec_push(c->arena, out) = &p->decls.v[k]->u.provider;
	}
	if (out->n)
		return 0;
	diag_error(c->diags, (struct loc){ 0 }, D_EMPTY, "as in provider app { probe start(int, char *); };",
		"%s: no provider is declared", c->texts.n ? c->texts.v[0].src.name : "the program");
	return -EINVAL;
}

static int result(const struct compilation *c)
{
	if (arena_failed(c->arena)) {
		diags_no_memory(c->diags, "write the probes");
		return -ENOMEM;
	}
	return diags_errors(c->diags) ? -EINVAL : 0;
}

int provheader_write(struct compilation *c, FILE *out)
{
	struct writer w = { .c = c, .out = out, .macros = strmap_new(c->arena) };
	provider_list provs = { 0 };
	const char *guard;

	if (find_providers(c, &provs))
		return result(c);
	guard = macro_name(c->arena, provs.v[0]->name, "dwire__probes__h");
	fprintf(out,
		"/* Probes of the program: written by dwire -h, to be linked with the object of dwire -G. */\n"
		"#ifndef %s\n#define %s\n\n"
		"#if defined(__linux__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))\n"
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
		guard, guard);
	for (size_t i = 0; i < provs.n; i++)
		put_provider(&w, provs.v[i], true);
	fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#else /* no probes on this machine */\n", out);
	for (size_t i = 0; i < provs.n; i++)
		put_provider(&w, provs.v[i], false);
	fprintf(out, "#endif\n\n#endif /* %s */\n", guard);
	return result(c);
}

int provheader_semaphores(struct compilation *c, semaphore_names *out)
{
	struct strmap *seen = strmap_new(c->arena);
	provider_list provs = { 0 };

	if (find_providers(c, &provs))
		return result(c);
	for (size_t i = 0; i < provs.n; i++)
		for (size_t k = 0; k < provs.v[i]->probes.n; k++) {
			const struct provider_probe *probe = &provs.v[i]->probes.v[k];
			const char *name = semaphore_name(c->arena, provs.v[i]->name, probe->name);

			if (strmap_get(seen, name))
				diag_error(c->diags, probe->loc, D_PROV_PRDUP, NULL,
					"another probe has the symbol %s already", name);
			strmap_put(seen, name, out);
			*vec_push(c->arena, out) = name;
		}
	return result(c);
}
