/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process: what /proc says of the owner of a packet, and the kernel's record of it does not. */
#ifndef DWIRE_PRINT_CAPTURE_PROCESS_H
#define DWIRE_PRINT_CAPTURE_PROCESS_H
#include <stddef.h>
#include <stdint.h>

struct processes;

#define PROCESS_ARGS 512
#define PROCESS_POD 40

struct process_info {
	uint32_t pid;
	char execname[16];
	char args[PROCESS_ARGS]; /* its arguments, with blanks between them; "": not known */
	char pod[PROCESS_POD];   /* the uid of its Kubernetes pod; "": none, or not known */
};

/* NULL: no memory. */
struct processes *processes_new(void);
/* NULL is fine. */
void processes_free(struct processes *p);
/* The process of that number and name. It is read when it is seen first and kept, as it may be gone later. Never NULL;
 * valid until the next call. */
const struct process_info *process_find(struct processes *p, uint32_t pid, const char *execname, size_t len);
#endif
