/* SPDX-License-Identifier: GPL-2.0-or-later */
/* selinux: does SELinux confine this process, and which permissions for tracing does its policy deny? */
#ifndef DWIRE_KERNEL_SELINUX_H
#define DWIRE_KERNEL_SELINUX_H
#include <stdbool.h>
#include <stddef.h>

struct selinux {
	char domain[160]; /* that confines this process: "system_u:system_r:container_t:s0"; "": none is seen */
	char denied[192]; /* "bpf { map_create prog_load }, capability2 { bpf }"; "": nothing that is known */
	bool unreadable;  /* there is a domain, but this process cannot see the policy, as in a container */
};

/* events: ask for perf events too, which kprobes, uprobes and profile need. */
void selinux_ask(struct selinux *s, bool events);
#endif
