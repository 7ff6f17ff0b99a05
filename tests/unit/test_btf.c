/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_btf: type information that no kernel would give: types that refer to themselves, that contain themselves, that
 * contain far too much, one name many times. Each question gets an answer, and soon. */
#include <sys/mman.h>

#include "../../src/kernel/btf/btf_file.c"
#include "lang/types.h"
#include "unit.h"

/* A file as btf(2) wants it: types are words, names are offsets in one string. */
struct file {
	uint32_t words[1 << 16];
	uint32_t n;     /* words used */
	uint32_t types; /* the last id */
	char names[4096];
	uint32_t names_len;
};

static uint32_t add_name(struct file *f, const char *name)
{
	uint32_t at = f->names_len;

	if (!*name)
		return 0;
	memcpy(f->names + at, name, strlen(name) + 1);
	f->names_len += (uint32_t)strlen(name) + 1;
	return at;
}

/* Its id. of: the type that it refers to, or its size. */
static uint32_t add(struct file *f, uint32_t kind, const char *name, uint32_t vlen, uint32_t of)
{
	f->words[f->n++] = add_name(f, name);
	f->words[f->n++] = kind << 24 | vlen;
	f->words[f->n++] = of;
	return ++f->types;
}

static void add_int(struct file *f)
{
	add(f, BTF_KIND_INT, "int", 0, 4);
	f->words[f->n++] = BTF_INT_SIGNED << 24 | 32;
}

static void add_member(struct file *f, const char *name, uint32_t type, uint32_t bit_off)
{
	f->words[f->n++] = add_name(f, name);
	f->words[f->n++] = type;
	f->words[f->n++] = bit_off;
}

static void add_array(struct file *f, uint32_t of, uint32_t n)
{
	add(f, BTF_KIND_ARRAY, "", 0, 0);
	f->words[f->n++] = of;
	f->words[f->n++] = 1;
	f->words[f->n++] = n;
}

static struct file *file_new(void)
{
	struct file *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	f->names_len = 1;
	return f;
}

static struct kbtf *open_and_free(struct file *f)
{
	struct btf_header h = { .magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(h),
		.type_len = f->n * 4,
		.str_off = f->n * 4,
		.str_len = f->names_len };
	struct kbtf *k = NULL;
	char path[64];
	int fd = memfd_create("btf", MFD_CLOEXEC);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	EXPECT(write(fd, &h, sizeof(h)) == (ssize_t)sizeof(h) && write(fd, f->words, f->n * 4) == (ssize_t)(f->n * 4) &&
		write(fd, f->names, f->names_len) == (ssize_t)f->names_len);
	EXPECT_INT(open_btf(NULL, path, &k), 0);
	close(fd);
	free(f);
	return k;
}

/* Types whose next is themselves, or each other: all are void, as D text and as types. */
static void test_circles(struct arena *a)
{
	static const char *const names[] = { "type_def", "qualified", "deep" };
	struct file *f = file_new();
	struct kbtf *k;
	struct ktypes kt;
	struct types *ts;
	uint32_t proto;

	add_int(f);
	add(f, BTF_KIND_TYPEDEF, "type_def", 0, 2);
	add(f, BTF_KIND_CONST, "", 0, 4);
	add(f, BTF_KIND_VOLATILE, "", 0, 3);
	add(f, BTF_KIND_TYPEDEF, "qualified", 0, 3);
	add(f, BTF_KIND_PTR, "", 0, 6);
	add(f, BTF_KIND_TYPEDEF, "pointer", 0, 6);
	add_array(f, 8, 1);
	add(f, BTF_KIND_TYPEDEF, "deep", 0, 8);
	proto = add(f, BTF_KIND_FUNC_PROTO, "", 5, 2);
	for (uint32_t i = 0; i < 5; i++) {
		f->words[f->n++] = 0;
		f->words[f->n++] = (const uint32_t[]){ 2, 3, 6, 8, 1 }[i];
	}
	add(f, BTF_KIND_FUNC, "fn", 0, proto);
	k = open_and_free(f);
	kt = kbtf_ktypes(k);
	ts = types_new(a, &kt);
	for (size_t i = 0; i < ROWS(names); i++) {
		struct type *t = types_typedef(ts, names[i]);

		while (t && t->kind == T_ARRAY)
			t = t->of;
		CHECK(t && t->kind == T_VOID, "%s", names[i]);
	}
	EXPECT(types_typedef(ts, "pointer")->kind == T_PTR);
	EXPECT_STR(kbtf_function_arg_text(k, a, NULL, "fn", 1), "unsigned long");
	EXPECT(strlen(kbtf_function_arg_text(k, a, NULL, "fn", 2)) < 100);
	EXPECT_STR(kbtf_function_arg_text(k, a, NULL, "fn", 4), "int");
	for (unsigned i = 0; i <= 5; i++)
		EXPECT(*kbtf_function_arg_text(k, a, NULL, "fn", i));
	EXPECT(kbtf_function(k, NULL, "fn", &(struct kfunction){ 0 }));
	kbtf_close(k);
}

/* Structures that contain themselves or 2^30 others have no members; those beside them have. */
static void test_containment(struct arena *a)
{
	static const char *const endless[] = { "self", "a", "b", "named", "s0" };
	struct file *f = file_new();
	struct kbtf *k;
	struct ktypes kt;
	struct types *ts;
	uint32_t bit;

	add_int(f);
	add(f, BTF_KIND_STRUCT, "self", 1, 8); /* 2 */
	add_member(f, "", 2, 0);
	add(f, BTF_KIND_STRUCT, "a", 1, 8); /* 3 */
	add_member(f, "", 4, 0);
	add(f, BTF_KIND_UNION, "", 1, 8); /* 4 */
	add_member(f, "", 5, 0);
	add_array(f, 3, 1);                 /* 5 */
	add(f, BTF_KIND_STRUCT, "b", 1, 8); /* 6 */
	add_member(f, "", 3, 0);
	add(f, BTF_KIND_FWD, "named", 0, 0);    /* 7 */
	add(f, BTF_KIND_STRUCT, "named", 1, 8); /* 8 */
	add_member(f, "", 7, 0);
	add(f, BTF_KIND_STRUCT, "list", 2, 16); /* 9 */
	add_member(f, "next", 10, 0);
	add_member(f, "", 11, 64);
	add(f, BTF_KIND_PTR, "", 0, 9);    /* 10 */
	add(f, BTF_KIND_STRUCT, "", 1, 8); /* 11 */
	add_member(f, "inner", 1, 32);
	for (uint32_t i = 0; i < 31; i++) { /* 12 is s0, ... */
		char name[8];

		snprintf(name, sizeof(name), "s%u", i);
		add(f, BTF_KIND_STRUCT, name, i < 30 ? 2 : 0, 8);
		for (int m = 0; m < 2 && i < 30; m++)
			add_member(f, "", 13 + i, 0);
	}
	k = open_and_free(f);
	kt = kbtf_ktypes(k);
	ts = types_new(a, &kt);
	for (size_t i = 0; i < ROWS(endless); i++) {
		struct type *t = types_tagged(ts, T_STRUCT, endless[i]);

		CHECK(t && !type_find_member(ts, t, "x", &bit) && t->complete && !t->nmembers, "%s", endless[i]);
	}
	EXPECT(type_find_member(ts, types_tagged(ts, T_STRUCT, "list"), "inner", &bit) && bit == 96);
	EXPECT_STR(kt.member_text(kt.ctx, a, types_tagged(ts, T_STRUCT, "list"), 0), "struct list *");
	kbtf_close(k);
}

/* An array whose size has no 32 bits would be small after all. */
static void test_sizes(struct arena *a)
{
	struct file *f = file_new();
	struct kbtf *k;
	struct ktypes kt;
	struct types *ts;

	add_int(f);
	add_array(f, 1, 0x40000001);
	add(f, BTF_KIND_TYPEDEF, "large", 0, 2);
	add_array(f, 1, 0x3fffffff);
	add(f, BTF_KIND_TYPEDEF, "fits", 0, 4);
	k = open_and_free(f);
	kt = kbtf_ktypes(k);
	ts = types_new(a, &kt);
	EXPECT(types_typedef(ts, "large")->kind == T_VOID);
	EXPECT(types_typedef(ts, "fits")->size == 0xfffffffc);
	kbtf_close(k);
}

/* 20,000 types of one name: as many as the table takes of them, and all others are still found. */
static void test_one_name(void)
{
	struct file *f = file_new();
	uint32_t name = add_name(f, "same"), used = 0;
	struct kbtf *k;

	for (uint32_t i = 0; i < 20000; i++) {
		add(f, BTF_KIND_TYPEDEF, "", 0, 0);
		f->words[f->n - 3] = name;
	}
	add(f, BTF_KIND_TYPEDEF, "other", 0, 0);
	k = open_and_free(f);
	for (uint32_t i = 0; i < k->nslots; i++)
		used += k->slots[i] != 0;
	EXPECT(used <= INDEX_PROBES + 1);
	EXPECT_INT(kbtf_find_id(k, "same", 1u << BTF_KIND_TYPEDEF), 1);
	EXPECT_INT(kbtf_find_id(k, "other", 1u << BTF_KIND_TYPEDEF), 20001);
	kbtf_close(k);
}

/* Each compilation has types of its own, though both use one arena. */
static void test_compilations(struct arena *a)
{
	struct file *f = file_new();
	struct type *first;
	struct kbtf *k;
	struct ktypes kt;

	add(f, BTF_KIND_STRUCT, "sock", 0, 8);
	k = open_and_free(f);
	kt = kbtf_ktypes(k);
	first = types_tagged(types_new(a, &kt), T_STRUCT, "sock");
	EXPECT(first && first != types_tagged(types_new(a, &kt), T_STRUCT, "sock"));
	kbtf_close(k);
}

int main(void)
{
	struct arena *a = arena_new();

	if (!a)
		abort();
	test_circles(a);
	test_containment(a);
	test_sizes(a);
	test_one_name();
	test_compilations(a);
	arena_free(a);
	return unit_end();
}
