/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: DTrace's options (-x name=value, #pragma D option name=value, setopt()). */
#ifndef DWIRE_OPTIONS_OPTIONS_H
#define DWIRE_OPTIONS_OPTIONS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/stability.h"
#include "base/vec.h"

/* Where a command of -c waits for the trace: before it is executed; when its libraries are mapped and nothing of them
 * has run; when their and its own constructors have run; at main(). */
enum evaltime { EVAL_EXEC, EVAL_PREINIT, EVAL_POSTINIT, EVAL_MAIN };
enum bufpolicy { BUF_SWITCH, BUF_FILL, BUF_RING };
/* oformat: the output as text, as one document of records and aggregations, or as a stream of frames (--emit). */
enum oformat { OFMT_TEXT, OFMT_JSON, OFMT_XML, OFMT_HTML, OFMT_STREAM };

/* rows: printf and printa print rows of a table in this format. */
enum row_format { ROWS_NONE, ROWS_TEXT, ROWS_JSON, ROWS_CSV };
enum agg_encoding { ENC_UNSET, ENC_ASCII, ENC_UTF8 };

typedef VEC(const char *) option_list;

/* dnsports: ports besides 53 whose packets count as DNS. */
enum { PORTS_MAX = 16 };
struct port_list {
	uint16_t v[PORTS_MAX];
	size_t n;
};

/* How aggregations are sorted and laid out. */
struct agg_opts {
	bool sort_key;         /* aggsortkey: by key, then value */
	bool sort_rev;         /* aggsortrev */
	uint32_t key_pos;      /* aggsortkeypos: the key to compare first, from 0 */
	uint32_t agg_pos;      /* aggsortpos: the aggregation to compare first in a printa of several, from 0 */
	bool sort_sum;         /* aggsortsum: rows of several aggregations by the sum of their numbers */
	uint32_t rows;         /* aggrows: a printa shows at most so many rows, those with the highest values; 0: all */
	bool hist, pack, zoom; /* agghist, aggpack, aggzoom: other layouts of aggregations */
	enum agg_encoding encoding; /* of bars: blocks, or plain characters */
	uint64_t keep; /* aggkeep: bytes of this process for an aggregation's keys that the kernel has no room for */
	bool percpu;   /* aggpercpu: the part of each CPU, too */
};

struct options {
	uint64_t changes; /* by option_set(): who copies options compares it */

	/* of the compiler */
	bool zdefs;        /* -Z: descriptions that match nothing are fine */
	bool defaultargs;  /* missing $N is 0 or "" */
	bool argref;       /* an argument that no text reads is fine */
	bool empty;        /* a program without clauses is fine */
	bool pathdata;     /* provider path: TCP segments without data are not followed */
	bool legacycalls;  /* openat(AT_FDCWD, ...) and its like fire the probes of the old system calls */
	bool nolibs;       /* only the built-in libraries */
	bool cpp, cpphdrs; /* -C, -H */
	bool stdc_given;   /* -X */
	char stdc;         /* 'a', 'c', 's', 't' */
	bool verbose;      /* as -S */
	bool errtags, droptags;
	bool noresolve;      /* addresses are shown as numbers */
	bool inlines;        /* stacks show inlined functions */
	bool dwarf;          /* ustackunwind=dwarf */
	uint64_t ustackcopy; /* bytes of a process's stack for that */
	bool nodemangle;     /* names as the linker knows them */
	bool folded;         /* stackfmt=folded */
	enum evaltime evaltime;
	bool amin_given;
	struct stability amin; /* least stability of a statement */
	uint32_t version;      /* of D, see version_parse(); 0: the latest */
	const char *cpppath;   /* NULL: cpp */
	const char *syslibdir; /* NULL: none but what is built in */
	const char *netns;     /* the namespaces of netcounters, as inode numbers; NULL: our own */
	struct port_list dnsports;
	option_list cppargs; /* -D, -U, -I, in the order given, as cpp takes them */
	option_list libdirs; /* -L, libdir */
	uint32_t tree;       /* not 0: the syntax tree is shown */
	uint64_t strsize;
	uint64_t dynvarsize;                                         /* bytes; 0: default */
	uint64_t aggsize;                                            /* bytes; 0: default */
	uint64_t specsize;                                           /* bytes a speculation on each CPU */
	uint32_t nspec;                                              /* speculations at once */
	uint32_t stackframes, ustackframes, maxframes, jstackframes; /* 0: default */
	uint64_t jstackstrsize;
	uint64_t scratchsize;

	/* of the run */
	bool destructive;
	bool quiet;
	bool flowindent;
	bool rawbytes;
	const char *runtimeroot; /* the folder in which files of container runtimes are looked for; NULL: / */
	bool nosort;             /* temporal=no: one buffer after the other */
	bool bufresize_manual;
	enum bufpolicy bufpolicy;
	enum oformat oformat;
	enum row_format rows;
	bool cost;              /* at the end: what the trace itself took */
	uint32_t maxcpu;        /* parts per million of the machine's CPU time that it may take; 0: no limit */
	bool sample;            /* above maxcpu, firings are left out, and the trace does not end */
	bool samplescale;       /* counts and sums stand for the firings that were left out, too */
	uint32_t samplerate;    /* at first one firing in so many runs; 0: all */
	const char *capture;    /* the file of pcap()'s packets; "-": the output; NULL: freopen() says */
	bool capturelean;       /* the owner is in the interface's description, not in each packet's comments */
	uint64_t capturesize;   /* bytes; more begin another file; 0: no limit */
	uint64_t capturesecs;   /* seconds that a file is for; 0: no limit */
	uint32_t capturefiles;  /* how many files; 0: no limit */
	uint64_t pcapsize;      /* bytes of a packet that pcap() keeps unless it says */
	bool csvsafe;           /* rows=csv: no cell is a formula */
	bool rawshell;          /* traced text may be part of commands and of names of files */
	bool opretty, oall;     /* oformat=json,pretty; -O */
	int cpu;                /* -1: all */
	bool tpformat;          /* of tracepoints only their formats count */
	uint32_t tier;          /* enum tier + 1; 0: the best of each probe */
	uint32_t stackindent;   /* 14 */
	uint64_t bufsize;       /* bytes a CPU; 0: default */
	uint64_t switchrate_ns; /* 0: default */
	uint64_t aggrate_ns, statusrate_ns, cleanrate_ns;
	uint64_t walkrate_ns; /* between two walks over what there is; 0: there is one walk */
	bool walkend;         /* another walk before END */
	struct agg_opts agg;
};

/* May firings be left out? */
bool options_sample(const struct options *o);
void options_init(struct options *o);
/* "bufsize = 8m" -> "bufsize" and "8m"; *value NULL when there is no "=". In the arena. */
void option_split(struct arena *a, const char *text, const char **name, const char **value);

enum option_from { OPTION_COMMAND, OPTION_PRAGMA, OPTION_SETOPT };
/* Sets one option; value NULL: it was given without one. Returns 0; -ENOENT: no such option (*hint: the nearest name
 * or NULL); -EINVAL: bad value (*hint: what it takes); -EPERM: it cannot be set there, or no longer; -ENOTSUP: this
 * machine cannot provide it. Texts are copied into the arena. */
int option_set(struct options *o, struct arena *a, enum option_from from, const char *name, const char *value,
	const char **hint) __attribute__((warn_unused_result));
/* Is it the name of a boolean option that is on? */
bool option_is_set(const struct options *o, const char *name);
/* The number of a version of D, "1.2" or "1.2.3": 8, 12 and 12 bits, so that a later one is a larger number. */
bool option_version(const char *text, uint32_t *version);
/* The name of the i-th option that does something; NULL past the end. */
const char *option_name(size_t i);
/* DTrace's message for an error of option_set(). */
const char *option_error(int err);
#endif
