/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traffic: a child in a separate network namespace, with loopback up, that makes a known mixture of packets and reads
 * the namespace's counters. It ends with its parent. */
#ifndef DWIRE_CLI_SELFTEST_TRAFFIC_H
#define DWIRE_CLI_SELFTEST_TRAFFIC_H
#include <stdint.h>
#include <sys/types.h>

struct traffic {
	pid_t pid;
	int fd;
	uint32_t netns; /* the namespace's number */
};

/* 0 or -errno: no namespace may be made here. */
int traffic_start(struct traffic *t) __attribute__((warn_unused_result));
/* Makes the traffic once: TCP, UDP and ICMP over IPv4 and, where loopback has it, IPv6. 0 or -errno. */
int traffic_make(const struct traffic *t) __attribute__((warn_unused_result));
/* The sum of the counters, as dwire_probe_counters() names them; those that the kernel lacks count as 0. -errno. */
int64_t traffic_count(const struct traffic *t, const char *counters);
void traffic_end(struct traffic *t);
#endif
