/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup_taken: explains why a cgroup refuses a program. */
#ifndef DWIRE_ATTACH_CGROUP_TAKEN_H
#define DWIRE_ATTACH_CGROUP_TAKEN_H

#include <linux/bpf.h>

/* What to append to the message of error err (negative) of attaching to that hook of the cgroup: "" or a sentence
 * that begins with "; ". A program that is already attached may exclude others. */
const char *cgroup_taken(int err, int cgroup_fd, enum bpf_attach_type type);

#endif
