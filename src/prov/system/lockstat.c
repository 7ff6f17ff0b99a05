/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lockstat: the kernel's locks. Tracepoints report the begin and end of waits (Linux 5.19); only functions show a
 * free lock being taken or released. Solaris' adaptive locks map to Linux' mutexes; its readers/writer locks map to
 * semaphores and rwlocks. Spin locks are reported only when a thread waits for them: BPF programs take spin locks
 * themselves, for records and maps, and could deadlock. */
#include "prov/provider.h"

/* clang-format off */
#define BEGIN { TP("contention_begin", 2, "dw_lockbegin"), \
	.irqs_off = true,
#define WAITED(cond, vals, what) \
	{ TP("contention_end", 2, "dw_lockend"), \
	  .when = "P->ret == 0 && " cond, .values = vals, .irqs_off = true, .sees = what }
/* A function's return; cond: it has taken the lock. */
#define DONE(func, cond, vals, what) \
	{ .attach = ATTACH_FEXIT, .target = func, .nargs = 1, .native = "dw_lockcall", .entry_args = true, \
	  .when = cond, .values = vals, .irqs_off = true, .optional = true, .sees = what }
#define PROBE(name, args, meaning, ...) \
	{ name, args, (const struct site[]){ __VA_ARGS__ }, \
	  sizeof((const struct site[]){ __VA_ARGS__ }) / sizeof(struct site), meaning }

/* The kinds of waits, by the flags of contention_begin. Counting semaphores have no flags. */
#define F_SPIN "DW_LCB_F_SPIN"
#define F_RW "(DW_LCB_F_READ | DW_LCB_F_WRITE)"
#define F_PERCPU "DW_LCB_F_PERCPU"
#define F_MUTEX "(DW_LCB_F_MUTEX | DW_LCB_F_RT)"
#define HAS(flag) "(P->flags & " flag ") != 0"
#define HASNT(flag) "(P->flags & " flag ") == 0"

/* ---- what is remembered of a wait -------------------------------------------------------------------------------- */
/* A stamp notes the start of a wait; its word has the flags and the lock's holders. A thread may spin for a mutex,
 * sleep for it and spin again: the first time of each counts. */
#define KEY .key = "P->key"
#define WORD .word = "P->flags | P->held << DW_HELD_SHIFT"
#define END { STAMP_END, { TP("contention_end", 2, "dw_lockend"), \
	.irqs_off = true }, KEY }
static const struct stamp_event mutex_spun[] = {
	{ STAMP_FIRST, BEGIN .when = HAS(F_MUTEX) " && " HAS(F_SPIN) }, KEY }, END,
};
static const struct stamp_event mutex_slept[] = {
	{ STAMP_FIRST, BEGIN .when = HAS(F_MUTEX) " && " HASNT(F_SPIN) }, KEY }, END,
};
static const struct stamp_event spun[] = {
	{ STAMP_SET, BEGIN .when = HASNT(F_MUTEX) " && " HASNT(F_RW) " && " HAS(F_SPIN) }, KEY }, END,
};
static const struct stamp_event rw_spun[] = {
	{ STAMP_SET, BEGIN .when = HAS(F_RW) " && " HAS(F_SPIN) }, KEY, WORD }, END,
};
static const struct stamp_event rw_slept[] = {
	{ STAMP_SET, BEGIN .when = HAS(F_RW) " && " HASNT(F_SPIN) }, KEY, WORD }, END,
};
static const struct stamp stamps[] = {
	{ "mutexspun", mutex_spun, 2 },
	{ "mutexslept", mutex_slept, 2 },
	{ "spun", spun, 2 },
	{ "rwspun", rw_spun, 2 },
	{ "rwslept", rw_slept, 2 },
};
#define SINCE(name) "__stamp(\"" name "\", P->key)"
#define NOTED(name) "__stamped(\"" name "\", P->key)"

/* ---- arguments --------------------------------------------------------------------------------------------------- */
#define LOCK "(uint64_t)P->lock"
/* Arguments of a wait for a readers/writer lock. arg2 is 0 if the thread wants to write, arg3 is 0 if a writer held
 * the lock, arg4 is the number of readers that held it. A per-CPU lock does not show its holders: a reader waits for
 * a writer, a writer for readers or a writer. */
#define FLAG(name, flag) "(" NOTED(name) " & " flag ") != 0"
#define HELD(name) NOTED(name) " >> DW_HELD_SHIFT"
#define WANTED(name) FLAG(name, "DW_LCB_F_READ")
#define BY_READER(name)                                                                              \
	FLAG(name, F_PERCPU) " ? " FLAG(name, "DW_LCB_F_WRITE") " : " FLAG(name, F_SPIN) " ? (" HELD(name) \
	" & DW_QW_LOCKED) != DW_QW_LOCKED : (" HELD(name) " & DW_RWSEM_WRITER_LOCKED) == 0"
#define READERS(name)                                                                         \
	FLAG(name, F_PERCPU) " ? 0 : " FLAG(name, F_SPIN) " ? " HELD(name) " >> DW_QR_SHIFT : " HELD(name) \
	" >> DW_RWSEM_READER_SHIFT"

static const char *const wait_args[] = { "void *", "uint64_t", NULL };
static const char *const rw_wait_args[] = { "void *", "uint64_t", "int", "int", "int", NULL };
static const char *const lock_args[] = { "void *", NULL };
static const char *const rw_args[] = { "void *", "int", NULL };

static const char *const mutex_spin_values[] = { LOCK,
	"(" SINCE("mutexslept") " != 0 ? " SINCE("mutexslept") " : timestamp) - " SINCE("mutexspun"), NULL };
static const char *const mutex_sleep_values[] = { LOCK, "timestamp - " SINCE("mutexslept"), NULL };
static const char *const spin_values[] = { LOCK, "timestamp - " SINCE("spun"), NULL };
static const char *const rw_spin_values[] = { LOCK, "timestamp - " SINCE("rwspun"),
	WANTED("rwspun"), BY_READER("rwspun"), READERS("rwspun"), NULL };
static const char *const rw_sleep_values[] = { LOCK, "timestamp - " SINCE("rwslept"),
	WANTED("rwslept"), BY_READER("rwslept"), READERS("rwslept"), NULL };
static const char *const lock_values[] = { LOCK, NULL };
static const char *const as_reader[] = { LOCK, "1", NULL };
static const char *const as_writer[] = { LOCK, "0", NULL };

#define IF_0 "P->ret == 0"
#define IF_1 "P->ret != 0"
#define TAKEN "the function has taken the lock"
#define GIVEN "the function has given it up"

static const struct probe_def probes[] = {
	PROBE("adaptive-acquire", lock_args, "a mutex has been taken",
		DONE("mutex_lock", NULL, lock_values, TAKEN),
		DONE("mutex_lock_interruptible", IF_0, lock_values, TAKEN),
		DONE("mutex_lock_killable", IF_0, lock_values, TAKEN),
		DONE("mutex_trylock", IF_1, lock_values, TAKEN)),
	PROBE("adaptive-block", wait_args, "a thread has slept for a mutex and has it now: arg1 is how long, ns",
		WAITED(SINCE("mutexslept") " != 0", mutex_sleep_values, "the end of waits")),
	PROBE("adaptive-release", lock_args, "a mutex has been given up",
		DONE("mutex_unlock", NULL, lock_values, GIVEN)),
	PROBE("adaptive-spin", wait_args, "a thread has spun for a mutex and has it now: arg1 is how long, ns",
		WAITED(SINCE("mutexspun") " != 0", mutex_spin_values, "the end of waits")),
	PROBE("rw-acquire", rw_args, "a readers/writer lock has been taken: arg1 is 0 if to write",
		DONE("down_read", NULL, as_reader, TAKEN),
		DONE("down_read_interruptible", IF_0, as_reader, TAKEN),
		DONE("down_read_killable", IF_0, as_reader, TAKEN),
		DONE("down_read_trylock", IF_1, as_reader, TAKEN),
		DONE("_raw_read_lock", NULL, as_reader, TAKEN),
		DONE("_raw_read_lock_bh", NULL, as_reader, TAKEN),
		DONE("_raw_read_lock_irq", NULL, as_reader, TAKEN),
		DONE("_raw_read_lock_irqsave", NULL, as_reader, TAKEN),
		DONE("_raw_read_trylock", IF_1, as_reader, TAKEN),
		DONE("down_write", NULL, as_writer, TAKEN),
		DONE("down_write_killable", IF_0, as_writer, TAKEN),
		DONE("down_write_trylock", IF_1, as_writer, TAKEN),
		DONE("_raw_write_lock", NULL, as_writer, TAKEN),
		DONE("_raw_write_lock_bh", NULL, as_writer, TAKEN),
		DONE("_raw_write_lock_irq", NULL, as_writer, TAKEN),
		DONE("_raw_write_lock_irqsave", NULL, as_writer, TAKEN),
		DONE("_raw_write_trylock", IF_1, as_writer, TAKEN)),
	PROBE("rw-block", rw_wait_args, "a thread has slept for a readers/writer lock: arg1 is how long, ns",
		WAITED(SINCE("rwslept") " != 0", rw_sleep_values, "the end of waits")),
	PROBE("rw-downgrade", lock_args, "a writer has become a reader",
		DONE("downgrade_write", NULL, lock_values, "the function has done it")),
	PROBE("rw-release", rw_args, "a readers/writer lock has been given up: arg1 is 0 if by a writer",
		DONE("up_read", NULL, as_reader, GIVEN),
		DONE("_raw_read_unlock", NULL, as_reader, GIVEN),
		DONE("_raw_read_unlock_bh", NULL, as_reader, GIVEN),
		DONE("_raw_read_unlock_irq", NULL, as_reader, GIVEN),
		DONE("_raw_read_unlock_irqrestore", NULL, as_reader, GIVEN),
		DONE("up_write", NULL, as_writer, GIVEN),
		DONE("_raw_write_unlock", NULL, as_writer, GIVEN),
		DONE("_raw_write_unlock_bh", NULL, as_writer, GIVEN),
		DONE("_raw_write_unlock_irq", NULL, as_writer, GIVEN),
		DONE("_raw_write_unlock_irqrestore", NULL, as_writer, GIVEN)),
	PROBE("rw-spin", rw_wait_args, "a CPU has spun for a readers/writer lock: arg1 is how long, ns",
		WAITED(SINCE("rwspun") " != 0", rw_spin_values, "the end of waits")),
	PROBE("spin-spin", wait_args, "a CPU has spun for a spin lock and has it now: arg1 is how long, ns",
		WAITED(SINCE("spun") " != 0", spin_values, "the end of waits")),
};
/* clang-format on */

static const struct prov_stability stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, COMMON),
	.module = STABILITY_PRIVATE,
	.function = STABILITY_PRIVATE,
	.name = STABILITY(EVOLVING, EVOLVING, COMMON),
	.args = STABILITY(EVOLVING, EVOLVING, COMMON),
};

const struct provider lockstat_provider = {
	.name = "lockstat",
	.stability = &stability,
	.raw = "dw_lock",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
	.stamps = stamps,
	.nstamps = sizeof(stamps) / sizeof(stamps[0]),
};
