/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preempt: see preempt.h. Input: uname(2), a variable of the kernel, debugfs. Invariant: nothing is changed. */
#include "kernel/preempt.h"

#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel/bpfsys.h"
#include "kernel/ksyms.h"
#include "kernel/readall.h"
#include "kernel/release.h"

static bool is_word(const char *at, const char *word)
{
	const size_t len = strcspn(at, " ");

	return len == strlen(word) && !strncmp(at, word, len);
}

/* The word is PREEMPT, PREEMPT_RT, PREEMPT_LAZY and the like, or PREEMPT_DYNAMIC. */
enum preempts preempt_of_version(const char *version)
{
	static const char word[] = "PREEMPT";

	for (const char *at = version; (at = strstr(at, word)); at += strlen(word)) {
		if (at > version && at[-1] != ' ')
			continue;
		if (is_word(at, "PREEMPT_DYNAMIC"))
			return PREEMPTS_BY_MODE;
		return is_word(at, "PREEMPT_RT") ? PREEMPTS_SOFTIRQS : PREEMPTS;
	}
	return PREEMPTS_NOT;
}

enum preempts preempt_of_modes(const char *text)
{
	const char *open = strchr(text, '(');
	size_t len = open ? strcspn(open + 1, ")") : 0;

	if (!len || open[1 + len] != ')')
		return PREEMPTS_UNKNOWN;
	return (len == 4 && !strncmp(open + 1, "none", 4)) || (len == 9 && !strncmp(open + 1, "voluntary", 9))
		? PREEMPTS_NOT
		: PREEMPTS;
}

/* The modes have had these numbers since Linux 5.12: none, voluntary, full, and since 6.13 lazy. */
enum preempts preempt_of_mode(int mode)
{
	return mode < 0 || mode > 3 ? PREEMPTS_UNKNOWN : mode < 2 ? PREEMPTS_NOT : PREEMPTS;
}

/* Reads an int of the kernel by a program that runs once. -1: it cannot be read. */
static int read_variable(uint64_t addr)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8, .imm = -1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = sizeof(int) },
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_3, .imm = (int32_t)addr },
		{ .imm = (int32_t)(addr >> 32) },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = -1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 1 },
		{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	uint32_t result = 0;
	int prog, err;

	prog = bpfsys_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "dw_preempt", insns, sizeof(insns) / sizeof(insns[0]), 0);
	if (prog < 0)
		return -1;
	err = bpfsys_prog_run(prog, NULL, 0, -1, &result);
	close(prog);
	return err ? -1 : (int)result;
}

static enum preempts by_variable(void)
{
	struct ksyms *k = NULL;
	struct ksym s = { .addr = 0 };
	bool found = ksyms_open(&k) == 0 && ksyms_find(k, "vmlinux", "preempt_dynamic_mode", &s) == 0 && s.addr;

	ksyms_close(k);
	return found ? preempt_of_mode(read_variable(s.addr)) : PREEMPTS_UNKNOWN;
}

static enum preempts by_debugfs(void)
{
	char line[128];

	read_first_line("/sys/kernel/debug/sched/preempt", line, sizeof(line));
	return preempt_of_modes(line);
}

static enum preempts by_version(void)
{
	struct utsname u;

	return uname(&u) ? PREEMPTS_UNKNOWN : preempt_of_version(u.version);
}

bool preempt_softirqs(void)
{
	return by_version() == PREEMPTS_SOFTIRQS;
}

bool preempt_read(void)
{
	enum preempts p = by_version();

	if (p == PREEMPTS_BY_MODE)
		p = by_variable();
	if (p == PREEMPTS_UNKNOWN)
		p = by_debugfs();
	return p == PREEMPTS_UNKNOWN ? !release_before(7, 0) : p != PREEMPTS_NOT;
}
