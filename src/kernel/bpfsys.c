/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpfsys: see bpfsys.h. Wraps bpf(2), one function for each command.
 * Input: descriptors, addresses of keys and values. Output: a descriptor, 0, or -errno.
 * Invariant: unset members of union bpf_attr are 0, as the kernel demands. */
#include "kernel/bpfsys.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/memlock.h"

/* The verifier returns EAGAIN when a signal is pending. A few tries are enough, since signals are rare. */
#define TRIES 5
#define ADDR(p) ((uint64_t)(uintptr_t)(p))

/* The whole union is passed. An older kernel, whose union is smaller, accepts it if the members that it does not know
 * are 0. */
static int call(enum bpf_cmd cmd, union bpf_attr *attr)
{
	long fd;
	int tries = TRIES;

	do
		fd = syscall(SYS_bpf, cmd, attr, sizeof(*attr));
	while (fd < 0 && errno == EAGAIN && --tries);
	return fd < 0 ? -errno : (int)fd;
}

/* What takes memory is tried again with a higher limit: before Linux 5.11 such memory is limited. */
int bpfsys(enum bpf_cmd cmd, union bpf_attr *attr)
{
	int fd = call(cmd, attr);
	bool takes = cmd == BPF_MAP_CREATE || cmd == BPF_PROG_LOAD || cmd == BPF_BTF_LOAD;

	return fd == -EPERM && takes && memlock_raise() ? call(cmd, attr) : fd;
}

/* Names are only for people (bpftool): a long one is cut, and other characters become _, instead of failing with
 * EINVAL. */
void bpfsys_name(char out[BPF_OBJ_NAME_LEN], const char *name)
{
	size_t i;

	for (i = 0; name && name[i] && i + 1 < BPF_OBJ_NAME_LEN; i++)
		out[i] = isalnum((unsigned char)name[i]) || name[i] == '.' ? name[i] : '_';
	out[i] = '\0';
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */
int bpfsys_map_create(
	uint32_t type, const char *name, uint32_t key, uint32_t value, uint32_t n, uint32_t flags, int inner)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key;
	attr.value_size = value;
	attr.max_entries = n;
	attr.map_flags = flags;
	if (inner >= 0)
		attr.inner_map_fd = (uint32_t)inner;
	bpfsys_name(attr.map_name, name);
	return bpfsys(BPF_MAP_CREATE, &attr);
}

static bool at_once;

void bpfsys_maps_at_once(void)
{
	__atomic_store_n(&at_once, true, __ATOMIC_RELAXED);
}

/* Of the calling thread; the functions of musl do nothing. 0, or -1. */
static int set_policy(long policy, int priority)
{
	const struct sched_param p = { .sched_priority = priority };

	return (int)syscall(SYS_sched_setscheduler, 0, policy, &p);
}

/* A command that reads or changes elements. The thread gets a real-time policy for the call, unless it has one. */
static int on_elements(enum bpf_cmd cmd, union bpf_attr *attr)
{
	const long policy = __atomic_load_n(&at_once, __ATOMIC_RELAXED) ? syscall(SYS_sched_getscheduler, 0) : -1;
	const bool usual = policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE;
	const bool raised = usual && set_policy(SCHED_FIFO, 1) == 0;
	const int err = bpfsys(cmd, attr);

	if (usual && !raised)
		__atomic_store_n(&at_once, false, __ATOMIC_RELAXED);
	if (raised)
		(void)set_policy(policy, 0);
	return err;
}

/* A command on one element of a map. */
static int on_element(enum bpf_cmd cmd, int map, const void *key, const void *value, uint64_t flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = (uint32_t)map;
	attr.key = ADDR(key);
	attr.value = ADDR(value); /* of BPF_MAP_GET_NEXT_KEY: the next key */
	attr.flags = flags;
	return cmd == BPF_MAP_GET_NEXT_KEY || cmd == BPF_MAP_FREEZE ? bpfsys(cmd, &attr) : on_elements(cmd, &attr);
}

int bpfsys_map_lookup(int map, const void *key, void *value)
{
	return on_element(BPF_MAP_LOOKUP_ELEM, map, key, value, 0);
}

/* Reads and deletes an element in one step: hashes have that since Linux 5.14. */
int bpfsys_map_take(int map, const void *key, void *value)
{
	return on_element(BPF_MAP_LOOKUP_AND_DELETE_ELEM, map, key, value, 0);
}

int bpfsys_map_update(int map, const void *key, const void *value, uint64_t flags)
{
	return on_element(BPF_MAP_UPDATE_ELEM, map, key, value, flags);
}

int bpfsys_map_delete(int map, const void *key)
{
	return on_element(BPF_MAP_DELETE_ELEM, map, key, NULL, 0);
}

int bpfsys_map_next(int map, const void *key, void *next)
{
	return on_element(BPF_MAP_GET_NEXT_KEY, map, key, next, 0);
}

int bpfsys_map_freeze(int map)
{
	return on_element(BPF_MAP_FREEZE, map, NULL, NULL, 0);
}

/* The kernel returns -ENOENT with the last batch, and sets *n in that case too. */
int bpfsys_map_lookup_batch(int map, const void *from, void *to, void *keys, void *values, uint32_t *n, bool take)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.batch.map_fd = (uint32_t)map;
	attr.batch.in_batch = ADDR(from);
	attr.batch.out_batch = ADDR(to);
	attr.batch.keys = ADDR(keys);
	attr.batch.values = ADDR(values);
	attr.batch.count = *n;
	err = on_elements(take ? BPF_MAP_LOOKUP_AND_DELETE_BATCH : BPF_MAP_LOOKUP_BATCH, &attr);
	*n = attr.batch.count;
	return err;
}

int bpfsys_map_update_batch(int map, const void *keys, const void *values, uint32_t n)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.batch.map_fd = (uint32_t)map;
	attr.batch.keys = ADDR(keys);
	attr.batch.values = ADDR(values);
	attr.batch.count = n;
	return on_elements(BPF_MAP_UPDATE_BATCH, &attr);
}

/* ---- programs and links ------------------------------------------------------------------------------------------ */
int bpfsys_prog_load(uint32_t type, const char *name, const struct bpf_insn *insns, size_t n, uint32_t flags)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = ADDR(insns);
	attr.insn_cnt = (uint32_t)n;
	/* Helpers such as bpf_probe_read_kernel() are for GPL programs only. */
	attr.license = ADDR("GPL");
	attr.prog_flags = flags;
	bpfsys_name(attr.prog_name, name);
	return bpfsys(BPF_PROG_LOAD, &attr);
}

/* Runs the program once. cpu: where (Linux 5.10, raw tracepoints only); -1: here. */
int bpfsys_prog_run(int prog, const void *ctx, size_t size, int cpu, uint32_t *result)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)prog;
	attr.test.ctx_in = ADDR(ctx);
	attr.test.ctx_size_in = (uint32_t)size;
	if (cpu >= 0) {
		attr.test.flags = BPF_F_TEST_RUN_ON_CPU;
		attr.test.cpu = (uint32_t)cpu;
	}
	err = bpfsys(BPF_PROG_TEST_RUN, &attr);
	if (result)
		*result = attr.test.retval;
	return err;
}

int bpfsys_link_multi(int prog, const char *const *functions, const uint64_t *cookies, size_t n, bool returns)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.flags = returns ? BPF_F_KPROBE_MULTI_RETURN : 0;
	attr.link_create.kprobe_multi.syms = ADDR(functions);
	attr.link_create.kprobe_multi.cookies = ADDR(cookies);
	attr.link_create.kprobe_multi.cnt = (uint32_t)n;
	return bpfsys(BPF_LINK_CREATE, &attr);
}

/* Links a program to a perf event (Linux 5.15). The program gets the cookie by bpf_get_attach_cookie(). */
int bpfsys_link_event(int prog, int event, uint64_t cookie)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog;
	attr.link_create.target_fd = (uint32_t)event;
	attr.link_create.attach_type = BPF_PERF_EVENT;
	attr.link_create.perf_event.bpf_cookie = cookie;
	return bpfsys(BPF_LINK_CREATE, &attr);
}

int bpfsys_link(int prog, int target, enum bpf_attach_type type)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog;
	attr.link_create.target_fd = (uint32_t)target;
	attr.link_create.attach_type = type;
	return bpfsys(BPF_LINK_CREATE, &attr);
}

/* Links of netfilter exist since Linux 6.4, so build headers may lack them: the structure is written out. 45 is
 * BPF_NETFILTER. */
int bpfsys_link_netfilter(int prog, uint32_t family, uint32_t hook, int32_t priority)
{
	/* link_create of Linux 6.4 */
	const struct {
		uint32_t prog, target, type, flags, family, hook;
		int32_t priority;
		uint32_t netfilter_flags;
	} link = { .prog = (uint32_t)prog, .type = 45, .family = family, .hook = hook, .priority = priority };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, &link, sizeof(link));
	return bpfsys(BPF_LINK_CREATE, &attr);
}

/* Raw and typed tracepoints, fentry and fexit: the program itself names the place. */
int bpfsys_link_raw(int prog, const char *tracepoint)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = ADDR(tracepoint);
	attr.raw_tracepoint.prog_fd = (uint32_t)prog;
	return bpfsys(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int bpfsys_iter_new(int link)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)link;
	return bpfsys(BPF_ITER_CREATE, &attr);
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */
int bpfsys_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = ADDR(info);
	return bpfsys(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

static int next_id(enum bpf_cmd cmd, uint32_t *id)
{
	union bpf_attr attr;
	int err;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = *id;
	err = bpfsys(cmd, &attr);
	if (!err)
		*id = attr.next_id;
	return err;
}

/* The kernel reads the id of any kind of object at the same place. */
static int fd_of_id(enum bpf_cmd cmd, uint32_t id)
{
	_Static_assert(offsetof(union bpf_attr, prog_id) == offsetof(union bpf_attr, btf_id), "ids have one place");
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	return bpfsys(cmd, &attr);
}

int bpfsys_prog_next(uint32_t *id)
{
	return next_id(BPF_PROG_GET_NEXT_ID, id);
}

int bpfsys_prog_fd(uint32_t id)
{
	return fd_of_id(BPF_PROG_GET_FD_BY_ID, id);
}

int bpfsys_btf_next(uint32_t *id)
{
	return next_id(BPF_BTF_GET_NEXT_ID, id);
}

int bpfsys_btf_fd(uint32_t id)
{
	return fd_of_id(BPF_BTF_GET_FD_BY_ID, id);
}

/* While the descriptor is open the kernel counts runs and run time of programs (Linux 5.8). */
int bpfsys_stats(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.enable_stats.type = BPF_STATS_RUN_TIME;
	return bpfsys(BPF_ENABLE_STATS, &attr);
}
