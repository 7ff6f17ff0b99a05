/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpfsys: the system call bpf(2), one function for each command. Each returns a descriptor or 0, or -errno.
 *
 * dwire does not use libbpf's functions: they load programs to find out what the kernel supports, and they add
 * 240 KB. */
#ifndef DWIRE_KERNEL_BPFSYS_H
#define DWIRE_KERNEL_BPFSYS_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BPFSYS_CHECKED __attribute__((warn_unused_result))

/* The kernel takes letters, digits, _ and . in names, at most 15. */
void bpfsys_name(char out[BPF_OBJ_NAME_LEN], const char *name);
int bpfsys(enum bpf_cmd cmd, union bpf_attr *attr) BPFSYS_CHECKED; /* repeated after EAGAIN, and with more memory */

/* ---- maps -------------------------------------------------------------------------------------------------------- */
/* While a call that reads or changes a map runs, the kernel runs no program at a kprobe or a perf event on that CPU.
 * After this function was called, such calls run under SCHED_FIFO, if the process may use it: no other thread gets the
 * CPU before they return. */
void bpfsys_maps_at_once(void);
/* inner: for a map of maps, a map of the kind that it will hold; else -1. */
int bpfsys_map_create(uint32_t type, const char *name, uint32_t key, uint32_t value, uint32_t n, uint32_t flags,
	int inner) BPFSYS_CHECKED;
int bpfsys_map_lookup(int map, const void *key, void *value) BPFSYS_CHECKED;
int bpfsys_map_take(int map, const void *key, void *value) BPFSYS_CHECKED; /* looks up and deletes */
int bpfsys_map_update(int map, const void *key, const void *value, uint64_t flags) BPFSYS_CHECKED;
int bpfsys_map_delete(int map, const void *key) BPFSYS_CHECKED;
int bpfsys_map_next(int map, const void *key, void *next) BPFSYS_CHECKED; /* key NULL: the first */
int bpfsys_map_freeze(int map) BPFSYS_CHECKED;
/* Reads a batch of entries, and deletes them if take is set. *n: in, the room in entries; out, the
 * number read. from NULL: starts at the first entry; else the value that the last call stored through `to`. */
int bpfsys_map_lookup_batch(
	int map, const void *from, void *to, void *keys, void *values, uint32_t *n, bool take) BPFSYS_CHECKED;
int bpfsys_map_update_batch(int map, const void *keys, const void *values, uint32_t n) BPFSYS_CHECKED;

/* ---- programs and links ------------------------------------------------------------------------------------------ */
int bpfsys_prog_load(
	uint32_t type, const char *name, const struct bpf_insn *insns, size_t n, uint32_t flags) BPFSYS_CHECKED;
/* Runs the program once; cpu -1: on the current CPU. *result is its return value; result may be NULL. */
int bpfsys_prog_run(int prog, const void *ctx, size_t size, int cpu, uint32_t *result) BPFSYS_CHECKED;
int bpfsys_link(int prog, int target, enum bpf_attach_type type) BPFSYS_CHECKED;
int bpfsys_link_event(int prog, int event, uint64_t cookie) BPFSYS_CHECKED;
/* One link for n functions at kprobes (Linux 5.18, CONFIG_FPROBE). cookies NULL: none. */
int bpfsys_link_multi(
	int prog, const char *const *functions, const uint64_t *cookies, size_t n, bool returns) BPFSYS_CHECKED;
/* Attaches to a hook of netfilter in the network namespace of this thread. */
int bpfsys_link_netfilter(int prog, uint32_t family, uint32_t hook, int32_t priority) BPFSYS_CHECKED;
/* To a tracepoint, or with NULL to the tracepoint or function that the program was verified for. */
int bpfsys_link_raw(int prog, const char *tracepoint) BPFSYS_CHECKED;
int bpfsys_iter_new(int link) BPFSYS_CHECKED;

/* ---- information ------------------------------------------------------------------------------------------------- */
int bpfsys_info(
	int fd, void *info, uint32_t size) BPFSYS_CHECKED; /* struct bpf_map_info, ...; the kernel also reads it */
int bpfsys_prog_next(uint32_t *id) BPFSYS_CHECKED;         /* the next id after *id; -ENOENT: there is none */
int bpfsys_prog_fd(uint32_t id) BPFSYS_CHECKED;
int bpfsys_btf_next(uint32_t *id) BPFSYS_CHECKED; /* the next id after *id */
int bpfsys_btf_fd(uint32_t id) BPFSYS_CHECKED;
int bpfsys_stats(void) BPFSYS_CHECKED; /* the kernel measures run times while the descriptor is open */
#endif
