/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_btf: any bytes as the kernel's type information. The file is refused, or its types are made without reading
 * outside of it, and each walk through them ends. Mutations start from a small valid file that libbpf makes here. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <bpf/btf.h>

#include "../../src/kernel/btf/btf_file.c"
#include "kernel/btf/btf.h"
#include "lang/types.h"

#define ROWS(a) (sizeof(a) / sizeof((a)[0]))

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static struct btf *seed_btf;

static void add_types(struct btf *b)
{
	int n = btf__add_int(b, "int", 4, BTF_INT_SIGNED), s = btf__add_struct(b, "sock", 24), proto;

	btf__add_field(b, "family", n, 0, 0);
	btf__add_field(b, "flags", n, 32, 3);
	btf__add_field(b, "next", (int)btf__type_cnt(b), 64, 0);
	btf__add_ptr(b, s);
	btf__add_typedef(b, "sock_t", s);
	btf__add_const(b, s);
	btf__add_array(b, n, n, 4);
	btf__add_enum(b, "state", 4);
	btf__add_enum_value(b, "OPEN", 1);
	btf__add_union(b, "either", 8);
	btf__add_field(b, "a", n, 0, 0);
	proto = btf__add_func_proto(b, n);
	btf__add_func_param(b, "sk", s + 1);
	btf__add_func_param(b, "len", n);
	btf__add_func(b, "tcp_sendmsg", BTF_FUNC_STATIC, proto);
	btf__add_typedef(b, "btf_trace_tcp_probe", btf__add_ptr(b, proto));
	btf__add_var(b, "jiffies", BTF_VAR_GLOBAL_ALLOCATED, n);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	seed_btf = btf__new_empty();
	if (!seed_btf)
		abort();
	add_types(seed_btf);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	uint32_t len = 0;
	const void *raw = btf__raw_data(seed_btf, &len);

	if ((seed % 16 == 0 || size < 24) && raw && len <= max) {
		memcpy(data, raw, len);
		size = len;
	}
	return LLVMFuzzerMutate(data, size, max);
}

static void use_name(struct kbtf *k, struct types *ts, struct arena *a, const char *name)
{
	static const enum type_kind kinds[] = { T_STRUCT, T_UNION, T_ENUM, T_VOID };
	struct ktypes kt = kbtf_ktypes(k);
	struct ktracepoint tp;
	struct kfunction fn;
	struct ktype_enum *v;
	uint32_t bit;
	int64_t value;

	for (size_t i = 0; i < ROWS(kinds); i++) {
		struct type *t = kt.find(kt.ctx, ts, kinds[i], name);

		if (t && (t->kind == T_STRUCT || t->kind == T_UNION) && !t->complete)
			kt.complete(kt.ctx, ts, t);
		if (t)
			(void)type_find_member(ts, t, "none", &bit); /* walks through all that it contains */
		for (size_t m = 0; t && t->complete && t->kind != T_ENUM && m < t->nmembers && m < 8; m++)
			(void)kt.member_text(kt.ctx, a, t, m);
	}
	(void)kt.enumerator(kt.ctx, name, &value);
	(void)kt.enumerators(kt.ctx, a, name, &v);
	(void)kbtf_tracepoint(k, NULL, name, &tp);
	for (unsigned i = 0; i < 4; i++) {
		(void)kbtf_tracepoint_arg_text(k, a, NULL, name, i);
		(void)kbtf_function_arg_text(k, a, NULL, name, i);
	}
	(void)kbtf_function(k, NULL, name, &fn);
	(void)kbtf_var(k, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "sock", "sock_t", "state", "either", "OPEN", "tcp_sendmsg", "tcp_probe",
		"jiffies", "int" };
	int fd = memfd_create("btf", MFD_CLOEXEC);
	struct arena *a = arena_new();
	struct kbtf *k;
	char path[64];

	if (fd < 0 || !a || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (open_btf(NULL, path, &k) == 0) {
		struct ktypes kt = kbtf_ktypes(k);
		struct types *ts = types_new(a, &kt);

		for (size_t i = 0; i < ROWS(names); i++)
			use_name(k, ts, a, names[i]);
		kbtf_close(k);
	}
	arena_free(a);
	close(fd);
	return 0;
}
