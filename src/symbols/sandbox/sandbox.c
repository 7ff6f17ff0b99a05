/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox: see sandbox.h. Here: the tracer's side, and the loop of the child. The child's limits: jail.c.
 * Input: jobs. Output: blobs. Invariant: no call waits longer than SANDBOX_WALL_MS; a child that has broken the
 * protocol in any way is killed. */
#include "symbols/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "symbols/sandbox/jail.h"

#define GAVE_UP 3 /* status of the child */

struct sandbox {
	pid_t pid; /* 0: there is no child */
	int sock;
	uint64_t spent, ended; /* ns: by the jobs of this child, by former children */
	unsigned children;
};

/* The child trusts the tracer: the address of a function is the same in both. */
struct request {
	sandbox_job *job;
	size_t len, most;
	bool has_fd;
};

struct answer {
	int64_t err;
	uint64_t len, cpu; /* ns */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the child --------------------------------------------------------------------------------------------------- */
static bool read_all(int sock, void *to, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = read(sock, (char *)to + at, len - at);

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

static bool write_all(int sock, const void *from, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(sock, (const char *)from + at, len - at);

		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

/* The next request and its descriptor. False: the tracer has gone. */
static bool receive(int sock, struct request *r, int *fd)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec io = { r, sizeof(*r) };
	struct msghdr m = {
		.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	const struct cmsghdr *c;

	*fd = -1;
	if (recvmsg(sock, &m, MSG_CMSG_CLOEXEC | MSG_WAITALL) != (ssize_t)sizeof(*r))
		return false;
	c = CMSG_FIRSTHDR(&m);
	if (r->has_fd && c && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return r->len <= SANDBOX_IN_MOST;
}

/* The kernel ends a job, and with it the child, by SIGPROF. */
static void set_timer(long ms)
{
	struct itimerval t = { .it_value = { ms / 1000, ms % 1000 * 1000 } };

	(void)setitimer(ITIMER_PROF, &t, NULL);
}

/* Jobs one after the other, until the socket is closed. A job's error has no bytes. */
static void serve(int sock)
{
	void *kept = NULL;
	char *in = malloc(SANDBOX_IN_MOST);
	struct request r;
	int fd;

	while (in && receive(sock, &r, &fd) && read_all(sock, in, r.len)) {
		uint64_t start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
		struct blob out = blob_new(r.most);
		struct answer a = { 0 };

		set_timer(SANDBOX_CPU_MS);
		a.err = r.job(fd, in, r.len, &out, &kept);
		set_timer(0);
		a.err = a.err ? a.err : out.err;
		a.len = a.err ? 0 : out.n;
		a.cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - start;
		if (fd >= 0)
			close(fd);
		if (!write_all(sock, &a, sizeof(a)) || !write_all(sock, out.v, a.len))
			break;
		blob_free(&out);
	}
	_exit(0);
}

void sandbox_give_up(void)
{
	_exit(GAVE_UP);
}

/* ---- the tracer -------------------------------------------------------------------------------------------------- */
struct sandbox *sandbox_new(void)
{
	return calloc(1, sizeof(struct sandbox));
}

/* The sockets are close-on-exec: no program that the tracer starts keeps the child alive. */
static int start(struct sandbox *s)
{
	int socks[2], err;

	if (s->pid)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks) < 0)
		return -errno;
	s->pid = fork();
	if (!s->pid) {
		if (jail_enter(&socks[1], SANDBOX_MEMORY) == 0)
			serve(socks[1]);
		_exit(1);
	}
	err = s->pid < 0 ? -errno : 0;
	close(socks[1]);
	if (err) {
		close(socks[0]);
		s->pid = 0;
		return err;
	}
	s->sock = socks[0];
	s->children++;
	return 0;
}

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000;
}

/* Why it ended: -ETIME, -E2BIG, -EIO. */
static int stop(struct sandbox *s)
{
	struct rusage use = { 0 };
	uint64_t ns;
	int status = 0;

	if (!s->pid)
		return 0;
	close(s->sock);
	kill(s->pid, SIGKILL); /* if it has not ended */
	while (wait4(s->pid, &status, 0, &use) < 0 && errno == EINTR)
		;
	s->pid = 0;
	ns = time_ns(use.ru_utime) + time_ns(use.ru_stime);
	s->ended += ns > s->spent ? ns : s->spent;
	s->spent = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == GAVE_UP)
		return -E2BIG;
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGKILL) ? -ETIME : -EIO;
}

void sandbox_free(struct sandbox *s)
{
	if (s)
		(void)stop(s);
	free(s);
}

/* A request is smaller than the socket's buffer, which the last answer has left empty: it is sent whole, or the child
 * has ended. */
static int send_request(const struct sandbox *s, const struct request *r, int fd, const void *in)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec io[] = { { (void *)(uintptr_t)r, sizeof(*r) }, { (void *)(uintptr_t)in, r->len } };
	struct msghdr m = { .msg_iov = io, .msg_iovlen = r->len ? 2 : 1 };
	size_t want = sizeof(*r) + r->len;

	if (r->has_fd) {
		struct cmsghdr *c;

		m.msg_control = control;
		m.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	return sendmsg(s->sock, &m, MSG_NOSIGNAL) == (ssize_t)want ? 0 : -EIO;
}

/* Reads until the deadline. */
static int read_by(const struct sandbox *s, void *to, size_t len, uint64_t deadline)
{
	for (size_t at = 0; at < len;) {
		uint64_t now = now_ns(CLOCK_MONOTONIC);
		struct pollfd p = { .fd = s->sock, .events = POLLIN };
		ssize_t n;

		if (now >= deadline)
			return -ETIME;
		if (poll(&p, 1, (int)((deadline - now) / 1000000) + 1) <= 0)
			continue;
		n = recv(s->sock, (char *)to + at, len - at, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return -EIO;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int read_answer(struct sandbox *s, struct blob *out)
{
	uint64_t deadline = now_ns(CLOCK_MONOTONIC) + SANDBOX_WALL_MS * 1000000ull;
	struct answer a = { 0 };
	int err = read_by(s, &a, sizeof(a), deadline);

	if (err)
		return err;
	s->spent += a.cpu;
	if (a.err)
		return a.err < 0 && a.err > -4096 ? (int)a.err : -EIO;
	if (a.len > out->most)
		return -EIO;
	out->v = malloc(a.len ? a.len : 1);
	if (!out->v)
		return -EIO; /* the answer stands in the socket: the child is of no more use */
	err = read_by(s, out->v, a.len, deadline);
	out->n = out->cap = err ? 0 : a.len;
	return err;
}

int sandbox_run(struct sandbox *s, sandbox_job *job, int fd, const void *in, size_t len, struct blob *out)
{
	struct request r = { .job = job, .len = len, .most = out->most, .has_fd = fd >= 0 };
	void *kept = NULL;
	int err, why;

	if (len > SANDBOX_IN_MOST)
		return -E2BIG;
	if (!s) {
		err = job(fd, in, len, out, &kept);
		return err ? err : out->err;
	}
	err = start(s);
	if (err)
		return err;
	err = send_request(s, &r, fd, in);
	if (!err)
		err = read_answer(s, out);
	if (err != -EIO && err != -ETIME)
		return err;
	blob_free(out);
	why = stop(s);
	return err == -ETIME ? err : why;
}

const char *sandbox_why(int err)
{
	switch (-err) {
	case ETIME:
		return "reading it takes too long";
	case E2BIG:
	case EFBIG:
		return "it is too large";
	case ENOMEM:
		return "reading it takes too much memory";
	case EIO:
		return "the file is damaged";
	default:
		return NULL;
	}
}

uint64_t sandbox_spent(const struct sandbox *s)
{
	return s->ended + s->spent;
}

unsigned sandbox_children(const struct sandbox *s)
{
	return s->children;
}
