/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach_uprobe: connects a program to instructions of programs and libraries. */
#ifndef DWIRE_LOAD_ATTACH_UPROBE_H
#define DWIRE_LOAD_ATTACH_UPROBE_H
#include <stdbool.h>
#include <stdio.h>

#include "image/image.h"
#include "kernel/features.h"
#include "load/links.h"

/* A file whose processes are traced, also those that start later. */
struct uprobe_file {
	const char *path; /* borrowed */
	bool gone;        /* no name leads to it any more */
};

struct uprobe_links {
	struct links fds;
	struct uprobe_file *files;
	size_t nfiles;
	size_t refused;             /* places where the kernel puts no probe */
	const struct uplace *first; /* ... the first of them, and why */
	int error;
};

/* Attaches program p, which is loaded as prog, to its places. Places that the kernel refuses (an instruction that it
 * cannot step over) are counted, and are an error only if there is no other. 0 or -errno with why. */
int uprobes_attach(const struct image_prog *p, int prog, struct features *f, struct uprobe_links *links, char *why,
	size_t why_len) __attribute__((warn_unused_result));
void uprobes_detach(struct uprobe_links *links); /* twice is fine */
void uprobes_free(struct uprobe_links *links);   /* what is left after that; twice is fine */
/* Says of files that have been deleted or replaced meanwhile that their next processes are not traced; once each. */
void uprobes_look(struct uprobe_links *links, FILE *err);
/* "main of /usr/bin/x" and why it is refused, in buf; "" when nothing was. */
void uprobes_describe(const struct uprobe_links *links, char *buf, size_t size);
#endif
