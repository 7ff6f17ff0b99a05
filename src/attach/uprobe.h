/* SPDX-License-Identifier: GPL-2.0-or-later */
/* uprobe: attaches a program to instructions of programs and libraries. */
#ifndef DWIRE_ATTACH_UPROBE_H
#define DWIRE_ATTACH_UPROBE_H
#include <stdbool.h>

#include "attach/links.h"
#include "image/image.h"
#include "kernel/features.h"

struct reporter;

/* A file whose processes are traced, also those that start later. */
struct uprobe_file {
	const char *path; /* borrowed */
	bool gone;        /* no name leads to it any more */
};

struct uprobe_links {
	struct links fds;
	struct uprobe_file *files;
	size_t nfiles;
	size_t refused;              /* places where the kernel puts no probe */
	const struct uplace *first;  /* the first of them */
	int error;                   /* why it was refused: -errno */
	const struct uplace *failed; /* of the program that uprobes_attach() failed with, nfailed places; NULL: none */
	size_t nfailed;
};

/* Attaches program p, which is loaded as prog, to its places. Places that the kernel refuses (an instruction that it
 * cannot step over) are counted, and are an error only if there is no other. Returns 0, or -errno, which
 * uprobes_report() reports: a thread may call this. */
int uprobes_attach(const struct image_prog *p, int prog, struct uprobe_links *links)
	__attribute__((warn_unused_result));
/* Returns err, with which uprobes_attach() failed. */
int uprobes_report(const struct uprobe_links *links, int err, struct features *f, const struct reporter *to);
void uprobes_free(struct uprobe_links *links); /* without the links; twice is fine */
/* Warns, once for each file, when a file was deleted or replaced: its next processes are not traced. */
void uprobes_look(struct uprobe_links *links, const struct reporter *to);
/* Warns when places were refused: how many, and why the first. */
void uprobes_warn_refused(const struct uprobe_links *links, const struct reporter *to);
#endif
