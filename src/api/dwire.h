/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwire: libdwire, DTrace for the network stack of Linux as a library. libdwire(3) describes it.
 *
 *	dwire_new(&d);
 *	dwire_on_message(d, show, NULL);
 *	dwire_add(d, DWIRE_NAME, "-n", text, strlen(text));
 *	if (!dwire_compile(d) && !dwire_start(d)) {
 *		while (dwire_poll(d, -1) > 0)
 *			;
 *		dwire_end(d, &status);
 *	}
 *	dwire_free(d);
 *
 * Errors. A function that returns int returns 0 or -errno, unless its comment says otherwise. Each error that it
 * returns was reported first, as data, to the message handler.
 * Process. The library writes only to streams that it is given. It never exits, and leaves signals, the environment,
 * the working directory, limits and standard streams of the process alone. (Before Linux 5.11 it raises RLIMIT_MEMLOCK
 * if BPF's memory does not fit.) It starts processes for -c, -C and system(). Each program in the kernel and each
 * attachment takes a descriptor: raise RLIMIT_NOFILE to trace thousands of probes.
 * Threads. One thread at a time uses a handle. Only dwire_stop() may be called at any time, from any thread and from
 * signal handlers. The option cpu binds the thread that calls dwire_start() to that CPU until the same thread calls
 * dwire_end() or dwire_free(). A handle must not be used after fork() in the child. */
#ifndef DWIRE_H
#define DWIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A program and its trace. */
struct dwire;

/* "0.1.0" */
const char *dwire_version(void);

/* 0 or -ENOMEM, -EMFILE, ... */
int dwire_new(struct dwire **out) __attribute__((warn_unused_result));
/* Ends a trace that still runs, and the processes that it started. NULL is fine. */
void dwire_free(struct dwire *d);

/* ---- messages ---------------------------------------------------------------------------------------------------- */
enum dwire_level {
	DWIRE_ERROR,   /* a function fails */
	DWIRE_WARNING, /* the trace goes on, with less than was asked for */
	DWIRE_NOTE     /* a fact, such as the end of a traced process */
};

/* Texts are not escaped: they may hold what a process or a packet contained. */
struct dwire_message {
	enum dwire_level level;
	int error;          /* -errno, or 0 */
	const char *tag;    /* of D's errors: "D_SYNTAX"; or NULL */
	const char *text;   /* one sentence without a line feed */
	const char *hint;   /* the next step; or NULL */
	const char *detail; /* more lines, such as a log of the verifier; or NULL */
	/* Where in a D text; file NULL: nowhere in particular. */
	const char *file;
	size_t file_len; /* file is not terminated */
	unsigned line, column;
	const void *internal; /* for dwire_print_message() */
};

typedef void dwire_message_fn(void *ctx, const struct dwire_message *m);

/* The message and its texts are valid during the call. */
void dwire_on_message(struct dwire *d, dwire_message_fn *fn, void *ctx);
/* What a long operation waits for: "loading programs", done of total; total 0: it is unknown, and done only counts.
 * what NULL: that is over, or output is about to be written: a line on the terminal should go. Called often, in the
 * thread that called the library, also for what takes no time: the handler decides what is worth showing. what is
 * valid during the call. */
typedef void dwire_progress_fn(void *ctx, const char *what, uint64_t done, uint64_t total);
/* For compiling, starting and ending a trace, and reading files. */
void dwire_on_progress(struct dwire *d, dwire_progress_fn *fn, void *ctx);
/* Writes a message as text, escaped for a terminal: with the source line and a caret, or "program: text". */
void dwire_print_message(const struct dwire_message *m, const char *program, FILE *out);

/* ---- the program ------------------------------------------------------------------------------------------------- */
/* Sets an option: "quiet", "bufsize=8m". shown: what messages call it; NULL: the option itself. */
int dwire_set(struct dwire *d, const char *option, const char *shown) __attribute__((warn_unused_result));
/* The name of the i-th option; NULL past the end. */
const char *dwire_option_name(size_t i);
/* Is an option set that is on or off, as "quiet"? */
bool dwire_is_set(const struct dwire *d, const char *option);

/* What a text is: a whole program, or a probe's description with perhaps a predicate and actions. The numbers are those
 * of the library; new ones go to the end. */
enum dwire_kind { DWIRE_SCRIPT, DWIRE_PROVIDER, DWIRE_MODULE, DWIRE_FUNCTION, DWIRE_NAME, DWIRE_ID };

/* Adds a text. name: what messages call it. Both are copied. */
int dwire_add(struct dwire *d, enum dwire_kind kind, const char *name, const char *text, size_t len)
	__attribute__((warn_unused_result));
/* $0, $1, ...: borrowed until dwire_free(). */
void dwire_args(struct dwire *d, int argc, const char *const *argv);

/* Add a process that the trace is about: started for it, or running already. The trace ends when all of them have
 * ended. $target is the first. Before dwire_compile(). The command is split at blanks without a shell; it starts in
 * dwire_start(), or in dwire_compile() up to its first instruction if the program has probes in it. */
int dwire_command(struct dwire *d, const char *command) __attribute__((warn_unused_result));
int dwire_grab(struct dwire *d, pid_t pid) __attribute__((warn_unused_result));
/* The exit status of the index-th of these processes, after dwire_end(): 128 and the signal's number, if one ended it.
 * -1: it has not ended while we traced, or dwire_command() did not start it. */
int dwire_command_status(const struct dwire *d, size_t index);

/* What the texts were generated of: dwire merge adds up streams of the same script, and generated texts may hold
 * what differs between machines, such as numbers of users. Without it that are the texts. The text is copied. */
int dwire_made_of(struct dwire *d, const char *text, size_t len) __attribute__((warn_unused_result));
/* Can this process trace on this kernel at all? If it is called before dwire_compile(), a trace is expected, and that
 * call loads some of it meanwhile. */
int dwire_require(struct dwire *d) __attribute__((warn_unused_result));
/* Compiles all texts. Once. */
int dwire_compile(struct dwire *d) __attribute__((warn_unused_result));

/* The stages of the compiler, with the names that --dump has. */
#define DWIRE_STAGES(X) X(TOKENS, "tokens") X(AST, "ast") X(TYPES, "types") X(IR, "ir") X(BPF, "bpf")
enum dwire_stage {
	DWIRE_STAGE_ALL,
#define X(stage, name) DWIRE_STAGE_##stage,
	DWIRE_STAGES(X)
#undef X
};
/* In place of dwire_compile(): compiles up to a stage and writes what it yields. Before STAGE_TYPES it needs neither
 * root nor the kernel. */
int dwire_dump(struct dwire *d, enum dwire_stage stage, FILE *out) __attribute__((warn_unused_result));
/* Where dwire_compile() writes what -x tree and -x verbose show; with instructions the BPF instructions too (-S). */
void dwire_listing(struct dwire *d, bool instructions, FILE *out);

/* After dwire_compile(): the i-th text. probes: how many it enabled; text: its description as written, or its name.
 * False after the last. */
bool dwire_matched(const struct dwire *d, size_t i, enum dwire_kind *kind, const char **text, size_t *probes);
/* After dwire_compile(): writes the stability of each text (-v); with sites also what each enabled probe means and
 * where this kernel shows it. */
void dwire_describe(struct dwire *d, bool sites, FILE *out);

/* In place of dwire_compile(), for programs that define probes: the texts declare providers. They need neither
 * root nor the kernel. The header is for C and C++ and has a macro for each probe, PROV_PROBE(arguments) and
 * PROV_PROBE_ENABLED(); the object has the counters that it refers to. */
int dwire_provider_header(struct dwire *d, FILE *out) __attribute__((warn_unused_result));
int dwire_provider_object(struct dwire *d, FILE *out) __attribute__((warn_unused_result));

/* ---- lists of probes --------------------------------------------------------------------------------------------- */
struct dwire_probe {
	unsigned id;
	const char *provider, *module, *function, *name;
	const void *internal; /* for dwire_print_probe() */
};

/* A result that is not 0 ends the list. */
typedef int dwire_probe_fn(void *ctx, const struct dwire_probe *p);

/* Lists the probes that the added texts describe, all when there are none; in place of dwire_compile(). Returns 0, what
 * fn returned, -ENOENT after messages about the descriptions that match none, or another -errno. */
int dwire_list(struct dwire *d, dwire_probe_fn *fn, void *ctx) __attribute__((warn_unused_result));
/* From fn: writes the probe's stability and arguments (-lv); with sites also what it means and where this kernel shows
 * it (-lvv). */
void dwire_print_probe(struct dwire *d, const struct dwire_probe *p, bool sites, FILE *out);

/* From fn: a place where the kernel may show the probe. */
struct dwire_site {
	const char *kind;   /* "tp_btf" */
	const char *target; /* the tracepoint or function; or NULL */
	const char *tier;   /* "hooks", "functions" or "kprobes"; NULL: it exists in all */
	const char *lacks;  /* what this kernel lacks for it; NULL: nothing */
	bool used;          /* a trace attaches to it (option tier) */
};
/* The i-th site; false after the last. Texts are valid until dwire_free(), here and below. */
bool dwire_probe_site(struct dwire *d, const struct dwire_probe *p, size_t i, struct dwire_site *out);
/* The D type of args[i], "ipinfo_t *"; NULL after the last. */
const char *dwire_probe_arg(struct dwire *d, const struct dwire_probe *p, size_t i);
/* The i-th member that a translator gives to the type; NULL: there are no more. Not after dwire_compile(). */
const char *dwire_member(struct dwire *d, const char *type, size_t i);
/* Counters of a network namespace whose sum counts the same events, as "Tcp:OutSegs Udp6InDatagrams"; or NULL. */
const char *dwire_probe_counters(const struct dwire_probe *p);
/* What this kernel lacks for a tier as a whole; NULL: nothing. */
const char *dwire_tier_lacks(struct dwire *d, const char *tier);

/* ---- data -------------------------------------------------------------------------------------------------------- */
enum dwire_type {
	DWIRE_INT,    /* number */
	DWIRE_FLOAT,  /* real */
	DWIRE_STRING, /* text, len: a string, an address as text, a symbol */
	DWIRE_BYTES,  /* text, len: memory */
	DWIRE_STACK   /* text, len: a frame a line, the innermost first */
};

/* Text is not escaped. It ends with a NUL that len does not count, except for DWIRE_BYTES. */
struct dwire_value {
	enum dwire_type type;
	const char *name; /* of the variable, member or function that it comes from, as "execname"; "" if it has none */
	bool is_signed;   /* DWIRE_INT */
	unsigned size;    /* DWIRE_INT: 1, 2, 4 or 8 bytes */
	int64_t number;   /* DWIRE_INT, by its own signedness; cast it to uint64_t if it has none */
	double real;
	const char *text;
	size_t len;
};

/* What one action of a clause recorded: trace(), printf(), tracemem(), print(). */
struct dwire_record {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	unsigned cpu;
	struct dwire_probe probe;
	const char *action; /* "printf" */
	const struct dwire_value *values;
	size_t nvalues;
};

/* The values from low to high, both included, were counted so often. */
struct dwire_bucket {
	int64_t low, high;
	int64_t count;
};

/* A key of an aggregation with its value, of a printa() or of what no printa() showed at the end. The rows of one
 * aggregation follow each other, sorted as the options say. */
struct dwire_row {
	const char *aggregation; /* "sent", of @sent */
	const char *function;    /* "sum" */
	size_t index, count;     /* the index-th of count rows */
	const struct dwire_value *keys;
	size_t nkeys;
	int64_t value;                      /* after normalize(); of quantize(), lquantize(), llquantize() 0 */
	const struct dwire_bucket *buckets; /* of these; those with a count of 0 are left out */
	size_t nbuckets;
	/* How often clear() and trunc(@) have taken all values back: within a generation a count only grows, unless
	 * trunc(@, n) removes its key. */
	uint64_t generation;
};

/* Data that was lost. */
struct dwire_drop {
	const char *cause; /* "RING", "AGG", "DYN", ... */
	const char *text;  /* "12 drops on CPU 0" */
	uint64_t n;        /* since the last one of the cause */
	int cpu;           /* -1: all */
	const char *probe; /* that missed firings; or NULL */
};

/* A result that is not 0 ends the trace; -errno is the error of dwire_poll() or dwire_end(). Members may be NULL; drops
 * without a handler become messages. All that is passed is valid during the call. */
struct dwire_handlers {
	size_t size; /* sizeof(struct dwire_handlers) */
	int (*record)(void *ctx, const struct dwire_record *r);
	int (*row)(void *ctx, const struct dwire_row *r);
	int (*drop)(void *ctx, const struct dwire_drop *d);
	/* About once a second, and at the end: the values of all aggregations at that moment, as rows, then NULL. */
	int (*state)(void *ctx, const struct dwire_row *r);
};

/* Before dwire_start(). h is copied. system(), freopen() and ftruncate() are skipped without dwire_output(). A merge
 * hands on what it shows as text; with the option oformat=stream or capture it calls no handler. */
void dwire_on_data(struct dwire *d, const struct dwire_handlers *h, void *ctx);

/* ---- the trace --------------------------------------------------------------------------------------------------- */
/* Where the text goes that dtrace(1) prints on its standard output. Borrowed until dwire_free(). NULL: nowhere. */
void dwire_output(struct dwire *d, FILE *out);
/* A stream that writes through fn, for functions here that take one. fn returns 0 or -errno. fclose() it after
 * dwire_free(). NULL: no memory. */
typedef int dwire_write_fn(void *ctx, const char *text, size_t len);
FILE *dwire_stream(dwire_write_fn *fn, void *ctx);

/* Loads the program, fires BEGIN, attaches the probes, starts the commands. */
int dwire_start(struct dwire *d) __attribute__((warn_unused_result));
/* A descriptor for an event loop: when it is readable, call dwire_poll(d, 0). Valid from dwire_start() to
 * dwire_free(). */
int dwire_fd(const struct dwire *d);
/* Waits for at most timeout_ms (-1: for ever) and passes new data to the handlers. 1: the trace continues; 0: it is to
 * end, because of exit(), dwire_stop(), the end of the processes, or a reader that closed the output; or -errno. */
int dwire_poll(struct dwire *d, int timeout_ms) __attribute__((warn_unused_result));
/* Asks for the end: dwire_poll() returns 0 soon, also while it waits for the reader of the output, a FIFO of
 * freopen() or a command of system(). An output that then takes nothing for a second is given up: -ETIMEDOUT. Safe in
 * signal handlers and other threads. */
void dwire_stop(struct dwire *d);
/* In a handler: how long the trace had run when what it is given was counted, in ns. *wall: that time in ns since 1970.
 * Of a merge both are those of its streams, also if these are recordings; *wall is 0 before the first one has begun. */
uint64_t dwire_time(const struct dwire *d, uint64_t *wall);
/* Detaches, fires END, passes on the remaining data. Also after dwire_poll() failed. *status: exit()'s argument, or 0.
 * */
int dwire_end(struct dwire *d, int *status) __attribute__((warn_unused_result));

/* ---- streams ----------------------------------------------------------------------------------------------------- */
/* In place of a program: streams that other traces wrote (option oformat=stream), of this machine or others. They are
 * shown as one trace: aggregations are merged, rows passed through. Needs no privilege. After dwire_output():
 * dwire_merge_add() for each stream, then dwire_start(), dwire_poll() until it returns 0, dwire_end(). Its status is 1
 * if a stream ended early or frames were lost.
 *
 * Adds a descriptor to read from; the library closes it, also after an error. name: in messages, copied. */
int dwire_merge_add(struct dwire *d, const char *name, int fd) __attribute__((warn_unused_result));
/* Before the first dwire_merge_add(): the machine's name is the first key of aggregations and begins each line. */
void dwire_merge_by_host(struct dwire *d);
/* Before the first dwire_merge_add(): nothing is shown before all machines that are expected have begun. */
void dwire_merge_all_hosts(struct dwire *d);
/* Before the first dwire_merge_add(): exactly one session comes, so nothing waits for others. Handlers then get its
 * values as they were at each of its seconds, however fast the stream is read. */
void dwire_merge_alone(struct dwire *d);
/* After dwire_merge_add(): expects a machine whose lines have this name before them, as a program that runs commands on
 * many puts it there. Steps wait for it for ten seconds; dwire_end() reports those that never came. */
void dwire_merge_expect(struct dwire *d, const char *host);
/* The program of an expected machine has ended, and what it wrote has been read: nobody waits for it. Returns whether
 * its trace had begun. */
bool dwire_merge_leave(struct dwire *d, const char *host);

/* ---- recordings -------------------------------------------------------------------------------------------------- */
/* In place of dwire_output(): the trace's stream goes into a directory, which is made if it is not there, within a
 * budget of bytes (at least 1 MB): the oldest parts are removed first. 0 or -errno. */
int dwire_record(struct dwire *d, const char *directory, uint64_t budget) __attribute__((warn_unused_result));

/* Between dwire_compile() and dwire_record(): frames are held in at most so many bytes of memory (at least 1 MB), and
 * written only where the script calls snapshot(): those of the time before and those of the time after (ns). A snapshot
 * is a session. 0 or -errno: -EINVAL if the script has no snapshot(). */
int dwire_record_ring(struct dwire *d, uint64_t before, uint64_t after, uint64_t memory)
	__attribute__((warn_unused_result));

/* What was recorded in a directory; needs no privilege. A session is what one dwire_start() recorded. */
struct dwire_recording;
/* Messages go to d's, which outlives it. 0 or -errno. */
int dwire_recording_open(struct dwire_recording **out, struct dwire *d, const char *directory)
	__attribute__((warn_unused_result));
void dwire_recording_close(struct dwire_recording *r); /* NULL is fine */
size_t dwire_recording_sessions(const struct dwire_recording *r);
/* Was anything recorded from..to (ns since 1970) in the session? */
bool dwire_recording_touches(const struct dwire_recording *r, size_t session, uint64_t from, uint64_t to);
/* Writes a session as a stream, with the rows of from..to. 0; 1: frames are missing, which is reported; or -errno of
 * out. */
int dwire_recording_write(struct dwire_recording *r, size_t session, uint64_t from, uint64_t to, FILE *out)
	__attribute__((warn_unused_result));

/* ---- names of this machine, as programs see them ----------------------------------------------------------------- */
/* The number by which probes see the process pid of ours: another one in a pid namespace. */
pid_t dwire_pid_seen(pid_t pid);
/* The number of the network namespace that a file stands for. -ENOTTY: the file is something else. Not reported. */
int dwire_netns_number(const char *path, uint32_t *number) __attribute__((warn_unused_result));
/* The number of the namespace that cs_zonename shows as zone, whole or cut by a narrow column. -ENOENT: none at
 * present, or several. Not reported. */
int dwire_zone_number(const char *zone, uint32_t *number) __attribute__((warn_unused_result));
/* The name of the container that a process is in, as cs_container shows it. False: it is in none. */
bool dwire_container(pid_t pid, char *name, size_t size);
/* A container that has a cgroup, with what the files of its runtime and of the kubelet say; "": not known. The texts
 * are theirs, so escape them before a terminal sees them; they are valid during the call. */
struct dwire_container_names {
	const char *id; /* as cs_container shows it; a name of more than 15 characters is cut */
	const char *name, *pod, *pod_namespace;
};
/* Calls fn for each container that exists, in the order of the cgroups. */
void dwire_containers(void (*fn)(void *ctx, const struct dwire_container_names *c), void *ctx);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
