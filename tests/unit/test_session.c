/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_session: a whole session on a running kernel, from BEGIN to the last line, with an image made by hand. What is
 * printed is compared with the text that the programs were written to give. Needs root. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "diags.h"
#include "handmade.h"
#include "print/sinks.h"
#include "session/cost.h"
#include "session/session.h"
#include "why.h"

#define MAX_INSNS 64
#define MAX_PROGS 6
#define NARGS 6

/* What a program puts into its record, after the time stamp: 32-bit words. */
struct spec {
	const char *prov, *name;
	uint64_t period_ns;
	uint32_t epid;
	uint32_t words[6];
	unsigned nwords;
	bool status_action; /* the clause says exit(first word) */
	bool on_fork;       /* attached to the tracepoint of fork; else fired by hand */
};

struct made {
	struct image img;
	struct image_prog progs[MAX_PROGS];
	struct image_probe probes[MAX_PROGS];
	struct epid epids[MAX_PROGS];
	struct action actions[MAX_PROGS];
	struct field fields[MAX_PROGS][NARGS];
	struct bpf_insn insns[MAX_PROGS][MAX_INSNS];
};

static struct image_map maps[] = {
	{ .role = MAP_RINGS, .name = "dws_rings" },
	{ .role = MAP_DROPS, .name = "dws_drops" },
	{ .role = MAP_TICKS,
		.name = "dws_ticks",
		.type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 8 * sizeof(struct dw_tick),
		.max_entries = 1 },
};
static struct code_mapref ring_ref[] = { { .insn = 4, .map = 0 } };

/* The instructions; returns how many. The map reference is at 4. */
static size_t write_program(const struct spec *sp, struct bpf_insn *o)
{
	unsigned bytes = 16 + 4 * sp->nwords;
	const struct bpf_insn head[] = {
		CALL(BPF_FUNC_get_smp_processor_id),
		STX(BPF_W, 10, 0, -4),
		MOVR(2, 10),
		ADDI(2, -4),
		LDMAP(1),
		CALL(BPF_FUNC_map_lookup_elem),
		JEQI(0, 0, 4),
		MOVR(1, 0),
		MOVI(2, (int)bytes),
		MOVI(3, 0),
		CALL(BPF_FUNC_ringbuf_reserve),
		INSN(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 2, 0),
		MOVI(0, 0),
		EXIT(),
		MOVR(6, 0),
		CALL(BPF_FUNC_ktime_get_ns),
		STX(BPF_DW, 6, 0, 0),
		STI(BPF_W, 6, 8, (int)sp->epid),
		STI(BPF_W, 6, 12, (int)bytes),
	};
	const struct bpf_insn tail[] = {
		MOVR(1, 6),
		MOVI(2, sp->status_action ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP),
		CALL(BPF_FUNC_ringbuf_submit),
		MOVI(0, 0),
		EXIT(),
	};
	size_t n = ROWS(head);

	memcpy(o, head, sizeof(head));
	for (unsigned i = 0; i < sp->nwords; i++)
		o[n++] = STI(BPF_W, 6, (int16_t)(16 + 4 * i), (int)sp->words[i]);
	memcpy(o + n, tail, sizeof(tail));
	return n + ROWS(tail);
}

static void make_image(struct made *m, const struct spec *specs, size_t n)
{
	uint32_t ticks = 0;

	memset(m, 0, sizeof(*m));
	m->img.maps.v = maps;
	m->img.maps.n = ROWS(maps);
	m->img.progs.v = m->progs;
	m->img.probes.v = m->probes;
	m->img.epids.v = m->epids;
	m->img.progs.n = m->img.probes.n = m->img.epids.n = n;
	for (size_t i = 0; i < n; i++) {
		const struct spec *sp = &specs[i];
		size_t len = write_program(sp, m->insns[i]);
		unsigned nargs = sp->status_action ? 1 : sp->nwords;

		m->probes[i] = (struct image_probe){
			.id = 100 + (uint32_t)i, .prov = sp->prov, .mod = "", .func = "", .name = sp->name
		};
		m->progs[i] = (struct image_prog){ .attach = ATTACH_TEST_RUN,
			.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			.name = "dws_prog",
			.probe = (uint32_t)i,
			.period_ns = sp->period_ns,
			.tick = sp->period_ns ? ++ticks : 0,
			.code = code_of(m->insns[i], len, ring_ref) };
		if (sp->on_fork) {
			m->progs[i].attach = ATTACH_TP_BTF;
			m->progs[i].target = "sched_process_fork";
			m->progs[i].prog_type = BPF_PROG_TYPE_TRACING;
			m->progs[i].expected_attach_type = BPF_TRACE_RAW_TP;
			m->progs[i].attach_btf_id =
				(uint32_t)libbpf_find_vmlinux_btf_id("sched_process_fork", BPF_TRACE_RAW_TP);
		}
		for (unsigned a = 0; a < nargs; a++)
			m->fields[i][a] =
				(struct field){ .kind = FIELD_INT, .off = 16 + a * 4, .size = 4, .is_signed = true };
		m->actions[i] = (struct action){
			.kind = sp->status_action ? ACT_EXIT : ACT_TRACE, .args = m->fields[i], .nargs = nargs
		};
		m->epids[i] = (struct epid){
			.probe = (uint32_t)i, .actions = &m->actions[i], .nactions = 1, .rec_size = 16 + 4 * sp->nwords
		};
	}
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

struct result {
	int arm, loop, end, status;
	double seconds;
	char *out, *err;
	struct why why;
};

static double seconds(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Errors are kept in why; all else is text beside what the session writes itself. */
struct listener {
	struct result *r;
	FILE *err;
};

static void listen_to(void *ctx, const struct diag *d)
{
	struct listener *l = ctx;

	if (d->level == DIAG_ERROR)
		why_keep(&l->r->why, d);
	else
		diag_write(l->err, d);
}

/* For a signal handler. */
static int stop = -1;

/* out NULL: into memory. */
static void run(struct features *f, struct made *m, struct child *child, FILE *out, struct result *r)
{
	struct listener l = { .r = r };
	struct reporter to = { .fn = listen_to, .ctx = &l };
	size_t out_len = 0, err_len = 0;
	FILE *mem = NULL, *err;
	struct options options;
	struct session_options opts = {
		.features = f, .to = &to, .options = &options, .children = &child, .nchildren = child ? 1 : 0
	};
	struct session *s;

	memset(r, 0, sizeof(*r));
	options_init(&options);
	options.bufsize = 65536;
	options.quiet = true;
	if (!out)
		mem = out = open_memstream(&r->out, &out_len);
	err = open_memstream(&r->err, &err_len);
	opts.sink = print_sink_new(&(struct print_to){ .out = out, .options = &options, .report = &to });
	l.err = err;
	opts.stop = stop = eventfd(0, EFD_CLOEXEC);
	s = session_new(&m->img, &opts);
	CHECK(s != NULL, "no memory");
	r->arm = session_arm(s);
	r->seconds = seconds();
	if (!r->arm) {
		do
			r->loop = session_work(s, -1);
		while (r->loop > 0);
		r->seconds = seconds() - r->seconds;
		r->end = session_end(s, &r->status);
	}
	session_free(s);
	sink_free(opts.sink);
	close(stop);
	if (mem)
		fclose(mem);
	fclose(err);
}

/* A session that does not end by itself would go on for ever; a busy machine is only late. */
#define SOON 10.0

/* Ticks that came too late, as dwire has counted them; all else that it says is left. */
static unsigned long late_ticks(const struct result *r, const char **rest)
{
	const char *end = strstr(r->err, " missed (too late)\n");

	*rest = end ? strchr(end, '\n') + 1 : r->err;
	return end ? strtoul(r->err + strlen("dwire: "), NULL, 10) : 0;
}

static void expect(const struct result *r, const char *what, const char *out, int status)
{
	const char *said;

	late_ticks(r, &said);
	CHECK(!r->arm && !r->loop && !r->end, "%s: %d %d %d: %s", what, r->arm, r->loop, r->end, r->why.text);
	CHECK(!r->out || strcmp(r->out, out) == 0, "%s: printed \"%s\" and not \"%s\"", what, r->out, out);
	CHECK(r->status == status, "%s: status %d", what, r->status);
	CHECK(!*said, "%s: said \"%s\"", what, said);
}

static void release(struct result *r)
{
	free(r->out);
	free(r->err);
}

#define BEGIN_1                                                                            \
	{                                                                                  \
		.prov = "dtrace", .name = "BEGIN", .epid = 1, .words = { 11 }, .nwords = 1 \
	}
#define END_2                                                                            \
	{                                                                                \
		.prov = "dtrace", .name = "END", .epid = 2, .words = { 22 }, .nwords = 1 \
	}

/* tick-50ms prints, tick-220ms exits: four lines between BEGIN and END. */
static void test_exit(struct features *f)
{
	static const struct spec specs[] = {
		BEGIN_1,
		END_2,
		{ .prov = "profile",
			.name = "tick-50ms",
			.period_ns = 50000000,
			.epid = 3,
			.words = { 33 },
			.nwords = 1 },
		{ .prov = "profile",
			.name = "tick-220ms",
			.period_ns = 220000000,
			.epid = 4,
			.words = { 7 },
			.nwords = 1,
			.status_action = true },
	};
	const char *said;
	struct made m;
	struct result r;
	unsigned long missed;
	char want[64] = "";
	size_t n;

	make_image(&m, specs, ROWS(specs));
	run(f, &m, NULL, NULL, &r);
	/* On a busy machine a tick may be late by periods: then they are counted, those after the exit's too. If the
	 * exit's is late, more of the others come. */
	missed = late_ticks(&r, &said);
	n = strncmp(r.out, "11", 2) == 0 ? strspn(r.out + 2, "3") / 2 : 0;
	snprintf(want, sizeof(want), "11%.*s22\n", (int)n * 2, "33333333333333333333333333333333333333333333333333");
	CHECK(!r.arm && !r.loop && !r.end && r.status == 7, "%d %d %d %d: %s", r.arm, r.loop, r.end, r.status,
		r.why.text);
	CHECK(!strcmp(r.out, want) && n + missed >= 4 && (double)n * 0.05 <= r.seconds && !*said,
		"printed \"%s\", said \"%s\"", r.out, r.err);
	CHECK(r.seconds >= 0.219 && r.seconds < SOON, "%f s", r.seconds);
	release(&r);
}

/* exit() in BEGIN: nothing is attached, no tick fires, END does. */
static void test_exit_in_begin(struct features *f)
{
	static const struct spec specs[] = {
		{ .prov = "dtrace", .name = "BEGIN", .epid = 1, .words = { 3 }, .nwords = 1, .status_action = true },
		END_2,
		{ .prov = "profile",
			.name = "tick-1ms",
			.period_ns = 1000000,
			.epid = 3,
			.words = { 33 },
			.nwords = 1 },
	};
	struct made m;
	struct result r;

	make_image(&m, specs, ROWS(specs));
	run(f, &m, NULL, NULL, &r);
	expect(&r, "exit in BEGIN", "22\n", 3);
	CHECK(r.seconds < SOON, "%f s", r.seconds);
	release(&r);
}

static void ask_to_stop(int sig)
{
	static const uint64_t one = 1;

	(void)sig;
	if (write(stop, &one, sizeof(one)) != (ssize_t)sizeof(one))
		_exit(1);
}

/* The session takes no signals: a handler stops it. */
static void test_stop(struct features *f)
{
	static const struct spec specs[] = { BEGIN_1, END_2 };
	struct made m;
	struct result r;
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		pause_ms(1000); /* BEGIN has fired by then, on a busy machine too */
		kill(parent, SIGUSR1);
		_exit(0);
	}
	signal(SIGUSR1, ask_to_stop);
	make_image(&m, specs, ROWS(specs));
	run(f, &m, NULL, NULL, &r);
	expect(&r, "stopped", "11\n22\n", 0);
	CHECK(r.seconds < SOON, "%f s", r.seconds);
	waitpid(pid, NULL, 0);
	release(&r);
}

static void test_child(struct features *f)
{
	static const struct spec specs[] = { BEGIN_1, END_2 };
	struct made m;
	struct result r;
	struct child *c = NULL;
	struct why why = WHY_INIT(why);

	make_image(&m, specs, ROWS(specs));
	CHECK(child_start("sleep 0.2", &c, &why.to) == 0, "%s", why.text);
	run(f, &m, c, NULL, &r);
	expect(&r, "child", "1122\n", 0);
	CHECK(r.seconds >= 0.19 && r.seconds < SOON, "%f s", r.seconds);
	child_free(c);
	release(&r);
	c = NULL;
	CHECK(child_start("/no/such/program", &c, &why.to) == -ENOENT && !c && strstr(why.text, "/no/such/program"),
		"%s", why.text);
}

/* Forks of a command, between BEGIN and END: at least its own, others may fork too. */
static void test_attached(struct features *f)
{
	static const struct spec specs[] = {
		BEGIN_1,
		END_2,
		{ .prov = "proc", .name = "fork", .on_fork = true, .epid = 3, .words = { 33 }, .nwords = 1 },
	};
	struct made m;
	struct result r;
	struct child *c = NULL;
	struct why why = WHY_INIT(why);
	size_t n = 0;

	make_image(&m, specs, ROWS(specs));
	CHECK(child_start("sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/true; /bin/true; done; :'", &c, &why.to) == 0,
		"%s", why.text);
	run(f, &m, c, NULL, &r);
	child_free(c);
	CHECK(!r.arm && !r.loop && !r.end, "%d %d %d: %s", r.arm, r.loop, r.end, r.why.text);
	CHECK(strncmp(r.out, "11", 2) == 0, "printed \"%s\"", r.out);
	while (strncmp(r.out + 2 + 2 * n, "33", 2) == 0)
		n++;
	CHECK(n >= 20 && strcmp(r.out + 2 + 2 * n, "22\n") == 0, "%zu forks, then \"%s\"", n, r.out + 2 + 2 * n);
	CHECK(!r.err[0], "said \"%s\"", r.err);
	release(&r);
}

/* A reader that goes away ends the session, in order and without complaint. */
static void test_closed_output(struct features *f)
{
	static const struct spec specs[] = {
		END_2,
		{ .prov = "profile",
			.name = "tick-20ms",
			.period_ns = 20000000,
			.epid = 2,
			.words = { 33 },
			.nwords = 1 },
	};
	struct made m;
	struct result r;
	int p[2];
	FILE *out;

	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe2(p, O_CLOEXEC) == 0, "pipe");
	close(p[0]);
	out = fdopen(p[1], "w");
	make_image(&m, specs, ROWS(specs));
	run(f, &m, NULL, out, &r);
	expect(&r, "closed output", "", 0);
	CHECK(r.seconds < SOON, "%f s", r.seconds);
	fclose(out);
	release(&r);
	/* A full disk is an error. */
	out = fopen("/dev/full", "we");
	run(f, &m, NULL, out, &r);
	CHECK(r.loop == -ENOSPC && strstr(r.why.text, "No space left"), "%d: %s", r.loop, r.why.text);
	fclose(out);
	release(&r);
	signal(SIGPIPE, SIG_DFL);
}

/* A record of a fault is reported; one of ERROR's clause is counted. */
static void test_error(struct features *f)
{
	static const struct spec specs[] = {
		{ .prov = "dtrace",
			.name = "BEGIN",
			.epid = DW_EPID_ERROR,
			.words = { 1, 5, DW_FAULT_BADADDR, 0, 0xabc, 0 },
			.nwords = 6 },
		{ .prov = "dtrace",
			.name = "ERROR",
			.epid = DW_EPID_ERROR,
			.words = { 2, 1, DW_FAULT_DIVZERO, 0, 0, 0 },
			.nwords = 6,
			.period_ns = 20000000 },
		{ .prov = "profile",
			.name = "tick-50ms",
			.period_ns = 50000000,
			.epid = 3,
			.words = { 0 },
			.nwords = 1,
			.status_action = true },
	};
	struct made m;
	struct result r;

	make_image(&m, specs, ROWS(specs));
	run(f, &m, NULL, NULL, &r);
	CHECK(!r.arm && !r.loop && !r.end, "%s", r.why.text);
	CHECK(strstr(r.err, "invalid address (0xabc)") && strstr(r.err, "in ERROR probe enabling\n"), "%s", r.err);
	release(&r);
}

/* Sessions leave the signals alone. */
static void test_restored(void)
{
	struct sigaction sa;
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	sigaction(SIGPIPE, NULL, &sa);
	CHECK(!sigismember(&set, SIGINT) && !sigismember(&set, SIGTERM) && sa.sa_handler == SIG_DFL,
		"signals were taken");
}

/* -x maxcpu: a helper that ends makes the sum fall; what dwire itself took counts nevertheless. */
static void test_helper_ends(void)
{
	static const struct meter_look before = { .self = 100, .helpers = 9000 },
				       after = { .self = 130, .helpers = 20 }, more = { .self = 131, .helpers = 27 };

	CHECK(meter_process(&before, &after) == 30, "%llu", (unsigned long long)meter_process(&before, &after));
	CHECK(meter_process(&after, &more) == 8, "%llu", (unsigned long long)meter_process(&after, &more));
}

int main(void)
{
	struct features *f = features_new();
	struct why why = WHY_INIT(why);

	if (!f || features_require(f, &why.to)) {
		printf("skip: %s\n", f ? why.text : "no memory");
		features_free(f);
		return 77;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_exit(f);
	test_exit_in_begin(f);
	test_stop(f);
	test_child(f);
	test_attached(f);
	test_closed_output(f);
	test_error(f);
	test_restored();
	test_helper_ends();
	features_free(f);
	return unit_end();
}
