/* SPDX-License-Identifier: GPL-2.0-or-later */
/* headers: the least that a packet file can cost with BPF: headers.bpf.c, and a loop that writes its records.
 * Input: headers OBJECT CGROUP [both]: packets as they are sent, or also as they are received. Output: the records, as
 * they are; at SIGINT how many there were and how many were lost, in tcpdump's words. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 5000000 /* as dwire */

static volatile sig_atomic_t stop;
static unsigned long long kept;

static void on_signal(int sig)
{
	stop = sig;
}

static int write_record(void *ctx, void *data, size_t len)
{
	(void)ctx;
	kept++;
	return fwrite(data, len, 1, stdout) == 1 ? 0 : -1;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

int main(int argc, char **argv)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	unsigned long long lost[1] = { 0 };
	struct bpf_object *obj;
	struct ring_buffer *rb;
	int cgroup, zero = 0;

	if (argc < 3)
		return 2;
	obj = bpf_object__open_file(argv[1], NULL);
	cgroup = open(argv[2], O_RDONLY);
	if (!obj || cgroup < 0 || bpf_object__load(obj))
		die(argv[1]);
	if (!bpf_program__attach_cgroup(bpf_object__find_program_by_name(obj, "sent"), cgroup))
		die("egress");
	if (argc > 3 && !bpf_program__attach_cgroup(bpf_object__find_program_by_name(obj, "received"), cgroup))
		die("ingress");
	rb = ring_buffer__new(bpf_object__find_map_fd_by_name(obj, "ring"), write_record, NULL, NULL);
	if (!rb)
		die("ring");
	signal(SIGINT, on_signal);
	while (!stop) {
		ring_buffer__consume(rb);
		nanosleep(&look, NULL);
	}
	ring_buffer__consume(rb);
	bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(obj, ".bss"), &zero, lost);
	fprintf(stderr, "%llu packets captured\n%llu packets dropped by kernel\n", kept, lost[0]);
	return fflush(stdout) ? 1 : 0;
}
