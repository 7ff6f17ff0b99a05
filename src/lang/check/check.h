/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check: gives each expression its type and each name its symbol.
 * Input: a parsed program; the probes' arguments as struct probe_sig. Output: the same tree with types and symbols, or
 * diagnostics. Invariant: pure; it asks the kernel only through struct ktypes.
 * A translator of the library is checked when a script first uses a member of it. */
#ifndef DWIRE_LANG_CHECK_CHECK_H
#define DWIRE_LANG_CHECK_CHECK_H
#include "abi/abi.h"
#include "lang/ast.h"
#include "lang/format.h"
#include "lang/types.h"

/* ---- built-in names: one list each makes enum, table and hints --------------------------------------------------- */
/* clang-format off */
#define BUILTINS(X) /* name, type */                                                                       \
	X(pid, int32) X(ppid, int32) X(tid, int32) X(uid, uint32) X(gid, uint32) X(execname, string)        \
	X(timestamp, uint64) X(vtimestamp, uint64) X(walltimestamp, int64) X(cpu, int32) X(id, uint32)      \
	X(epid, uint32) X(probeprov, string) X(probemod, string) X(probefunc, string) X(probename, string)  \
	X(curthread, thread) X(errno, int32) X(args, args) X(arg0, int64) X(arg1, int64) X(arg2, int64)     \
	X(arg3, int64) X(arg4, int64) X(arg5, int64) X(arg6, int64) X(arg7, int64) X(arg8, int64)           \
	X(arg9, int64) X(zonename, string) X(caller, uint64) X(ucaller, uint64) X(stackdepth, uint32)                \
	X(ustackdepth, uint32) X(samplerate, uint64)
/* clang-format on */
enum builtin {
#define X(n, t) BI_##n,
	BUILTINS(X)
#undef X
		BI_COUNT
};

/* FC_SYM: recorded as addresses, printed as names. */
enum func_class { FC_ACTION, FC_AGG, FC_SUBR, FC_DLIB, FC_SYM };
/* X(name, class, least and most arguments, prototype). A function without a prototype has its own checking code. A
 * prototype has a letter for each argument: s a string, or what points to characters; n likewise, or NULL; i an
 * integer; a an address as an integer; p a pointer; 6 one to a struct in6_addr. Then the result: s string, i int,
 * l int64_t, z size_t, u uint32_t, p void *, v nothing. */
/* clang-format off */
#define FUNCS(X) \
	X(trace, FC_ACTION, 1, 1) X(printf, FC_ACTION, 1, 1000) X(printa, FC_ACTION, 1, 256)                  \
	X(exit, FC_ACTION, 1, 1) X(clear, FC_ACTION, 1, 1) X(trunc, FC_ACTION, 1, 2)                         \
	X(normalize, FC_ACTION, 2, 2) X(denormalize, FC_ACTION, 1, 1)                                        \
	X(print, FC_ACTION, 1, 1) X(system, FC_ACTION, 1, 1000) X(freopen, FC_ACTION, 1, 1000)                \
	X(ftruncate, FC_ACTION, 0, 0) X(snapshot, FC_ACTION, 0, 0)                                          \
	X(setopt, FC_ACTION, 1, 2) X(tracemem, FC_ACTION, 2, 64) X(pcap, FC_ACTION, 1, 2)                   \
	X(raise, FC_ACTION, 1, 1) X(stop, FC_ACTION, 0, 0) X(panic, FC_ACTION, 0, 0)                         \
	X(breakpoint, FC_ACTION, 0, 0) X(chill, FC_ACTION, 1, 1)                                             \
	X(copyout, FC_ACTION, 3, 3, "pai", 'v') X(copyoutstr, FC_ACTION, 3, 3, "sai", 'v') \
	X(speculate, FC_ACTION, 1, 1) X(commit, FC_ACTION, 1, 1) X(discard, FC_ACTION, 1, 1)                 \
	X(speculation, FC_SUBR, 0, 0)                                                                        \
	X(count, FC_AGG, 0, 0) X(sum, FC_AGG, 1, 1) X(avg, FC_AGG, 1, 1) X(min, FC_AGG, 1, 1)                \
	X(max, FC_AGG, 1, 1) X(stddev, FC_AGG, 1, 1) X(quantize, FC_AGG, 1, 2)                               \
	X(lquantize, FC_AGG, 3, 5) X(llquantize, FC_AGG, 5, 6)                                               \
	X(stack, FC_SYM, 0, 64) X(ustack, FC_SYM, 0, 64) X(jstack, FC_SYM, 0, 64) X(func, FC_SYM, 1, 1)      \
	X(sym, FC_SYM, 1, 1) X(mod, FC_SYM, 1, 1) X(ufunc, FC_SYM, 1, 1) X(usym, FC_SYM, 1, 1)               \
	X(umod, FC_SYM, 1, 1) X(uaddr, FC_SYM, 1, 1)                                                         \
	X(d_path, FC_SUBR, 1, 1)                                                                             \
	X(pcap_match, FC_SUBR, 1, 1)                                                                         \
	X(netcounter, FC_SUBR, 1, 1) X(netcounter_moved, FC_SUBR, 1, 1)                                      \
	X(inet_in, FC_SUBR, 2, 2) X(rand, FC_SUBR, 0, 0) X(progenyof, FC_SUBR, 1, 1)                         \
	X(ntohs, FC_SUBR, 1, 1) X(ntohl, FC_SUBR, 1, 1) X(ntohll, FC_SUBR, 1, 1) X(htons, FC_SUBR, 1, 1)     \
	X(htonl, FC_SUBR, 1, 1) X(htonll, FC_SUBR, 1, 1)                                                     \
	X(alloca, FC_SUBR, 1, 1, "i", 'p') X(basename, FC_SUBR, 1, 1, "s", 's') X(bcopy, FC_SUBR, 3, 3, "ppi", 'v') \
	X(cleanpath, FC_SUBR, 1, 1, "s", 's') X(copyin, FC_SUBR, 2, 2, "ai", 'p') \
	X(copyinstr, FC_SUBR, 1, 2, "ai", 's') \
	X(copyinto, FC_SUBR, 3, 3, "aip", 'v') X(dirname, FC_SUBR, 1, 1, "s", 's') \
	X(getmajor, FC_SUBR, 1, 1, "i", 'u') \
	X(getminor, FC_SUBR, 1, 1, "i", 'u') X(index, FC_SUBR, 2, 3, "ssi", 'i') X(inet_ntoa, FC_SUBR, 1, 1, "p", 's') \
	X(inet_ntoa6, FC_SUBR, 1, 1, "6", 's') X(inet_ntop, FC_SUBR, 2, 2, "ip", 's') \
	X(link_ntop, FC_SUBR, 2, 2, "ip", 's') \
	X(lltostr, FC_SUBR, 1, 2, "ii", 's') X(rindex, FC_SUBR, 2, 3, "ssi", 'i') X(strchr, FC_SUBR, 2, 2, "si", 's') \
	X(strjoin, FC_SUBR, 2, 2, "ss", 's') X(strlen, FC_SUBR, 1, 1, "s", 'z') X(strrchr, FC_SUBR, 2, 2, "si", 's') \
	X(json, FC_SUBR, 2, 2, "ss", 's') X(strstr, FC_SUBR, 2, 2, "ss", 's') X(strtok, FC_SUBR, 2, 2, "ns", 's') \
	X(strtoll, FC_SUBR, 1, 2, "si", 'l') \
	X(substr, FC_SUBR, 2, 3, "sii", 's') X(tolower, FC_SUBR, 1, 1, "s", 's') X(toupper, FC_SUBR, 1, 1, "s", 's') \
	X(__ip4, FC_DLIB, 1, 1)  /* string of an IPv4 address in network order */                            \
	X(__ip6, FC_DLIB, 1, 2)  /* ... of the struct in6_addr at a pointer, or its two words; IPv4-mapped as IPv4 */ \
	X(__user, FC_DLIB, 2, 2) /* the integer of 1, 2, 4 or 8 bytes at an address of the process; 0: not there */ \
	X(__dnshash, FC_DLIB, 1, 1) /* ... a number made of it, without regard to case, of at most 64 bytes */    \
	X(__dnsport, FC_DLIB, 1, 1) /* 1: the option dnsports has this port */                                \
	X(__isaddr, FC_DLIB, 1, 1) /* 1: the text at an address of the process is an address of IP itself */      \
	X(__zone, FC_DLIB, 1, 1) /* name of a network namespace by inode number */                            \
	X(__container, FC_DLIB, 2, 2) /* (tag of dw_str_tag, address of the id): a name, when it is printed */ \
	X(__loadavg, FC_DLIB, 0, 0) /* load averages and tasks, as text, when it is printed */                \
	X(__pkt, FC_DLIB, 2, 2) /* integer of so many bytes at an offset of the packet; 0: not there */             \
	X(__dnsname, FC_DLIB, 1, 1) /* the name of DNS at an offset of the packet, as text */                    \
	X(__dnswire, FC_DLIB, 1, 1) /* ... how many bytes it takes there; 0: it does not end */                 \
	X(__moved, FC_DLIB, 0, 0) /* counters of the network that moved since it was last printed, a line each */ \
	X(__linkspeed, FC_DLIB, 2, 2) /* (index, netns): a device's speed in Mb/s, as text, when it is printed */ \
	X(__owner, FC_DLIB, 1, 2) /* struct dw_owner of the socket at an address; NULL: no process; , 1: also of a */ \
			/* user's socket that is being closed */ \
	X(__mix, FC_DLIB, 2, 2) /* (number, word): dw_mix() of abi/abi.h, with the trace's secret factor */          \
	X(__machine, FC_DLIB, 1, 1) /* a number of struct dw_machine (abi/abi.h), as it was of late */              \
	X(__zoneid, FC_DLIB, 1, 1) /* 0 for the machine's first namespace, else the number */                 \
	X(__path, FC_DLIB, 2, 2) /* (struct dentry *, struct vfsmount *): the path there */                    \
	X(__psargs, FC_DLIB, 2, 2) /* (struct mm_struct *, size): the command line of the current process */   \
	X(__pagesize, FC_DLIB, 0, 0) /* of the running kernel, a constant */                                 \
	X(__pathdata, FC_DLIB, 0, 0) /* 1: the option pathdata; a constant */                                \
	X(__numa, FC_DLIB, 0, 0) /* the NUMA node of this CPU */                                             \
	X(__regs, FC_DLIB, 0, 0) /* struct pt_regs of the current process; NULL: a kernel thread */            \
	X(__enum, FC_DLIB, 3, 3) /* __enum("tag", "PREFIX", value): the enumerator's name without the prefix */ \
	X(__stamp, FC_DLIB, 2, 2) /* __stamp("name", key): when a stamp (image/probe.h) noted the key, ns */           \
	X(__stamped, FC_DLIB, 2, 2) /* ... the word that it noted */                                         \
	X(__former, FC_DLIB, 3, 3) /* __former("name", key, word): notes it; the word before, or this at first */   \
	X(__packet, FC_DLIB, 6, 6) /* (sk_buff, head, place, departure, flow, bytes): lower/packet.c */      \
	X(__packet_was, FC_DLIB, 2, 2) /* (identity, 0 to 2): place, time before; first place */         \
	X(__box, FC_DLIB, 1, 1) /* (a cgroup's node): its container, lower/box.c */                          \
	X(__nft, FC_DLIB, 7, 7) /* (what, expression, chain, chain, hooks, bits, generation): a rule, lower/nft.c */ \
	X(__xt, FC_DLIB, 5, 5) /* (what, table, IPv6, weight, per-CPU offset): a rule of iptables, lower/nft.c */ \
	X(__has, FC_DLIB, 1, 1)  /* 1 when the expression has a meaning on this kernel; decides ?: at compile time */
/* clang-format on */
enum func {
#define X(n, ...) FN_##n,
	FUNCS(X)
#undef X
		FN_COUNT
};
enum func_class func_class(enum func f);
/* What an action does. */
enum func_trait {
	FT_RECORD = 1,      /* it records data: the clause has a line of output */
	FT_DESTRUCTIVE = 2, /* it changes what is traced: only with -w */
	FT_KERNEL = 4,      /* it takes effect in the kernel: the consumer does not get it */
};
/* Bits of enum func_trait; 0 for functions that are no actions. */
unsigned func_traits(enum func f);
const char *func_name(enum func f);

struct checker;

/* ---- forms of strings: which of these a value may be, at run time ------------------------------------------------ */
enum form {
	FORM_LIT = 1,   /* a literal of the program: kept as its number */
	FORM_ADDR = 2,  /* an address */
	FORM_ZONE = 4,  /* a namespace's number */
	FORM_CHARS = 8, /* characters of an array, what follows the first NUL is zeroes */
	FORM_TEXT = 16, /* characters that a subroutine makes */
	FORM_NULL = 32, /* NULL, where a subroutine finds nothing; with FORM_TEXT only */
	FORM_BOX = 64,  /* a container, of which a name is printed */
	FORM_FLAGS = 127,
	/* form >> FORM_SHIFT: bytes that the text takes, NUL included, when it is characters or a literal */
	FORM_SHIFT = 8,
};
/* How a string with these forms is kept: as a number, tagged bytes, words (of at most CHARS_SHORT bytes), in memory. */
enum str_rep { REP_LIT, REP_TSTR, REP_CHARS, REP_TEXT };
#define CHARS_SHORT 32
enum str_rep form_rep(int form);
uint32_t form_chars(int form); /* REP_CHARS, REP_TEXT: bytes of the text, its NUL included */
uint32_t form_size(int form);  /* bytes in a key or record, a multiple of 8 (REP_LIT: 8) */
int form_of_array(const struct checker *ck, uint32_t nelems);
int form_of_text(const struct checker *ck, uint32_t size); /* of a subroutine's result of at most size bytes */
uint32_t checker_strsize(const struct checker *ck);
int form_join(int a, int b);

/* ---- symbols ----------------------------------------------------------------------------------------------------- */
enum sym_kind { SYM_VAR, SYM_ASSOC, SYM_INLINE, SYM_BUILTIN, SYM_AGG, SYM_FUNC, SYM_PARAM, SYM_CONST };

struct symbol {
	enum sym_kind kind;
	const char *name;
	enum var_scope scope;
	struct loc loc;
	struct type *type;      /* NULL: variable not typed yet */
	const char **key_names; /* of an aggregation: the names of its keys where it is filled first; or NULL */
	struct type **keys;
	size_t nkeys;
	uint32_t shared; /* not 0: it shares its map; its keys end with this number */
	uint32_t alike;  /* agg: the number of a group that has the same keys; 0: it is in none */
	int form;        /* strings: joined from all that is assigned */
	bool as_text;    /* strings: kept as text, since single characters are used; "" is not NULL */
	bool counted;    /* numbers are added to it in place */
	bool released;   /* 0 is assigned to it: an element of a structure is freed */
	int *key_forms;  /* by key */
	enum builtin builtin;
	enum func func;
	const struct inline_def *inl;
	struct symbol **params; /* of an inline array */
	int64_t value;          /* SYM_CONST */
	int64_t aggp[5];        /* lquantize: base, limit, step; llquantize: factor, low, high, steps */
	bool ready;             /* inline: value was checked */
	struct xlate_use *xl;   /* variable: keeps a translated pointer, that is, what its translator starts from */
	/* lower */
	uint32_t ages;   /* pkt->: the map of packets that have it, +1 */
	uint32_t words;  /* the map of its table (abi/words.h), +1; 0: it has none */
	size_t made;     /* the last program that makes elements: lowerer.nprograms, +1; of structures only */
	bool irqs;       /* agg: programs that run with interrupts off fill it */
	uint32_t number; /* agg: index in the image; variables: map or offset, +1 (0: none yet) */
	void *lowered;
};

/* Is it an element of a map: of an associative array, of a thread, of a packet? */
static inline bool symbol_is_dynamic(const struct symbol *s)
{
	return s->kind == SYM_ASSOC || s->scope == SCOPE_SELF || s->scope == SCOPE_PKT;
}
/* Is it s[i] of a string variable? */
bool is_text_element(const struct expr *e);

/* Marks an expression as a translated value: args[n] or xlate <T> (e). Members of it come from a translator. */
struct xlate_use {
	struct type *out;           /* the translated structure */
	const struct expr *in;      /* xlate: the operand; NULL: args */
	const struct xlator *xl;    /* of xlate; args: the probe's provider knows it */
	const struct xlator *whole; /* copied as a whole: the translator that says what becomes of strings */
	unsigned argno;
};

/* What a probe's clauses see as args[]. */
struct probe_sig {
	const char *prov, *mod, *func, *name;
	const char *const *args; /* D types, "csinfo_t *"; NULL-terminated */
	const char *raw; /* name of the structure the translators take: "dw_pkt"; NULL: args are not translated */
};

struct xl_member {
	struct xlator *xl;
	struct tyx_member_init *init;
};

/* a owns everything; d and ts are borrowed. strsize: bytes of a string with its NUL, cut to 1 .. 65536. */
struct checker *checker_new(struct arena *a, struct diags *d, struct types *ts, uint32_t strsize);
/* Calls use with every D text of a provider or type's name before its words are looked up, so that it can declare
 * them. text is NULL if everything is to be declared. */
void checker_use(struct checker *ck, void (*use)(void *ctx, const char *text), void *ctx);
/* Calls the function of checker_use(). */
void check_use(struct checker *ck, const char *text);
/* The number of frames of a stack(), ustack() or jstack() without an argument, and the upper limit. 0: the defaults
 * 20, 100, 50. */
void checker_frames(struct checker *ck, uint32_t stack, uint32_t ustack, uint32_t jstack, uint32_t most);
/* The bytes of a packet that pcap() keeps, unless it says. */
void checker_pcapsize(struct checker *ck, uint64_t bytes);
/* Hides a global name that the chosen version of D does not know yet. */
void checker_hide(struct checker *ck, const char *name);
/* ustack() in records copies this many bytes of the process's stack, in which DWARF finds the frames. 0: no copy; the
 * kernel follows frame pointers. */
void checker_ustackcopy(struct checker *ck, uint32_t bytes);
/* Checks the declarations of a program in order; clauses are skipped. Errors go to the diagnostics. */
void check_decls(struct checker *ck, struct program *p);
/* Checks a clause for the probes that it is enabled on. Errors go to the diagnostics. */
void check_clause(struct checker *ck, struct clause *c, const struct probe_sig *const *sigs, size_t nsigs);
/* Skips a clause whose probes do not exist, which was reported. What it assigns to counts as known, so that later
 * clauses get no errors because of it. */
void checker_forgo(struct checker *ck, const struct clause *c);
/* After all clauses: checks what printa(), clear(), trunc() and normalize() name, and the formats of printa(). An
 * aggregation may be printed before the clause that fills it. */
void check_agg_uses(struct checker *ck, struct program *p);
/* After all clauses: settles the forms of string variables and keys. */
void check_forms(struct checker *ck, struct program *p);
/* Two statements @x[keys] = func(value): have both the same keys, kept in the same form, and no effect but their own?
 * False before the forms are settled, if there are strings. */
bool agg_same_keys(const struct expr *x, const struct expr *y);
/* The structure that t extends: its first anonymous member. NULL: it extends none. */
const struct type *check_base(struct checker *ck, const struct type *t);
/* The translator from `struct raw *`, or from what raw extends, to out; checked on first use. NULL: there is none,
 * which is not reported. */
const struct xlator *check_xlator(struct checker *ck, const char *raw, const struct type *out);
/* The same from a value of type in, for xlate. */
const struct xlator *check_xlator_from(struct checker *ck, const struct type *in, const struct type *out);
/* The expression by which the translator makes a member. NULL: it does not make it, or after an error. */
struct expr *check_xl_member(struct checker *ck, const struct xlator *xl, const char *member);
/* Checks an expression of a provider's table, in which P is a `struct raw *`. *param: the symbol of P. False after an
 * error. */
bool check_site_expr(struct checker *ck, struct expr *e, const char *raw, struct symbol **param);
struct symbol *xlator_param(struct checker *ck, const struct xlator *xl);
/* The form of a string expression: bits of enum form and a length. 0: it is no string. */
int expr_form(struct checker *ck, const struct expr *e);
/* never.c: is a checked predicate always 0? False for NULL and in doubt. */
bool expr_never(const struct expr *e);
/* Is the truth of a checked expression known before anything of it runs that is not constant? False in doubt. */
bool expr_decided(const struct expr *e, bool *truth);
/* Is it NULL? A string can be compared with it and can be assigned it. */
bool expr_is_null(struct types *ts, const struct expr *e);
/* The variable, inline, aggregation ("@name"), function or action of that name; NULL: there is none. Borrowed. */
const struct symbol *checker_find(struct checker *ck, const char *name);
struct types *checker_types(struct checker *ck);
/* Is there an exit() in what was checked? */
bool checker_exits(const struct checker *ck);
/* All aggregations in order of appearance. Returns their number; *aggs is borrowed. */
size_t checker_aggs(struct checker *ck, struct symbol ***aggs);
#endif
