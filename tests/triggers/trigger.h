/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Common parts of the trigger programs: small programs that make known traffic and print what they did.
 *
 * Input: the options that every trigger has (see trig_usage).  Output: one `key=value` a line on stdout, printed by
 * the coordinating process alone, so that lines of two processes never mix.  Invariant: a trigger ends by itself (an
 * alarm bounds it) and so do the processes that it started (they die with their parent).
 *
 * Triggers are programs, not libraries: a failure prints the operation and its object, and exits with 1.
 */
#ifndef DWIRE_TESTS_TRIGGER_H
#define DWIRE_TESTS_TRIGGER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/* getopt letters of the common options; a trigger appends its own. */
#define TRIG_OPTIONS "46hp:t:w"

/* A pause after which every delayed acknowledgement of Linux (at most 200 ms by default, 40 ms in practice) is out. */
enum { TRIG_SETTLE_MS = 250 };

/* The common options. */
struct trig {
	const char *usage;    /* the trigger's own part of the help text */
	const char *name;     /* program name for messages */
	int family;           /* AF_INET or AF_INET6 */
	uint16_t port;        /* host order; 0: the kernel chooses */
	unsigned int seconds; /* life time before the alarm ends the program */
	bool wait;            /* wait for a byte on stdin or SIGUSR1 before the traffic */
};

/* An address with its length, ready for bind, connect and sendto. */
struct trig_addr {
	struct sockaddr_storage ss;
	socklen_t len;
};

/* A child process with a pipe in each direction. */
struct trig_proc {
	pid_t pid;
	int to;   /* write end: messages to the child */
	int from; /* read end: messages from the child */
};

/* What a child runs: `in` and `out` are its ends of the pipes; the value returned is its exit status. */
typedef int trig_main(void *arg, int in, int out);

/* --- start, end, output --- */

/* Sets the defaults.  `usage` describes the trigger's own options, one a line; it stays borrowed. */
void trig_init(struct trig *t, const char *argv0, const char *usage);

/* Handles a common option.  Returns false if `c` is not one; exits after -h and on a bad value. */
bool trig_option(struct trig *t, int c, const char *arg);

/* Arms the alarm and blocks SIGUSR1 (trig_wait takes it).  Call once, after the options. */
void trig_start(const struct trig *t);

/* If -w was given: prints ready=1 and waits for a byte on stdin or SIGUSR1.  End of file on stdin is not a byte. */
void trig_wait(const struct trig *t);

/* Waits as trig_wait does, whether or not -w was given. */
void trig_wait_always(void);

/* Prints key=value and flushes. */
void trig_kv(const char *key, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the program's name, the message and errno's text if errno is not 0, and exits with 1. */
_Noreturn void trig_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A decimal number from min to max, or trig_die. */
long trig_number(const char *text, long min, long max);

void trig_usage(const struct trig *t);

/* Sleeps that long, whatever signals come. */
void trig_sleep(unsigned int ms);

/* Names the process (at most 15 characters) as the tracer's execname shows it. */
void trig_set_name(const char *name);

/* --- processes --- */

/* Forks a child of that name that runs fn(arg).  The child dies when its parent does. */
void trig_spawn(struct trig_proc *p, const char *name, trig_main *fn, void *arg);

/* Waits for the child; dies if it failed. */
void trig_join(struct trig_proc *p);

/* Whole messages over a pipe. */
void trig_put(int fd, const void *data, size_t size);
void trig_get(int fd, void *data, size_t size);

/* --- sockets --- */

/* Waits until so many datagrams have arrived at the socket, read or dropped, or none has for half a second: slow
 * machines hand them up long after they were sent, and may drop them before. Reads what is there. */
void trig_arrived(int fd, uint64_t datagrams);

/* The loopback address of a family (AF_INET or AF_INET6) with a port in host order; TRIG_ADDR4 and TRIG_ADDR6 of the
 * environment are addresses of this host to use instead. */
struct trig_addr trig_loopback(int family, uint16_t port);

/* A numeric address, 4 or 6, with a port in host order. */
struct trig_addr trig_address(const char *text, uint16_t port);

/* socket and bind, SO_REUSEADDR set for a stream socket. */
int trig_bound(int type, const struct trig_addr *a);

/* socket, bind and listen. */
int trig_listen(const struct trig_addr *a, int backlog);

/* A TCP connection to the address, TCP_NODELAY set. */
int trig_connect(const struct trig_addr *a);

int trig_accept(int listener);

/* The local or the peer's port of a socket in host order. */
uint16_t trig_port(int fd);
uint16_t trig_peer_port(int fd);

/* All of the bytes, or trig_die. */
void trig_send(int fd, const void *data, size_t size);

/* Reads until `size` bytes or end of file; returns the bytes read. */
size_t trig_recv(int fd, void *data, size_t size);

/* --- an echo between two processes, used by several triggers --- */

/* Input of both sides. */
struct trig_echo {
	struct trig_addr addr;   /* where the server binds; port 0: the kernel chooses */
	struct trig_addr target; /* where the client connects; its port comes from the server */
	unsigned int connections;
	unsigned int messages; /* for each connection, in each direction */
	unsigned int bytes;    /* of a message */
	unsigned int delay_ms; /* between steps */
	bool quick;            /* close at once: the segments of the close are not known then */
};

/*
 * What one side did.  Segments are the kernel's own count (TCP_INFO, read while the connection is quiet) plus those
 * that it does not include: the server's SYN-ACK, and the segments of the close, which are known because each side
 * waits for the other to be quiet.  A segment is one of the wire: the kernel hands several at once to the device when
 * a message is longer than the segment size, and a tracer may then see fewer and longer ones.
 */
struct trig_echo_result {
	uint64_t connections;
	uint64_t bytes_out;
	uint64_t bytes_in;
	uint64_t segs_out;
	uint64_t segs_in;
	uint64_t data_segs_out;
	uint64_t data_segs_in;
	uint64_t retransmits;
	uint16_t first_port; /* the client's, of its first and last connection */
	uint16_t last_port;
};

/* Child mains; arg is a struct trig_echo.  The server reads a byte (go), sends its port and then its result. */
int trig_echo_server(void *arg, int in, int out);

/* The client reads the server's port, sends its result, and stays until it reads a byte. */
int trig_echo_client(void *arg, int in, int out);

/* Runs the two children to their end and prints results under the keys client_ and server_. */
void trig_echo_run(const struct trig_echo *e, struct trig_proc *server, struct trig_proc *client);

#endif
