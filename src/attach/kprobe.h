/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kprobe: attaches a program to kernel functions by kprobes. */
#ifndef DWIRE_ATTACH_KPROBE_H
#define DWIRE_ATTACH_KPROBE_H
#include "attach/links.h"
#include "image/image.h"
#include "kernel/features.h"

struct kprobe_links {
	struct links fds;
	size_t refused;                   /* functions where the kernel puts no probe */
	const struct image_target *first; /* the first of them */
	int error;                        /* why it was refused: -errno */
};

/* How often the kernel passed over the probes of the links from number `from` on, because another probe was being
 * handled on the same CPU. Counted since Linux 6.7; 0 before. */
uint64_t kprobes_missed(const struct kprobe_links *links, size_t from, size_t to);

/* Attaches program p, which is loaded as prog, to its targets. Of several, those that the kernel refuses are counted,
 * and are an error only if there is no other. 0 or -errno; -EMFILE: each function takes a descriptor on this kernel,
 * and this process may not have so many. */
int kprobes_attach(const struct image_prog *p, int prog, struct features *f, struct kprobe_links *links)
	__attribute__((warn_unused_result));
#endif
