/* pidns: see pidns.h. Input: the types of the kernel. Output: numbers that /proc tells nobody in a container. */
#include "run/pidns.h"

#include <sys/stat.h>
#include <unistd.h>

#include "kernel/bpfsys.h"
#include "lang/types.h"

#define ANCESTORS 64 /* of a process, more than there are; the first task of all is its own parent */

bool pidns_inner(void)
{
	static const ino_t first = 0xeffffffc; /* the number of the machine's own namespace, a constant of the kernel */
	struct stat s;

	return stat("/proc/self/ns/pid", &s) == 0 && s.st_ino != first;
}

#define OFFSET(ts, tag, ...) (int)types_offset(ts, tag, (const char *const[]){ __VA_ARGS__, NULL })

/* Register 0 is what lies there behind what it points to. */
static struct bpf_insn follow(uint8_t size, int off)
{
	return (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | size, .off = (int16_t)off };
}

uint32_t pidns_first_netns(struct arena *a, const struct ktypes *k)
{
	struct types *ts = types_new(a, k);
	const int parent = OFFSET(ts, "task_struct", "real_parent"), proxy = OFFSET(ts, "task_struct", "nsproxy"),
		  net = OFFSET(ts, "nsproxy", "net_ns"), inum = OFFSET(ts, "net", "ns", "inum");
	struct bpf_insn insns[ANCESTORS + 5] = { { .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_task_btf } };
	uint32_t inode = 0;
	size_t n = 1;
	int fd;

	if (parent < 0 || proxy < 0 || net < 0 || inum < 0)
		return 0;
	for (int i = 0; i < ANCESTORS; i++)
		insns[n++] = follow(BPF_DW, parent);
	insns[n++] = follow(BPF_DW, proxy);
	insns[n++] = follow(BPF_DW, net);
	insns[n++] = follow(BPF_W, inum);
	insns[n++] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	fd = bpfsys_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dw_first_netns", insns, n, 0);
	if (fd < 0)
		return 0;
	if (bpfsys_prog_run(fd, NULL, 0, -1, &inode))
		inode = 0;
	close(fd);
	return inode;
}
