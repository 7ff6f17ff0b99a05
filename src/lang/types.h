/* SPDX-License-Identifier: GPL-2.0-or-later */
/* types: the types of D and of the kernel, and the conversions between them. Pure: types of the kernel come through
 * struct ktypes. The compilation's arena owns all memory. */
#ifndef DWIRE_LANG_TYPES_H
#define DWIRE_LANG_TYPES_H
#include <stdint.h>

#include "abi/arch.h"
#include "base/diag/diag.h"
#include "base/strmap.h"
#include "lang/ast.h"

enum type_kind { T_VOID, T_INT, T_FLOAT, T_ENUM, T_PTR, T_ARRAY, T_STRUCT, T_UNION, T_FUNC, T_STRING };

/* How the values of func(), stack() and the like are kept and printed. */
enum type_special {
	SPECIAL_NONE,
	SPECIAL_SYM,    /* kernel address: printed as its function */
	SPECIAL_MOD,    /* ... as its module */
	SPECIAL_USYM,   /* process, address: printed as its function */
	SPECIAL_UMOD,   /* ... as its file */
	SPECIAL_UADDR,  /* ... as its function and the distance from it */
	SPECIAL_STACK,  /* frames, 0 after the last */
	SPECIAL_USTACK, /* process, frames */
	SPECIAL_UCOPY   /* process, registers, a copy of its stack */
};

struct type_member {
	const char *name; /* NULL: anonymous */
	struct type *type;
	uint32_t bit_off; /* from the start of the structure */
	uint32_t bits;    /* bit-fields: width; else 0 */
	int form;         /* strings of a script's own structures: joined from all that is assigned, see check.h */
};

struct ktype_enum {
	const char *name;
	int64_t value;
};

struct type {
	enum type_kind kind;
	const char *name;  /* "int", tag of a struct without the word, "" */
	const char *alias; /* the typedef name it was reached by, or NULL */
	uint32_t size;     /* bytes; 0 while incomplete */
	bool is_signed;
	bool complete; /* struct, union: members are there */
	enum type_special special;
	struct type *of; /* pointer, array, function result */
	uint32_t nelems; /* array */
	struct type_member *members;
	size_t nmembers;
	struct ktype_enum *enums; /* of an enum of the script; the kernel is asked for its own */
	size_t nenums;
	uint32_t btf_id;    /* struct, union of the kernel: its id in vmlinux BTF; else 0 */
	void *module;       /* of a module of the kernel: whose; else NULL */
	uint32_t module_id; /* ... its id there */
	struct type *canon; /* aliases: the type they name; else itself */
};

/* Words of struct pt_regs, and which one is the stack pointer: what SPECIAL_UCOPY has of a thread. */
enum { UCOPY_REGS = ARCH_REGS_WORDS, UCOPY_SP = ARCH_REGS_SP / 8 };
#define UCOPY_HEAD (16 + 8 * UCOPY_REGS) /* bytes before the copy */

/* A variable or function of the kernel: `name. */
struct ksymbol {
	uint64_t addr;
	struct type *type; /* NULL: not known */
	uint32_t percpu;   /* each CPU has its own: its id in vmlinux BTF; else 0 */
	bool by_runqueue;  /* per CPU, address unknown: it lies distance bytes from the CPU's runqueue */
	int64_t distance;
};

/* Where kernel types come from (src/kernel/btf/btf.c), or none. */
struct types;

/* Where kernel types come from (src/kernel/btf/btf.c). Functions return types in the arena of ts. */
struct ktypes {
	void *ctx;
	/* Begins a compilation: the number that struct types keeps as its generation. NULL: there is none to keep. */
	uint64_t (*begin)(void *ctx);
	/* The type that the kernel calls so, incomplete structures allowed; kind T_STRUCT, T_UNION, T_ENUM, or T_VOID
	 * for a typedef. NULL when there is none. */
	struct type *(*find)(void *ctx, struct types *ts, enum type_kind kind, const char *name);
	/* Fills members, size and complete of a kernel structure. */
	void (*complete)(void *ctx, struct types *ts, struct type *t);
	/* The value of a kernel enumerator. */
	bool (*enumerator)(void *ctx, const char *name, int64_t *value);
	/* All enumerators of an enum, as an array in the arena, and their number; 0: no such enum. */
	size_t (*enumerators)(void *ctx, struct arena *a, const char *tag, struct ktype_enum **v);
	/* A symbol of a module (NULL or "": of any). 0; -ENOENT; -ENODEV: no such module; -ENODATA: the
	 * kernel has it, but does not say where; or another -errno. */
	int (*symbol)(void *ctx, struct types *ts, const char *module, const char *name, struct ksymbol *out);
	bool (*has_module)(void *ctx, const char *module);
	/* The type of a member as the kernel's source writes it, its typedef names kept; in the arena. */
	const char *(*member_text)(void *ctx, struct arena *a, const struct type *t, size_t member);
	/* Names like it, for hints; NULL when none is near. */
	const char *(*nearest)(void *ctx, enum type_kind kind, const char *name);
};

struct types {
	struct arena *arena;
	const struct ktypes *kernel; /* may be NULL */
	uint64_t generation;         /* from kernel->begin(): types of the kernel made for it are this compilation's */
	struct strmap *typedefs;     /* name -> struct type */
	struct strmap *tags;         /* "struct x", "union x", "enum x" -> struct type */
	struct strmap *enumerators;  /* name -> int64_t */
	struct strmap *constants;    /* inlines that are integer constants: name -> int64_t */
	struct strmap *declared;     /* typedefs of the script itself: name -> struct type */
	struct type *void_, *string, *int8, *uint8, *int16, *uint16, *int32, *uint32, *int64, *uint64, *char_, *bool_;
	struct type *long_, *ulong_, *longlong, *ulonglong, *float_, *double_, *ldouble;
};

struct types *types_new(struct arena *a, const struct ktypes *kernel);
/* The type of a written type; NULL after an error, which was added to d. Sizes of arrays must be constants. */
struct type *types_resolve(struct types *ts, struct diags *d, const struct tyx *x);
/* Is name a typedef name, of the script, the libraries or the kernel? */
bool types_is_name(struct types *ts, const char *name);
struct type *types_typedef(struct types *ts, const char *name);                    /* or NULL */
struct type *types_tagged(struct types *ts, enum type_kind kind, const char *tag); /* or NULL */
void types_add_typedef(struct types *ts, const char *name, struct type *t);
/* A complete type of size bytes. */
struct type *type_new(struct types *ts, enum type_kind kind, const char *name, uint32_t size, bool is_signed);
struct type *type_ptr(struct types *ts, struct type *of);
/* A structure of n bytes without members, for memory that is only copied and shown. */
struct type *type_memory(struct types *ts, uint32_t n);
struct type *type_array(struct types *ts, struct type *of, uint32_t n);
struct type *type_int(struct types *ts, uint32_t size, bool is_signed);
/* Reads the members of a kernel structure, if they have not been read. */
void type_complete(struct types *ts, struct type *t);
/* The member of that name, also in anonymous members; *bit_off counts from the start of t. NULL: there is none. */
struct type_member *type_find_member(struct types *ts, struct type *t, const char *name, uint32_t *bit_off);
/* The offset in bytes of a member of the structure with that tag. path: the member, then a member of it, ..., up to
 * NULL.
 * -1: there is none. */
int64_t types_offset(struct types *ts, const char *tag, const char *const *path);
/* A member whose name is near, for hints; or NULL. */
const char *type_nearest_member(struct types *ts, struct type *t, const char *name);
/* The type as a user would write it, in the arena. */
const char *type_name(struct types *ts, const struct type *t);
bool type_is_int(const struct type *t);     /* integers, enums, bool */
bool type_is_scalar(const struct type *t);  /* integers and pointers */
bool type_is_string(const struct type *t);  /* string, array of char; not char * */
bool type_is_float(const struct type *t);   /* float, double: kept and printed, but no operator takes them */
bool type_is_sou(const struct type *t);     /* structures and unions */
bool type_is_block(const struct type *t);   /* structures, unions, arrays: kept in memory as a whole */
bool type_is_kernels(const struct type *t); /* made of the BTF of the kernel or a module */
/* "struct", "union", "enum" */
const char *type_tag_word(enum type_kind kind);
/* Are they one type, for assignments and comparisons? */
bool type_same(const struct type *a, const struct type *b);
/* The type of an operator's result. D does not promote to int: one operand's type stays (an enumeration is an integer
 * of its size); of two operands the larger type wins, and of equal sizes the unsigned one. Values have 64 bits whatever
 * their type: it says how they compare, divide and shift, and how much of them a record keeps. */
struct type *type_operand(struct types *ts, struct type *t);
struct type *type_usual(struct types *ts, struct type *a, struct type *b);
/* consts.c: type of an integer literal by its value and suffix. */
struct type *types_literal(struct types *ts, const struct expr *e);
/* The value that an object of integer type t has after v was stored in it. */
int64_t types_wrap(const struct type *t, int64_t v);
/* The value of a constant expression: literals, sizeof, enumerators, casts, operators. False: it is not constant. */
bool const_eval(struct types *ts, struct diags *d, const struct expr *e, int64_t *value);
#endif
