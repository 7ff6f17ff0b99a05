/* SPDX-License-Identifier: GPL-2.0-or-later */
/* face_test: libdwire as another program uses it. It includes nothing of dwire but the face. What comes out is compared
 * with what the D programs say; what must not happen (output, signals taken, state changed) is looked for. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "api/dwire.h"

static int failed;

#define CHECK(cond, ...)                                       \
	do {                                                   \
		if (!(cond)) {                                 \
			printf("%s:%d: ", __FILE__, __LINE__); \
			printf(__VA_ARGS__);                   \
			printf("; not true: %s\n", #cond);     \
			failed = 1;                            \
		}                                              \
	} while (0)

/* All that handlers were called with, as text. */
struct seen {
	struct dwire *d;
	char messages[4096], records[4096], rows[8192], text[4096];
	struct dwire_message last; /* without its texts */
	int result;                /* what the record handler returns */
	int errors;
};

static void add(char *to, size_t size, const char *text)
{
	size_t n = strlen(to);

	snprintf(to + n, size - n, "%s", text);
}

static void on_message(void *ctx, const struct dwire_message *m)
{
	struct seen *s = ctx;
	char line[1024];

	snprintf(line, sizeof(line), "%d|%s|%s|%s|%.*s:%u:%u\n", (int)m->level, m->tag ? m->tag : "", m->text,
		m->hint ? m->hint : "", (int)m->file_len, m->file ? m->file : "", m->line, m->column);
	add(s->messages, sizeof(s->messages), line);
	s->last = *m;
	s->errors += m->level == DWIRE_ERROR;
}

static void value_text(const struct dwire_value *v, char *out, size_t size)
{
	switch (v->type) {
	case DWIRE_INT:
		snprintf(out, size, "%s=%s%u:%lld", v->name, v->is_signed ? "i" : "u", v->size, (long long)v->number);
		break;
	case DWIRE_FLOAT:
		snprintf(out, size, "%s=f:%g", v->name, v->real);
		break;
	case DWIRE_STRING:
		snprintf(out, size, "%s=s%zu:%s", v->name, v->len, v->text);
		break;
	case DWIRE_BYTES:
		snprintf(out, size, "%s=b%zu", v->name, v->len);
		break;
	case DWIRE_STACK:
		snprintf(out, size, "%s=k", v->name);
		break;
	}
}

static int on_record(void *ctx, const struct dwire_record *r)
{
	struct seen *s = ctx;
	char value[256];

	add(s->records, sizeof(s->records), r->probe.name);
	add(s->records, sizeof(s->records), " ");
	add(s->records, sizeof(s->records), r->action);
	for (size_t i = 0; i < r->nvalues; i++) {
		value_text(&r->values[i], value, sizeof(value));
		add(s->records, sizeof(s->records), " ");
		add(s->records, sizeof(s->records), value);
	}
	add(s->records, sizeof(s->records), "\n");
	CHECK(r->time > 0 && r->probe.id > 0 && *r->probe.provider, "%u", r->probe.id);
	return s->result;
}

static int on_row(void *ctx, const struct dwire_row *r)
{
	struct seen *s = ctx;
	char text[256];

	snprintf(text, sizeof(text), "%s %s %zu/%zu", r->aggregation, r->function, r->index, r->count);
	add(s->rows, sizeof(s->rows), text);
	for (size_t i = 0; i < r->nkeys; i++) {
		value_text(&r->keys[i], text, sizeof(text));
		add(s->rows, sizeof(s->rows), " ");
		add(s->rows, sizeof(s->rows), text);
	}
	snprintf(text, sizeof(text), " = %lld", (long long)r->value);
	add(s->rows, sizeof(s->rows), text);
	for (size_t i = 0; i < r->nbuckets; i++) {
		snprintf(text, sizeof(text), " [%lld,%lld]:%lld", (long long)r->buckets[i].low,
			(long long)r->buckets[i].high, (long long)r->buckets[i].count);
		add(s->rows, sizeof(s->rows), text);
	}
	add(s->rows, sizeof(s->rows), "\n");
	return 0;
}

static int on_text(void *ctx, const char *text, size_t len)
{
	struct seen *s = ctx;
	char part[1024];

	snprintf(part, sizeof(part), "%.*s", (int)len, text);
	add(s->text, sizeof(s->text), part);
	return 0;
}

/* A new handle with the program added. */
static struct dwire *make(struct seen *s, const char *program)
{
	const struct dwire_handlers h = { .size = sizeof(h), .record = on_record, .row = on_row };

	memset(s, 0, sizeof(*s));
	if (dwire_new(&s->d)) {
		CHECK(false, "dwire_new");
		exit(1);
	}
	dwire_on_message(s->d, on_message, s);
	dwire_on_data(s->d, &h, s);
	CHECK(dwire_add(s->d, DWIRE_NAME, "test", program, strlen(program)) == 0, "dwire_add");
	return s->d;
}

/* From the program to its end. 0 or the first error. */
static int run(struct seen *s, const char *program, int *status)
{
	struct dwire *d = make(s, program);
	int r = dwire_compile(d);

	*status = -1;
	if (!r)
		r = dwire_start(d);
	while (!r && (r = dwire_poll(d, -1)) > 0)
		r = 0;
	if (!r)
		r = dwire_end(d, status);
	dwire_free(d);
	return r;
}

static void expect(const char *got, const char *want, const char *what)
{
	CHECK(!strcmp(got, want), "%s: got \"%s\", want \"%s\"", what, got, want);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */
struct states {
	unsigned rounds, stacks; /* states that were complete; rows of @s */
	uint64_t generation;     /* of the last row of @n */
	int64_t sum;             /* of all generations of @n, as observed before they were taken back */
	int64_t last;
};

static void observe(struct states *st, const struct dwire_row *r)
{
	if (r->generation != st->generation)
		st->last = 0;
	st->sum += r->value - st->last;
	st->last = r->value;
	st->generation = r->generation;
}

static int on_state(void *ctx, const struct dwire_row *r)
{
	struct states *st = ctx;

	if (!r)
		st->rounds++;
	else if (!strcmp(r->aggregation, "n"))
		observe(st, r);
	else
		st->stacks++;
	return 0;
}

static int on_last(void *ctx, const struct dwire_row *r)
{
	if (!strcmp(r->aggregation, "n"))
		observe(ctx, r);
	return 0;
}

/* States and printa() together miss nothing, though values are taken back between two states. */
static void test_states(void)
{
	static const char program[] = "tick-10ms { @n = count(); @s[stack()] = count(); i++; } "
				      "tick-700ms { printa(@n); trunc(@n); } tick-10ms /i == 300/ { exit(0); }";
	struct states st = { 0 };
	const struct dwire_handlers h = { .size = sizeof(h), .row = on_last, .state = on_state };
	struct dwire *d;
	int status, r = dwire_new(&d);

	CHECK(!r, "dwire_new");
	dwire_on_data(d, &h, &st);
	r = dwire_set(d, "quiet", NULL) || dwire_add(d, DWIRE_NAME, "test", program, strlen(program)) ||
		dwire_compile(d) || dwire_start(d);
	while (!r && (r = dwire_poll(d, -1)) > 0)
		r = 0;
	CHECK(!r && !dwire_end(d, &status), "the trace of states");
	dwire_free(d);
	CHECK(st.rounds >= 2 && st.rounds <= 60, "%u states in 3 s", st.rounds);
	CHECK(st.stacks > 0, "no rows with stacks");
	CHECK(st.generation >= 3 && st.sum == 300, "%lld events in %llu generations, want 300", (long long)st.sum,
		(unsigned long long)st.generation);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */
static void test_messages(void)
{
	struct seen s;
	struct dwire *d = make(&s, "BEGIN\n{\n\ttrace(nosuch);\n}");

	CHECK(dwire_compile(d) == -EINVAL && s.errors == 1, "%s", s.messages);
	CHECK(s.last.level == DWIRE_ERROR && s.last.line == 3 && s.last.column == 8, "%u:%u", s.last.line,
		s.last.column);
	CHECK(strstr(s.messages, "|D_IDENT_UNDEF|"), "%s", s.messages);
	dwire_free(d);
	d = make(&s, "BEGIN");
	CHECK(dwire_set(d, "bufsize=1q", NULL) == -EINVAL, "%s", s.messages);
	expect(s.messages,
		"0||failed to set bufsize=1q: Invalid value for specified option|it takes bytes, as in 512k, 8m or "
		"1g|:0:0\n",
		"an option");
	CHECK(s.last.error == -EINVAL, "%d", s.last.error);
	CHECK(dwire_poll(d, 0) == -EINVAL, "polled before it was started");
	dwire_free(d);
	dwire_free(NULL);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */
static void test_records(void)
{
	struct seen s;
	int status;

	CHECK(run(&s,
		      "BEGIN { n = 7; u = (uint8_t)200; trace(n); printf(\"%s %d %u\", \"x\\n\", -5, u); "
		      "printf(\"%*d\", 9, n); tracemem(curthread, 4); exit(3); }",
		      &status) == 0 &&
			status == 3,
		"%d %s", status, s.messages);
	expect(s.records,
		"BEGIN trace n=i4:7\nBEGIN printf =s2:x\n =i4:-5 u=u1:200\nBEGIN printf =i4:9 n=i4:7\n"
		"BEGIN tracemem =b4\n",
		"records");
	expect(s.messages, "", "messages");
}

static void test_rows(void)
{
	struct seen s;
	int status;

	CHECK(run(&s,
		      "BEGIN { n = 2; @a[n, \"k\"] = sum(40); @a[n, \"k\"] = sum(2); @a[1, \"l\"] = sum(-1); "
		      "printa(@a);"
		      " @q = quantize(0); @q = quantize(1); @q = quantize(5); @q = quantize(7); @q = quantize(-3);"
		      " @l = lquantize(-1, 0, 20, 10); @l = lquantize(9, 0, 20, 10); @l = lquantize(10, 0, 20, 10);"
		      " @l = lquantize(20, 0, 20, 10); @g = llquantize(150, 10, 0, 3, 10);"
		      " @v = avg(3); @v = avg(6); normalize(@a, 2); printa(@a); exit(0); }",
		      &status) == 0,
		"%s", s.messages);
	expect(s.rows,
		"a sum 0/2 n=i4:1 =s1:l = -1\na sum 1/2 n=i4:2 =s1:k = 42\n"
		"a sum 0/2 n=i4:1 =s1:l = 0\na sum 1/2 n=i4:2 =s1:k = 21\n"
		"q quantize 0/1 = 0 [-3,-2]:1 [0,0]:1 [1,1]:1 [4,7]:2\n"
		"l lquantize 0/1 = 0 [-9223372036854775808,-1]:1 [0,9]:1 [10,19]:1 [20,9223372036854775807]:1\n"
		"g llquantize 0/1 = 0 [100,199]:1\n"
		"v avg 0/1 = 4\n",
		"rows");
}

/* Text goes where the caller says, beside the data; nothing on the standard streams. */
static void test_text(void)
{
	struct seen s;
	struct dwire *d = make(&s, "BEGIN { printf(\"hello %d\\n\", 1); exit(0); }");
	FILE *out = dwire_stream(on_text, &s);
	int status, r;

	CHECK(out && dwire_set(d, "quiet", NULL) == 0 && dwire_is_set(d, "quiet") && !dwire_is_set(d, "zdefs"), "set");
	dwire_output(d, out);
	r = dwire_compile(d);
	if (!r)
		r = dwire_start(d);
	while (!r && (r = dwire_poll(d, 100)) > 0)
		r = 0;
	CHECK(!r && dwire_end(d, &status) == 0, "%d %s", r, s.messages);
	dwire_free(d);
	fclose(out);
	expect(s.text, "hello 1\n\n", "text");
	expect(s.records, "BEGIN printf =i4:1\n", "the same as data");
}

/* A handler that fails ends the trace with its error. */
static void test_handler_fails(void)
{
	struct seen s;
	struct dwire *d = make(&s, "BEGIN { trace(1); } tick-10ms { trace(2); }");
	int status, r;

	s.result = -EDOM;
	r = dwire_compile(d);
	if (!r)
		r = dwire_start(d);
	while (!r && (r = dwire_poll(d, -1)) > 0)
		r = 0;
	CHECK(r == -EDOM, "%d %s", r, s.messages);
	expect(s.records, "BEGIN trace =i4:1\n", "records after the failure");
	(void)!dwire_end(d, &status);
	dwire_free(d);
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */
static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A loop of one's own, on the descriptor. */
static void test_fd(void)
{
	struct seen s;
	struct dwire *d = make(&s, "tick-50ms { trace(i++); } tick-50ms /i == 3/ { exit(0); }");
	int status, r = dwire_compile(d);
	double began = seconds();

	CHECK(dwire_fd(d) == -1, "a descriptor before it was started");
	if (!r)
		r = dwire_start(d);
	while (!r) {
		struct pollfd p = { .fd = dwire_fd(d), .events = POLLIN };

		CHECK(poll(&p, 1, 5000) == 1, "nothing for 5 s");
		r = dwire_poll(d, 0);
		r = r == 1 ? 0 : r == 0 ? 1 : r;
	}
	CHECK(r == 1 && seconds() - began < 10, "%d %s", r, s.messages);
	CHECK(dwire_end(d, &status) == 0, "%s", s.messages);
	dwire_free(d);
	expect(s.records, "tick-50ms trace =i8:0\ntick-50ms trace =i8:1\ntick-50ms trace =i8:2\n", "records");
}

static void *stop_later(void *d)
{
	usleep(100000);
	dwire_stop(d);
	return NULL;
}

static struct dwire *running;

static void on_signal(int sig)
{
	(void)sig;
	dwire_stop(running);
}

/* Stopped by another thread (by_signal: by a handler), a trace fires END. */
static void test_stop(bool by_signal)
{
	struct seen s;
	struct dwire *d = make(&s, "BEGIN { trace(1); } END { trace(2); }");
	struct sigaction act = { .sa_handler = on_signal };
	struct itimerval soon = { .it_value = { .tv_usec = 100000 } };
	int status = -1, r = dwire_compile(d);
	double began = seconds();
	pthread_t t;

	running = d;
	sigaction(SIGALRM, &act, NULL);
	if (!r)
		r = dwire_start(d);
	if (by_signal)
		setitimer(ITIMER_REAL, &soon, NULL);
	else
		pthread_create(&t, NULL, stop_later, d);
	while (!r && (r = dwire_poll(d, -1)) > 0)
		r = 0;
	if (!by_signal)
		pthread_join(t, NULL);
	CHECK(r == 0 && seconds() - began < 5, "%d %s", r, s.messages);
	CHECK(dwire_end(d, &status) == 0 && status == 0, "%d %s", status, s.messages);
	dwire_free(d);
	expect(s.records, "BEGIN trace =i4:1\nEND trace =i4:2\n", "records");
}

/* ---- the process ------------------------------------------------------------------------------------------------- */
struct state {
	sighandler_t handlers[32];
	sigset_t mask;
	struct rlimit files;
	char cwd[256];
	mode_t umask;
	cpu_set_t cpus;
	int fds;
};

static void take_state(struct state *s)
{
	struct sigaction act;

	memset(s, 0, sizeof(*s));
	for (int i = 1; i < 32; i++)
		s->handlers[i] = sigaction(i, NULL, &act) ? SIG_ERR : act.sa_handler;
	sigprocmask(SIG_BLOCK, NULL, &s->mask);
	getrlimit(RLIMIT_NOFILE, &s->files);
	CHECK(getcwd(s->cwd, sizeof(s->cwd)), "getcwd");
	s->umask = umask(0);
	umask(s->umask);
	CHECK(sched_getaffinity(0, sizeof(s->cpus), &s->cpus) == 0, "sched_getaffinity");
	for (int fd = 0; fd < 256; fd++)
		s->fds += fcntl(fd, F_GETFD) >= 0;
}

/* A trace with a command and system() leaves the process as it was, and writes nothing to the standard streams. */
static void test_process(void)
{
	struct state before, after;
	struct seen s;
	struct stat written;
	struct dwire *d;
	char path[] = "/tmp/dwire_faceXXXXXX";
	int file = mkostemp(path, O_CLOEXEC), out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status, r;

	fflush(stdout);
	take_state(&before);
	dup2(file, STDOUT_FILENO);
	dup2(file, STDERR_FILENO);
	d = make(&s, "BEGIN { trace(1); printf(\"%d\", *(int *)8); } proc:::exit /pid == $target/ { @ = count(); }");
	r = dwire_set(d, "cpu=0", NULL); /* binds this thread for the time of the trace */
	if (!r)
		r = dwire_command(d, "true");
	if (!r)
		r = dwire_compile(d);
	if (!r)
		r = dwire_start(d);
	while (!r && (r = dwire_poll(d, -1)) > 0)
		r = 0;
	if (!r)
		r = dwire_end(d, &status);
	dwire_free(d);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	take_state(&after);
	CHECK(r == 0, "%d %s", r, s.messages);
	CHECK(before.fds == after.fds, "%d descriptors, then %d", before.fds, after.fds);
	CHECK(!memcmp(&before, &after, sizeof(before)), "signals, limits or folders changed");
	CHECK(fstat(file, &written) == 0 && written.st_size == 0, "%lld bytes were written",
		(long long)written.st_size);
	CHECK(strstr(s.messages, "2||pid "), "the end of the command is a note: %s", s.messages);
	CHECK(strstr(s.messages, "invalid address"), "a fault is a note: %s", s.messages);
	close(file);
	close(out);
	close(err);
	unlink(path);
}

/* Two traces at a time do not meet. */
static void test_two(void)
{
	struct seen s[2];
	int status;

	for (int i = 0; i < 2; i++) {
		make(&s[i], i ? "tick-20ms { trace(20); exit(2); }" : "tick-20ms { trace(10); exit(1); }");
		CHECK(dwire_compile(s[i].d) == 0 && dwire_start(s[i].d) == 0, "%s", s[i].messages);
	}
	for (int i = 1; i >= 0; i--) {
		int r = 1;

		while (r > 0)
			r = dwire_poll(s[i].d, -1);
		CHECK(r == 0 && dwire_end(s[i].d, &status) == 0 && status == i + 1, "%d %d", r, status);
		dwire_free(s[i].d);
		expect(s[i].records, i ? "tick-20ms trace =i4:20\n" : "tick-20ms trace =i4:10\n", "records");
	}
}

static int count(void *ctx, const struct dwire_probe *p)
{
	(void)p;
	++*(int *)ctx;
	return 0;
}

/* What a list is asked for and has not is -ENOENT, whatever kind of description asks; the others are listed. */
static void test_list(void)
{
	static const struct {
		enum dwire_kind kind;
		const char *text;
		int probes, result;
	} cases[] = {
		{ DWIRE_NAME, "tcp:::send", 1, 0 },
		{ DWIRE_NAME, "nosuch:::", 0, -ENOENT },
		{ DWIRE_NAME, "tcp:::nosuch, tcp:::send", 1, -ENOENT },
		{ DWIRE_PROVIDER, "nosuch", 0, -ENOENT },
		{ DWIRE_MODULE, "nosuch", 0, -ENOENT },
		{ DWIRE_FUNCTION, "nosuch", 0, -ENOENT },
		{ DWIRE_ID, "99999999", 0, -ENOENT },
		{ DWIRE_SCRIPT, "nosuch:::go { }", 0, -ENOENT },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen s = { 0 };
		int n = 0, r;

		if (dwire_new(&s.d))
			exit(1);
		dwire_on_message(s.d, on_message, &s);
		CHECK(dwire_add(s.d, cases[i].kind, "t", cases[i].text, strlen(cases[i].text)) == 0, "%s", s.messages);
		r = dwire_list(s.d, count, &n);
		CHECK(r == cases[i].result && n == cases[i].probes, "%s: %d, %d probes", cases[i].text, r, n);
		CHECK(s.errors == (r ? 1 : 0), "%s: %s", cases[i].text, s.messages);
		dwire_free(s.d);
	}
}

int main(void)
{
	struct dwire *d;

	if (dwire_new(&d) || dwire_require(d)) {
		printf("no tracing here\n");
		return 77;
	}
	dwire_free(d);
	test_messages();
	test_states();
	test_records();
	test_rows();
	test_text();
	test_handler_fails();
	test_fd();
	test_stop(false);
	test_stop(true);
	test_process();
	test_two();
	test_list();
	return failed;
}
