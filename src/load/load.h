/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: loads the maps and programs of an image into the kernel. */
#ifndef DWIRE_LOAD_LOAD_H
#define DWIRE_LOAD_LOAD_H
#include "image/image.h"
#include "kernel/features.h"

#define LOAD_BUFSIZE_DEFAULT (4u << 20)
#define LOAD_BUFSIZE_PACKETS (16u << 20)      /* for a script that records each packet */
#define LOAD_BUFSIZE_PACKETS_ALL (256u << 20) /* of all CPUs together */
#define LOAD_BUFSIZE_SUMMARY (256u << 10)     /* for a script without records by event */

struct reporter;

/* Maps of the owner service (owner/owner.h), borrowed. -1: there is none. */
struct owner_maps {
	int owners, last_users, senders, ended, places;
};
#define OWNER_MAPS_NONE ((struct owner_maps){ -1, -1, -1, -1, -1 })

/* How a program of the script follows that of the owner service at the same place. From there it is a jump, which takes
 * less time than another call by the kernel. */
#define OWNER_AFTERS 2 /* so many places */
struct owner_after {
	uint32_t type;               /* enum bpf_attach_type */
	const char *tracepoint;      /* the place, if the type is BPF_TRACE_RAW_TP; else NULL */
	int array;                   /* for the program; -1: the service has no program there that can be followed */
	int prog;                    /* the service's */
	volatile uint32_t *followed; /* does it go on to the one in the array? */
};

struct load_config {
	const struct image *image; /* borrowed, as long as the loaded image lives */
	struct features *features; /* borrowed likewise */
	uint64_t bufsize;          /* bytes of one CPU's ring buffer, rounded up to a power of two pages; 0: default */
	struct owner_maps owner;
};

/* A program that was loaded for one of the BPF programs that it traces. */
struct prog_copy {
	size_t i; /* index in image.progs */
	int fd;
};

/* Descriptors; all closed by load_free(), and by the kernel when the process dies, which undoes everything. */
struct loaded {
	size_t nmaps, nprogs, nrings;
	int *maps; /* by index in image.maps; those of the owner service are not ours */
	/* by index in image.progs; -1: a tick's program for an event, which the kernel has refused, or one that is
	 * there as copies */
	int *progs;
	struct prog_copy *copies; /* see load_copy() */
	size_t ncopies;
	/* BPF ring buffers by CPU; NULL: the rings are elements of the map. CPUs beyond the last online one, which has
	 * number nrings - 1, write to the first. */
	int *rings;
	uint32_t ring_size; /* bytes of one, smaller than was asked for when memory was short */
	int rings_fd;       /* the map of the rings; -1: the image has none */
	int bell_fd;        /* MAP_BELL; -1 likewise */
	int drops_fd;       /* -1 likewise */
	const struct image *image;
	struct filler *filler; /* private */
	struct late *late;     /* private: programs that are still being loaded; NULL: none */
};

/* Returns 0 or -errno, which is reported. The report of a refused program points at the line of D and has the end of
 * the verifier's log as its detail. */
int load_image(const struct load_config *c, struct loaded **out, const struct reporter *to)
	__attribute__((warn_unused_result));
/* The programs of END are loaded behind the others, in a thread, while those are attached. This waits for them; without
 * it END does not fire. 0, or -errno after a report as that of load_image(). May be called again. */
int load_finish(struct loaded *l, const struct reporter *to) __attribute__((warn_unused_result));
/* NULL and half-built are fine. */
void load_free(struct loaded *l);
struct load_target {
	size_t i;      /* index in image.progs of the program that traces */
	int prog;      /* the BPF program that it is to trace, borrowed */
	uint32_t func; /* BTF id of that program's function, in its own types */
};
/* Loads program i for a BPF program. A descriptor, which l owns, or -errno, which is reported as by load_image(). */
int load_copy(struct loaded *l, struct features *f, const struct load_target *at, const struct reporter *to)
	__attribute__((warn_unused_result));
/* Does the program take one link for all its functions? Then it is loaded for that (BPF_TRACE_KPROBE_MULTI). */
bool load_kprobe_multi(const struct image_prog *p, struct features *f);
/* Sets the rate of sampling: one firing in so many runs. 0, also if the image has none, or -errno. */
int load_set_rate(const struct loaded *l, uint64_t rate) __attribute__((warn_unused_result));
/* Sets the gate (abi/abi.h) that the programs read. 0, also if the image has none, or -errno. */
int load_set_gate(const struct loaded *l, enum dw_gate gate) __attribute__((warn_unused_result));
/* Has a program called exit()? */
bool load_ended(const struct loaded *l);
/* Times that a program, or program i, was not run because it would have interrupted itself on the same CPU. */
uint64_t load_prog_missed(int prog);
uint64_t load_missed(const struct loaded *l, size_t i);
/* Waits until every program that was running at the call has ended. */
void load_synchronize(void);
#endif
