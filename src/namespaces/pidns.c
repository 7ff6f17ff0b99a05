/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pidns: see pidns.h.
 * Input: the kernel's types. Output: process numbers in the machine's first namespace, which /proc of a container
 * hides. Small BPF programs read them. */
#include "namespaces/pidns.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "kernel/bpfsys.h"
#include "kernel/btf/btf.h"
#include "lang/types.h"

#define ANCESTORS 64 /* of a process, more than there are; the first task of all is its own parent */

bool pidns_inner(void)
{
	static const ino_t first = 0xeffffffc; /* the number of the machine's own namespace, a constant of the kernel */
	struct stat s;

	return stat("/proc/self/ns/pid", &s) == 0 && s.st_ino != first;
}

#define OFFSET(ts, tag, ...) (int)types_offset(ts, tag, (const char *const[]){ __VA_ARGS__, NULL })

#define FOLLOW_INSNS 7

/* Register 6 is what lies at off behind what it points to; 0 if that cannot be read. By the helper: the verifier takes
 * 1 ms for each load through a pointer that it knows, as it looks the structure up by name in the kernel's types. */
static void follow(struct bpf_insn *v, uint8_t size, int off)
{
	v[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 };
	v[1] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8 };
	v[2] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = size == BPF_W ? 4 : 8 };
	v[3] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 3, .src_reg = 6 };
	v[4] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 3, .imm = off };
	v[5] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel };
	v[6] = (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | size, .dst_reg = 6, .src_reg = 10, .off = -8 };
}

/* Runs a program that follows real_parent to the first task of the machine and reads its network namespace. 0 if
 * types are missing or the kernel refuses the program. */
uint32_t pidns_first_netns(struct arena *a, const struct ktypes *k)
{
	struct types *ts = types_new(a, k);
	const int parent = OFFSET(ts, "task_struct", "real_parent"), proxy = OFFSET(ts, "task_struct", "nsproxy"),
		  net = OFFSET(ts, "nsproxy", "net_ns"), inum = OFFSET(ts, "net", "ns", "inum");
	const int inside[] = { proxy, net };
	struct bpf_insn insns[(ANCESTORS + 3) * FOLLOW_INSNS + 4] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 6 },
	};
	uint32_t inode = 0;
	size_t n = 2;
	int fd;

	if (parent < 0 || proxy < 0 || net < 0 || inum < 0)
		return 0;
	for (int i = 0; i < ANCESTORS; i++, n += FOLLOW_INSNS)
		follow(insns + n, BPF_DW, parent);
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++, n += FOLLOW_INSNS)
		follow(insns + n, BPF_DW, inside[i]);
	follow(insns + n, BPF_W, inum);
	n += FOLLOW_INSNS;
	insns[n++] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .src_reg = 6 };
	insns[n++] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	fd = bpfsys_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dw_first_netns", insns, n, 0);
	if (fd < 0)
		return 0;
	if (bpfsys_prog_run(fd, NULL, 0, -1, &inode))
		inode = 0;
	close(fd);
	return inode;
}

/* Loads a program for an iterator over tasks (bpf_iter_task, Linux 5.8). It writes the task's number in the
 * machine's first namespace, 4 bytes. A descriptor or -errno. */
static int load_teller(struct kbtf *btf, struct arena *a, const struct ktypes *k)
{
	static const char *const at = "bpf_iter_task";
	struct types *ts = types_new(a, k);
	const int tgid = OFFSET(ts, "task_struct", "tgid"), seq = OFFSET(ts, "bpf_iter_meta", "seq");
	const struct bpf_insn insns[] = {
		/* r7 = the task, r1 = what it is written to */
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 7, .src_reg = 1, .off = 8 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 1, .src_reg = 1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 1, .src_reg = 1, .off = (int16_t)seq },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 7, .off = 6 }, /* the end has no task */
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 7, .src_reg = 7, .off = (int16_t)tgid },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = 10, .src_reg = 7, .off = -4 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = -4 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 3, .imm = 4 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_seq_write },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;
	uint32_t id;

	kbtf_funcs(btf, &at, &id, 1);
	if (tgid < 0 || seq < 0 || !id)
		return -ENOENT;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = id;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = sizeof(insns) / sizeof(insns[0]);
	attr.license = (uintptr_t) "GPL";
	bpfsys_name(attr.prog_name, "dw_outer_pid");
	return bpfsys(BPF_PROG_LOAD, &attr);
}

/* Runs the program over one task. The number is looked up in our own pid namespace (bpf_iter_link_info.task, Linux
 * 6.1). A descriptor to read from, or -errno. */
static int iterate(int prog, pid_t pid)
{
	union bpf_iter_link_info at = { .task = { .tid = (uint32_t)pid } };
	union bpf_attr attr;
	int link, fd;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog;
	attr.link_create.attach_type = BPF_TRACE_ITER;
	attr.link_create.iter_info = (uintptr_t)&at;
	attr.link_create.iter_info_len = sizeof(at);
	link = bpfsys(BPF_LINK_CREATE, &attr);
	if (link < 0)
		return link;
	fd = bpfsys_iter_new(link);
	close(link);
	return fd;
}

pid_t pidns_outer(pid_t pid)
{
	struct arena *a = arena_new();
	struct kbtf *btf = NULL;
	int prog = -1, fd = -1;
	int32_t outer = 0;

	if (a && kbtf_open(&btf) == 0) {
		const struct ktypes k = kbtf_ktypes(btf);

		prog = load_teller(btf, a, &k);
	}
	if (prog >= 0)
		fd = iterate(prog, pid);
	if (fd >= 0 && read(fd, &outer, sizeof(outer)) != (ssize_t)sizeof(outer))
		outer = 0;
	if (fd >= 0)
		close(fd);
	if (prog >= 0)
		close(prog);
	kbtf_close(btf);
	arena_free(a);
	return outer;
}
