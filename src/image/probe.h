/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe: the sites of probes and the data that they provide. A probe is an event with a meaning; a provider is a
 * table of probes; a site is a place in the kernel where a probe can be observed. The tables of src/prov consist of
 * these structures, and the compiler reads them. */
#ifndef DWIRE_IMAGE_PROBE_H
#define DWIRE_IMAGE_PROBE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stability.h"
#include "image/image.h"

/* One place where a probe is observed. A probe may need several at once: all usable sites of its tier are used, and
 * each event passes exactly one. Functions (ATTACH_FENTRY, ATTACH_FEXIT) are sites of two tiers: the kprobes tier
 * reaches them by kprobes. */
struct site {
	enum attach_kind attach;
	const char
		*target; /* ATTACH_TP_BTF: the tracepoint; ATTACH_FENTRY, _FEXIT: the function, NULL: the probe's own */
	const char *module; /* of the function; NULL: the kernel itself, or the probe's where it is its own. Of a
			     * tracepoint: where it is if the kernel itself has it not */
	unsigned nargs;     /* arguments that the tracepoint or function must have at least */
	/* D structure that names the site's data: member i is argument i. A function's result is "retval". */
	const char *native;
	const char *when;  /* D expression over P, a struct dw_pkt: the site fires the probe only when true; or NULL */
	const char *value; /* D expression over P: the probe's argument that is an integer, not a structure; or NULL */
	/* D expressions over P, NULL-terminated: arg0, arg1, ... and those args[] that are no structures. NULL: as
	 * the attach point provides them. */
	const char *const *values;
	/* Many probes share this place. A D expression over P gives the number of the one that fires (struct probe,
	 * number). All enabled ones share one program. */
	const char *number;
	bool by_cookie; /* ... the number is the cookie of the attachment; each probe has places of its own */
	const struct uplace *places; /* uprobes: where it is; NULL: the probe's own */
	size_t nplaces;
	const struct ufunctions *functions; /* ... or those functions, in every process */
	bool inside;                        /* ATTACH_KPROBE: at the instruction off bytes from the function's start */
	uint64_t off;
	const struct site *partner; /* of a function's entry: its return, and the other way round */
	const struct uarg *uargs;   /* uprobes: where the arguments are; NULL: as functions get theirs */
	size_t nuargs;
	/* At sys_enter and sys_exit: only these system calls matter, NULL-terminated; or NULL. They have tracepoints
	 * of their own, which spare other calls the cost. Calls of 32-bit programs do not pass those. */
	const char *const *calls;
	const char *error; /* D expression over P: errno; NULL: 0 */
	const char *task;  /* member of native: the thread that the probe is about, where it is not the current one */
	unsigned hidden; /* bit i: argument i is a const void *, which verifiers before Linux 6.15 do not let be read */
	unsigned fewer;  /* ... and it must have fewer arguments than these: an older form; 0: any */
	bool bh_off;     /* runs only in softirq or with softirqs off: nothing of ours can interrupt it on its CPU */
	bool irqs_off;   /* runs with interrupts off, or may */
	bool entry_args; /* a function's end that needs its arguments: kprobes have them not */
	bool sk_only;    /* sock_ops: asks for the socket alone, which kernels before 6.2 can tell too */
	bool optional;   /* the probe loses some events, not all, where the kernel lacks this site */
	bool second;     /* it sees less: its tier is taken only where no other can be */
	const char *sees; /* for -l -v: what this site sees */
};

/* The location of an argument of a program's probe, as the compiler noted it. */
struct uarg {
	enum { UARG_CONST, UARG_REG, UARG_MEM, UARG_NONE } kind; /* NONE: cannot be read (floating point) */
	uint8_t size;                                            /* bytes: 1, 2, 4, 8 */
	bool is_signed;
	int16_t reg, index; /* offsets in struct pt_regs; -1: none */
	uint8_t scale;      /* UARG_MEM: reg + index * scale + value */
	uint8_t shift;      /* UARG_REG: bits that it begins at (%ah) */
	int64_t value;      /* constant, or displacement */
};

/* Functions of libraries. */
struct ufunctions {
	const char *const *objects; /* "libc.so.6"; patterns, NULL-terminated */
	const char *const *names;   /* NULL-terminated; the cookie is the number of the one that is called */
};

struct probe_def {
	const char *name;
	const char *const *args; /* D types of args[], NULL-terminated; NULL: none */
	const struct site *sites;
	size_t nsites;
	const char *meaning; /* for -l -v */
};

/* A stamp keeps the time of one event for a later one, by the address of a packet or another object. In dlib,
 * __stamp("NAME", key) is that time in ns, 0 if it was not seen; __stamped("NAME", key) is the word noted with it;
 * __former("NAME", key, word) notes a word itself. Programs at these sites run only if a script reads the stamp. */
enum stamp_op { STAMP_SET, STAMP_FIRST, STAMP_END }; /* note; note if nothing is; forget, after all readers there */
struct stamp_event {
	enum stamp_op op;
	struct site site;
	const char *key, *word; /* D expressions over P; word NULL: 0 */
};
struct stamp {
	const char *name;
	const struct stamp_event *events;
	size_t nevents;
};

/* The stability of the four names of a provider's probes and of their arguments. */
struct prov_stability {
	struct stability provider, module, function, name, args;
};

struct probe_source;
struct provider {
	const char *name;
	const struct prov_stability *stability; /* NULL: as that of providers that translate their arguments */
	const char *raw;                        /* structure that its translators take, "dw_pkt", or NULL */
	const char *module;
	const struct probe_def *probes;
	size_t nprobes;
	const struct stamp *stamps;
	size_t nstamps;
	/* Makes probes by name (tick-1s, profile-997). Returns 0 and sets *period_ns, or -EINVAL. NULL: only the
	 * table. */
	int (*by_name)(const char *name, uint64_t *period_ns);
	/* Probes from a list of the kernel: probes/lists.h. NULL: only the table. */
	const struct probe_source *source;
};

/* A probe as users see it: -l lists it and descriptions match it. Owned by the list. */
struct probe {
	uint32_t id;
	const struct provider *prov;
	const struct probe_def *def;
	const char *mod, *func, *name;
	const char *const *args; /* D types of args[], NULL-terminated; NULL: none */
	uint64_t period_ns;
	uint32_t number;      /* site.number: which one it is */
	const uint16_t *also; /* other numbers that it has there, ended by 0; or NULL */
	uint8_t ints, uints;  /* bit i: argument i is a signed or unsigned integer of 32 bits in a register of 64 */
	const struct uplace *places;
	size_t nplaces;
	const char *path; /* of programs and libraries: the file */
	bool program;     /* it is what the process executes: "a.out" */
};

#endif
