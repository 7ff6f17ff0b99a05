/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_priv: declarations shared by the files that load an image. */
#ifndef DWIRE_LOAD_LOAD_PRIV_H
#define DWIRE_LOAD_LOAD_PRIV_H
#include <linux/bpf.h>

#include "load/functab.h"
#include "load/load.h"

struct loader {
	const struct load_config *c;
	struct loaded *l;
	struct func_types types;
	int target;                /* descriptor of the BPF program that is to be traced; 0: none */
	const struct reporter *to; /* of the errors that the functions below return */
};

/* load_maps.c */
int load_make_maps(struct loader *ld) __attribute__((warn_unused_result));
/* The member for a map's role; NULL: it is not of the owner service. */
const int *load_borrowed(const struct owner_maps *maps, enum map_role role);

/* load_progs.c. If l->late is set then, it has taken ld->types. */
int load_make_progs(struct loader *ld) __attribute__((warn_unused_result));
void load_free_late(struct loaded *l);

/* load_rings.c: the map's descriptor or -errno. */
int load_create_rings(struct loader *ld, const struct image_map *m) __attribute__((warn_unused_result));
int load_await_rings(struct loader *ld) __attribute__((warn_unused_result)); /* until every CPU has its ring */
void load_close_rings(struct loaded *l);
void load_filler_free(struct filler *f);

/* load_refused.c */
/* "cannot create the BPF map agg_0 (4096 bytes): reason". Returns err (-errno). */
int load_map_failed(struct loader *ld, const char *name, uint64_t bytes, int err);
void load_cut_log(char *log); /* statistics behind the verdict */
/* Reports that the kernel refused a program. Returns err (-errno). */
int load_refused(struct loader *ld, const struct image_prog *p, const char *log, int err);
#endif
