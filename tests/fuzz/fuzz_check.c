/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_check: any text through the whole compiler, as `dwire -e -s` does it: parser, library, probe matching, checker,
 * lowering, register allocation, instructions. Types are the running kernel's where it has them; else those of no
 * kernel, and texts that need none. Found wrong: a crash, a sanitizer's report, a result that does not agree with the
 * diagnostics, an image that does not hold together; with DWIRE_FUZZ_LOAD set, as root, also a program that the
 * kernel's verifier refuses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/why.h"
#include "compile/compile.h"
#include "diags.h"
#include "kernel/btf/btf.h"
#include "kernel/features.h"
#include "load/load.h"
#include "owner/owner.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static struct kbtf *btf;
static struct ktypes ktypes;
static struct lower_env lenv;
static struct features *features;
static struct owner *owner;
static bool load;
static FILE *null;

static void must(bool what)
{
	if (!what)
		abort();
}

static uint32_t find_tracepoint(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	struct ktracepoint t;

	*out = (struct kernel_func){ .nargs = 0 };
	if (!kbtf_tracepoint(ctx, module, name, &t))
		return 0;
	out->nargs = t.nargs;
	out->module = t.module;
	memcpy(out->of, t.of, sizeof(out->of));
	return t.id;
}

static int64_t number(void *ctx, const char *name, bool in_probe, bool *known)
{
	(void)ctx;
	(void)in_probe;
	*known = *name == 't' || *name == 'p';
	return 4711;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const kfuncs[] = { "bpf_cast_to_kern_ctx", "bpf_rdonly_cast" };
	uint32_t ids[2];
	struct why why = WHY_INIT(why);
	struct owner_opts opts = { 0 };

	(void)argc;
	(void)argv;
	null = fopen("/dev/null", "w");
	features = features_new();
	must(null && features);
	if (kbtf_open(&btf) == 0) {
		ktypes = kbtf_ktypes(btf);
		kbtf_funcs(btf, kfuncs, ids, 2);
		lenv.kfunc_kern_ctx = ids[0];
		lenv.kfunc_rdonly_cast = ids[1];
		lenv.first_netns = 4026531840u;
		lenv.tracepoint = find_tracepoint;
		lenv.ctx = btf;
	}
	load = btf && getenv("DWIRE_FUZZ_LOAD") && features_require(features, &why.to) == 0;
	opts.features = features;
	opts.cgroup_fd = load ? features_cgroup2(features, &why.to) : -1;
	opts.whole = features_cgroup2_whole(features);
	if (load && owner_start(&owner, &opts, &why.to)) {
		fprintf(stderr, "%s\n", why.text);
		abort();
	}
	return 0;
}

/* ---- mutation: whole words of the language, so that more than the parser is reached ------------------------------ */
static const char *const words[] = {
	"BEGIN",
	"END",
	"tcp:::send",
	"ip:::receive",
	"udp:::",
	"tick-1s",
	"profile-97",
	"args[0]",
	"args[1]->cs_pid",
	"args[2]->ip_saddr",
	"args[2]->ip_plength",
	"args[3]->tcps_state",
	"args[4]->tcp_flags",
	"args[4]->tcp_dport",
	"args[5]",
	"arg0",
	"self->a",
	"this->b",
	"x[1,2]",
	"x[execname]",
	"self->m[pid]",
	"@a",
	"@a[pid]",
	"@b[args[2]->ip_saddr, execname]",
	"count()",
	"sum(x)",
	"avg(1)",
	"min(x)",
	"max(-1)",
	"stddev(x)",
	"quantize(x)",
	"lquantize(x, 0, 100, 10)",
	"llquantize(x, 10, 0, 6, 20)",
	"printf(\"%d %s\\n\", 1, \"a\");",
	"printa(@a);",
	"printa(\"%s %@d\\n\", @a);",
	"trace(x);",
	"exit(0);",
	"clear(@a);",
	"trunc(@a, 5);",
	"normalize(@a, 10);",
	"pid",
	"execname",
	"timestamp",
	"walltimestamp",
	"curthread->pid",
	"probename",
	"cpu",
	"uid",
	"zonename",
	"errno",
	"stack()",
	"strlen(\"abc\")",
	"substr(execname, 1)",
	"strjoin(\"a\", \"b\")",
	"inet_ntoa(x)",
	"ntohs(1)",
	"sizeof (int)",
	"stringof(x)",
	"(struct tcp_sock *)",
	"(struct sk_buff *)x",
	"->sk",
	"`jiffies",
	"(char)",
	"(uint64_t)",
	"\"10.0.0.1\"",
	"\"::1\"",
	"/ x == 1 /",
	"{",
	"}",
	"(",
	")",
	";",
	",",
	"?",
	":",
	"+",
	"-",
	"*",
	"/",
	"%",
	"<<",
	">>",
	"&&",
	"||",
	"^^",
	"==",
	"!=",
	"<",
	"<=",
	"=",
	"+=",
	"--",
	"++",
	"!",
	"~",
	"0",
	"1",
	"-1",
	"0x7fffffffffffffff",
	"9223372036854775808",
	"18446744073709551615",
	"4294967296",
	"inline int y = 1;",
	"translator",
	"struct s { int a; char b[8]; };",
	"typedef int t;",
	"string",
	"int z[int];",
	"self string q;",
	"xlate <ipinfo_t *> (x)",
	"offsetof(struct sk_buff, len)",
	"$1",
	"$$1",
	"$target",
	"#pragma D option defaultargs\n",
	"#pragma D option zdefs\n",
	"\n",
	"if (x) { y = 1; } else {}",
};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	const char *word = words[seed / 16 % (sizeof(words) / sizeof(words[0]))];
	size_t n = strlen(word), at = size ? seed / 4096 % size : 0, cut = 0;

	if (seed % 4 == 0 || size + n > max)
		return LLVMFuzzerMutate(data, size, max);
	/* To the start of a word; sometimes instead of it. */
	while (at > 0 && at < size && data[at - 1] > ' ' && data[at - 1] != '(' && data[at - 1] != '[')
		at--;
	while (seed % 4 == 1 && at + cut < size && data[at + cut] > ' ' && !strchr("()[];,", data[at + cut]))
		cut++;
	memmove(data + at + n, data + at + cut, size - at - cut);
	memcpy(data + at, word, n);
	return size + n - cut;
}

/* ---- one text ---------------------------------------------------------------------------------------------------- */
static void check_image(const struct image *im)
{
	for (size_t i = 0; i < im->progs.n; i++) {
		must(im->progs.v[i].probe < im->probes.n);
		must(im->progs.v[i].code.n > 0);
	}
	for (size_t i = 0; i < im->epids.n; i++)
		must(im->epids.v[i].probe < im->probes.n);
	for (size_t i = 0; i < im->aggs.n; i++)
		must(im->aggs.v[i].map < im->maps.n && im->aggs.v[i].id == i);
}

static void load_it(const struct image *im)
{
	struct load_config c = { .image = im, .features = features, .bufsize = 4096, .owner = *owner_maps(owner) };
	struct loaded *l = NULL;
	struct why why = WHY_INIT(why);
	int r = load_image(&c, &l, &why.to);

	if (r)
		fprintf(stderr, "not loaded: %s\n", why.text);
	must(!r || r == -ENOMEM || r == -E2BIG);
	load_free(l);
}

/* The kernel's types know the compilation that they were made for by its arena, which may lie where the last one did:
 * another in between makes them forget. */
static void forget_types(void)
{
	static struct types *other;

	if (!other)
		other = types_new(arena_new(), &ktypes);
	(void)ktypes.find(ktypes.ctx, other, T_STRUCT, "sk_buff");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const argv[] = { "script", "5", "name" };
	struct arena *a = arena_new();
	struct compilation c = { .arena = a, .hz = 250, .lenv = lenv };
	struct options o;
	int r;

	must(a);
	if (btf)
		forget_types();
	options_init(&o);
	o.argref = true;
	c.diags = diags_new(a);
	c.opts = &o;
	c.ktypes = btf ? &ktypes : NULL;
	c.macros.argc = 3;
	c.macros.argv = argv;
	c.macros.number = number;
	compile_add(&c, TEXT_SCRIPT, "fuzz", (const char *)data, size);
	r = compile_run(&c, size & 1 ? STAGE_BPF : STAGE_IR, null);
	must((r != 0) == (diags_errors(c.diags) != 0));
	diags_print(c.diags, null);
	if (!r)
		check_image(&c.image);
	if (!r && load)
		load_it(&c.image);
	arena_free(a);
	return 0;
}
