/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox: see sandbox.h. Here: the tracer's side, and the loop of the child. The child's limits: jail.c.
 * Input: jobs. Output: blobs. Invariants: no call waits longer than SANDBOX_WALL_MS, not even for a child that cannot
 * be killed because a file system does not answer it; a child that has broken the protocol in any way is killed. */
#include "symbols/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbols/sandbox/jail.h"

#define GAVE_UP 3     /* exit status of a child that called sandbox_give_up() */
#define KILLED_MS 100 /* that a killed child gets to end */
#define LATE_MOST 8u  /* killed children that have not ended */

struct sandbox {
	pid_t pid; /* 0: there is no child */
	int sock;
	const int *stop; /* borrowed; or NULL */
	bool watching;   /* stop was not readable when the job began */
	uint64_t last;   /* CLOCK_MONOTONIC in ns: when all jobs end, since stop became readable in one; 0: not yet */
	uint64_t spent, ended; /* CPU time in ns: of this child, of former children */
	pid_t late[LATE_MOST]; /* killed, but not ended when we looked */
	unsigned nlate;
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

/* jail.c blocks SIGPIPE, so a tracer that has gone is an error. */
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
		uint64_t start = clock_read(CLOCK_PROCESS_CPUTIME_ID);
		struct blob out = blob_new(r.most);
		struct answer a = { 0 };

		set_timer(JAIL_SANITIZED ? 3 * SANDBOX_CPU_MS : SANDBOX_CPU_MS); /* the build is slow, not the file */
		a.err = r.job(fd, in, r.len, &out, &kept);
		set_timer(0);
		a.err = a.err ? a.err : out.err;
		a.len = a.err ? 0 : out.n;
		a.cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID) - start;
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
struct sandbox *sandbox_new(const int *stop)
{
	struct sandbox *s = calloc(1, sizeof(*s));

	if (s)
		s->stop = stop;
	return s;
}

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000;
}

/* Collects a killed child if it has ended, and adds the CPU time that it used to *ns. The process that uses the library
 * may have collected it: then its status is not known. */
static bool collect(pid_t pid, int *status, uint64_t *ns)
{
	struct rusage use = { 0 };
	pid_t got;

	do
		got = wait4(pid, status, WNOHANG, &use);
	while (got < 0 && errno == EINTR);
	*ns += time_ns(use.ru_utime) + time_ns(use.ru_stime);
	return got != 0;
}

static void collect_late(struct sandbox *s)
{
	uint64_t ns = 0; /* they waited, and were accounted for when they were killed */
	int status;

	for (unsigned i = 0; i < s->nlate;) {
		if (collect(s->late[i], &status, &ns))
			s->late[i] = s->late[--s->nlate];
		else
			i++;
	}
}

/* Starts a child with all signals blocked, so that no handler of the process that uses the library runs in it: jail.c
 * resets them. The sockets are close-on-exec: no program that the process starts keeps the child alive. */
static int start(struct sandbox *s)
{
	sigset_t all, before;
	int socks[2], err;

	if (s->pid)
		return 0;
	collect_late(s);
	if (s->nlate == LATE_MOST)
		return -EAGAIN;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks) < 0)
		return -errno;
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	s->pid = fork();
	if (!s->pid) {
		if (jail_enter(&socks[1], SANDBOX_MEMORY) == 0)
			serve(socks[1]);
		_exit(1);
	}
	err = s->pid < 0 ? -errno : 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	close(socks[1]);
	if (err) {
		close(socks[0]);
		s->pid = 0;
		return err;
	}
	s->sock = socks[0];
	return 0;
}

/* Ends the child. Returns why it ended: -ETIME, -E2BIG or -EIO. A child that waits for a file system ends only when
 * that answers: then we go on without it. */
static int end(struct sandbox *s)
{
	struct pollfd p = { .fd = -1, .events = POLLIN };
	int status = 0;
	uint64_t ns = 0;

	if (!s->pid)
		return 0;
	close(s->sock);
	p.fd = (int)syscall(SYS_pidfd_open, s->pid, 0); /* Linux 5.3 */
	kill(s->pid, SIGKILL);                          /* if it has not ended */
	while (p.fd >= 0 && poll(&p, 1, KILLED_MS) < 0 && errno == EINTR)
		;
	if (p.fd >= 0)
		close(p.fd);
	if (!collect(s->pid, &status, &ns)) {
		status = SIGKILL;
		s->late[s->nlate++] = s->pid; /* there is room: start() sees to it */
	}
	s->ended += ns > s->spent ? ns : s->spent;
	s->spent = 0;
	s->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == GAVE_UP)
		return -E2BIG;
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGKILL) ? -ETIME : -EIO;
}

void sandbox_free(struct sandbox *s)
{
	if (s) {
		(void)end(s);
		collect_late(s);
	}
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

/* Reads until the deadline, or the end of the time that jobs have since stop became readable. */
static int read_by(struct sandbox *s, void *to, size_t len, uint64_t deadline)
{
	for (size_t at = 0; at < len;) {
		uint64_t now = clock_now(), until = s->last && s->last < deadline ? s->last : deadline;
		struct pollfd p[] = { { .fd = s->sock, .events = POLLIN },
			{ .fd = s->watching ? *s->stop : -1, .events = POLLIN } };
		ssize_t n;

		if (now >= until)
			return until == deadline ? -ETIME : -ECANCELED;
		if (poll(p, 2, (int)((until - now) / 1000000) + 1) <= 0)
			continue;
		if (p[1].revents) {
			s->watching = false;
			s->last = clock_now() + SANDBOX_LAST_MS * 1000000ull;
		}
		n = recv(s->sock, (char *)to + at, len - at, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return -EIO;
		at += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int read_answer(struct sandbox *s, struct blob *out)
{
	uint64_t deadline = clock_now() + SANDBOX_WALL_MS * 1000000ull;
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

static bool is_readable(const int *fd)
{
	struct pollfd p = { .fd = fd ? *fd : -1, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
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
	if (s->last && clock_now() >= s->last)
		return -ECANCELED;
	s->watching = s->stop && !s->last && !is_readable(s->stop);
	err = start(s);
	if (err)
		return err;
	err = send_request(s, &r, fd, in);
	if (!err)
		err = read_answer(s, out);
	if (err != -EIO && err != -ETIME && err != -ECANCELED)
		return err;
	blob_free(out);
	why = end(s);
	return err == -EIO ? why : err;
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
	case ECANCELED:
		return "the trace ends";
	default:
		return NULL;
	}
}

uint64_t sandbox_spent(const struct sandbox *s)
{
	return s->ended + s->spent;
}
