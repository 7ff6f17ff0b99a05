/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe: the sites of probes and the data that they provide. A probe is an event with a meaning; a provider is a
 * table of probes; a site is a place in the kernel or a program where a probe can be observed.
 * The tables of src/prov consist of these structures; the compiler reads them. Tables are constant; probes that are
 * made while a trace starts (pid, usdt, fbt) are in the compilation's arena. Strings are borrowed. */
#ifndef DWIRE_IMAGE_PROBE_H
#define DWIRE_IMAGE_PROBE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stability.h"
#include "image/image.h"

/* The location of an argument of a program's probe, as the compiler noted it (symbols/elf/sdtargs.h). */
struct uarg {
	/* UARG_CONST: value; UARG_REG: a register; UARG_MEM: memory at reg + index * scale + value; UARG_NONE: a place
	 * that programs cannot read, such as a floating-point register */
	enum { UARG_CONST, UARG_REG, UARG_MEM, UARG_NONE } kind;
	uint8_t size;       /* bytes: 1, 2, 4 or 8 */
	bool is_signed;     /* the value is extended with its sign */
	int16_t reg, index; /* byte offsets in struct pt_regs; -1: none */
	uint8_t scale;      /* UARG_MEM: 1, 2, 4 or 8 */
	uint8_t shift;      /* UARG_REG: the first bit of the value in the register; 8 for %ah */
	int64_t value;      /* UARG_CONST: the value; UARG_MEM: displacement in bytes */
};

/* Functions of libraries, in every process that maps one. */
struct ufunctions {
	const char *const *objects; /* file names without a directory, patterns allowed: "libc.so.6"; ended by NULL */
	const char *const *names;   /* ended by NULL; the cookie is the index of the function that is called */
};

/* What a site in a program or library has beyond other sites: where it is, and where its arguments are. */
struct user_site {
	const struct uplace *places; /* of this site alone; NULL: struct probe has them */
	size_t nplaces;
	const struct uarg *args; /* NULL: in the registers and on the stack, as functions get them */
	size_t nargs;
	const struct ufunctions *functions; /* instead of places: the compiler looks for them; or NULL */
};

/* One place where a probe is observed. A probe may need several at once: all usable sites of its tier are used, and
 * each event passes exactly one. Functions (ATTACH_FENTRY, ATTACH_FEXIT) are sites of two tiers: the kprobes tier
 * reaches them by kprobes. All members but attach may be 0. P below is the site's data, a struct dw_pkt or what the
 * provider's raw says. */
struct site {
	/* ---- where it is: lower/site, lower/prog.c, lower/tiers.c */
	enum attach_kind attach;
	/* ATTACH_TP_BTF: the tracepoint; ATTACH_EVENT: "GROUP/NAME"; ATTACH_FENTRY, _FEXIT, _KPROBE: the function, or
	 * NULL: the probe's own */
	const char *target;
	/* Of a function: the module that it is in; NULL: the kernel itself, or the probe's if the function is the
	 * probe's. Of a tracepoint: the module to look in if the kernel itself does not have it. */
	const char *module;
	uint64_t off;                 /* inside: the instruction, in bytes from the function's start */
	bool inside;                  /* ATTACH_KPROBE: at an instruction in the middle of a function */
	const struct user_site *user; /* ATTACH_UPROBE, ATTACH_URETPROBE; NULL: struct probe has its places */
	/* ATTACH_TP_BTF at sys_enter or sys_exit: only these system calls matter; ended by NULL; or NULL. Their single
	 * tracepoints spare other calls the cost. Calls of 32-bit programs do not pass those. */
	const char *const *calls;
	const struct site *partner; /* of a function's entry: its return; of the return: its entry */

	/* ---- what it needs of the kernel: lower/tiers.c */
	unsigned nargs; /* the tracepoint or function has at least as many arguments */
	unsigned fewer; /* ... and fewer than these: an older form; 0: any number */
	unsigned typed; /* bit i: argument i points to a structure; in another form of the tracepoint it is a number */
	/* bit i: argument i is a const void *, which programs at tracepoints cannot read before Linux 6.15, or another
	 * that programs cannot read */
	unsigned hidden;
	/* Also what this site needs: without the notes that are taken there, its condition would never hold. */
	const struct site *with;
	/* A function's return that reads its arguments: fexit has them, kretprobes do not. Also a site that is of no
	 * use in a tier without such returns. */
	bool entry_args;
	bool sk_only;  /* sock_ops: reads the socket alone, which works before Linux 6.2 too */
	bool optional; /* without this site the probe loses some events, not all */
	bool second;   /* it sees less than other sites: its tier is taken only if no other can be */

	/* ---- what its data are: D, checked and lowered for each probe */
	const char *native; /* D structure of the site's data: member i is argument i, "retval" the result */
	const char *when;   /* fires the probe only if this expression over P is true; NULL: always */
	const char *look;   /* a cheap test over P that is true wherever `when` is; programs at the same place share
				    * it (lower/join.c). NULL: none */
	const char *value;  /* the probe's single argument, an integer: an expression over P; or NULL */
	const char *const *values; /* arg0, arg1, ... and those args[] that are integers: expressions over P, ended by
				    * NULL. NULL: as the attach point provides them */
	const char *error;         /* errno: an expression over P; NULL: 0 */
	const char *task;          /* member of native: the thread that the probe is about; NULL: the current one */

	/* ---- several probes in one program: lower/multi.c */
	const char *number; /* expression over P: struct probe's number of the one that fires; or NULL */
	bool by_cookie;     /* the attachment's cookie is that number: each probe has its own places */

	bool leaves; /* packets leave here, those of datagram sockets in the thread that sends them */
	bool step;   /* TCP connections are listed here or change their states: the owner of a connection that a process
		      * uses for the first time need not be known before its packet leaves */

	/* ---- what can interrupt it: lower/state/agg.c */
	bool bh_off;   /* runs in softirq or with softirqs off: on its CPU only programs with irqs_off
			* interrupt it */
	bool irqs_off; /* runs with interrupts off, or may */

	bool one_cpu; /* ATTACH_PERF with a period: fires on one CPU. The other site, by hand, fires if it does not */

	const char *sees; /* what this site sees, for -l -v */
};

/* A probe in a provider's table. */
struct probe_def {
	const char *name;
	const char *const *args;  /* D types of args[], ended by NULL; NULL: none */
	const struct site *sites; /* any order: lower/tiers.c chooses */
	size_t nsites;
	const char *meaning; /* one sentence without a full stop, for -l -v */
};

/* A stamp keeps the time of one event for a later one, by the address of a packet or another object. In dlib,
 * __stamp("NAME", key) is that time in ns, 0 if it was not seen; __stamped("NAME", key) is the word noted with it;
 * __former("NAME", key, word) notes a word itself. Programs at these sites run only if a script reads the stamp. Events
 * at functions are optional, also for probes of the hooks tier. */
enum stamp_op {
	STAMP_SET,   /* note the time */
	STAMP_EACH,  /* the same, for each packet: such notes are in tables (lower/stamp.c). All of a stamp, or none */
	STAMP_FIRST, /* note it unless one is noted */
	STAMP_END    /* forget it, after all probes at this site have read it */
};
struct stamp_event {
	enum stamp_op op;
	struct site site;
	const char *key;  /* D expression over P: the address, or number */
	const char *word; /* D expression over P: the word to note; NULL: 0 */
	/* A function in place of a hook, which another event has: only for probes at functions. Beside the hook it
	 * would note the same packet earlier or later than the hook's readers expect. */
	bool instead;
	/* In all events of a stamp: those of a key are on one CPU, and keys are numbers below this, so each CPU has
	 * separate notes. 0: keys are addresses. */
	uint32_t percpu;
};
struct stamp {
	const char *name; /* of __stamp() */
	const struct stamp_event *events;
	size_t nevents;
};

/* The stability of the four names of a provider's probes and of their arguments. */
struct prov_stability {
	struct stability provider, module, function, name, args;
};

/* Counters of the kernel, of a network namespace, whose sum counts the events of a probe: "Tcp:OutSegs Tcp:RetransSegs"
 * of /proc/net/snmp, "Udp6OutDatagrams" of /proc/net/snmp6. They hold for traffic without loss and fragments. */
struct prov_counter {
	const char *probe; /* its name; NULL ends the table */
	const char *counters;
};

struct probe_source;
struct provider {
	const char *name;
	const struct prov_stability *stability; /* NULL: as that of providers that translate their arguments */
	const char *raw;    /* structure that its translators take, such as "dw_pkt"; NULL: it has none */
	const char *module; /* module of its probes' names, for -l; NULL: none */
	const struct probe_def *probes;
	size_t nprobes;
	const struct stamp *stamps;
	size_t nstamps;
	const struct stamp *shared; /* those that many providers have */
	size_t nshared;
	/* Where packets end: key is the memory that is given back, word the sk_buff, which is forgotten. */
	const struct stamp *packet_ends;
	const struct prov_counter *counters; /* or NULL */
	bool datagrams;                      /* its probes show no socket of TCP or MPTCP */
	/* Makes a probe by its name (tick-1s, profile-997), like the one of the table that has the same name up to the
	 * last dash: sets *period (ns; cpc: events) and returns 0, or returns -EINVAL. NULL: the provider has only the
	 * probes of its table. */
	int (*by_name)(const char *name, uint64_t *period);
	/* D expression over P: arg0, where neither a site nor its types give it; NULL: the site's first value. */
	const char *arg0;
	/* Why there is no probe of that name; NULL: no special reason. May be NULL. */
	const char *(*refuses)(const char *name);
	/* Makes probes from a list of the kernel (probes/lists.h). NULL: the table is all. */
	const struct probe_source *source;
};

/* A probe as users see it: -l lists it and descriptions match it. The list owns it. */
struct probe {
	uint32_t id; /* from 1 on, as -l shows it */
	const struct provider *prov;
	const struct probe_def *def;
	const char *mod, *func, *name; /* "" where it has none */
	const char *const *args;       /* D types of args[], ended by NULL; NULL: none */
	uint64_t period_ns;            /* tick, profile; cpc: events; else 0 */
	uint32_t number;               /* what site.number yields for it */
	const uint16_t *also;          /* other such numbers, ended by 0; or NULL */
	uint8_t ints, uints;           /* bit i: argument i is a signed, an unsigned integer of 32 bits */
	const struct uplace *places;   /* uprobes: the instructions to attach to */
	size_t nplaces;
	const char *path;           /* uprobes: the program or library */
	bool program;               /* path is what the process executes: "a.out" */
	const char *const *aliases; /* other names of func, ended by NULL; NULL: none */
};

#endif
