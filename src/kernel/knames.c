/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knames: see knames.h.
 * Input: an address or a name. Output: both, and the symbol's bounds.
 * A BPF program answers each question (bpf_kallsyms_lookup_name, bpf_snprintf with %pS). We run it by
 * BPF_PROG_TEST_RUN and share memory with it.
 * Invariant: the shared memory holds the answer to the last question. */
#include "kernel/knames.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/bpfsys.h"
#include "kernel/knames_text.h"

struct question {
	uint64_t addr; /* 0: that of name is wanted */
	int64_t err;
	char name[KNAME_LEN]; /* the kernel looks at the last byte, which is 0 */
	char text[2 * KNAME_LEN];
};

struct knames {
	int map, format, prog;
	struct knames_text *text; /* instead of these */
	struct question *q;
	size_t room;  /* of q: whole pages */
	uint64_t end; /* of the kernel's own code; 0: not asked yet; 1: not known */
};

#define AT(member) ((int32_t)offsetof(struct question, member))

#define REG(d, s)                                                                   \
	{                                                                           \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (d), .src_reg = (s) \
	}
#define IMM(d, v)                                                               \
	{                                                                       \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (d), .imm = (v) \
	}
#define ADD(d, v)                                                               \
	{                                                                       \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (d), .imm = (v) \
	}
#define LD8(d, s, o)                                                                                    \
	{                                                                                               \
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = (d), .src_reg = (s), .off = (int16_t)(o) \
	}
#define ST8(d, o, s)                                                                                    \
	{                                                                                               \
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (d), .src_reg = (s), .off = (int16_t)(o) \
	}
#define JNZ(d, n)                                                             \
	{                                                                     \
		.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = (d), .off = (n) \
	}
#define CALL(f)                                        \
	{                                              \
		.code = BPF_JMP | BPF_CALL, .imm = (f) \
	}
#define VALUE(d, fd)                                                                                         \
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = (d), .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = (fd) }, \
	{                                                                                                    \
		0                                                                                            \
	}

/* Loads the program that answers. If q->addr is 0 it first finds the address of q->name; then it prints the symbol
 * at the address to q->text. bpf_kallsyms_lookup_name() exists since Linux 5.16. */
static int load_program(struct knames *k)
{
	const struct bpf_insn insns[] = {
		VALUE(6, k->map),
		LD8(1, 6, AT(addr)),
		ST8(10, -8, 1),
		JNZ(1, 9), /* to print */
		REG(1, 6),
		ADD(1, AT(name)),
		IMM(2, KNAME_LEN),
		IMM(3, 0),
		REG(4, 10),
		ADD(4, -8),
		CALL(BPF_FUNC_kallsyms_lookup_name),
		ST8(6, AT(err), 0),
		JNZ(0, 11), /* to end */
		/* print: */
		LD8(1, 10, -8),
		ST8(6, AT(addr), 1),
		REG(1, 6),
		ADD(1, AT(text)),
		IMM(2, 2 * KNAME_LEN),
		VALUE(3, k->format),
		REG(4, 10),
		ADD(4, -8),
		IMM(5, 8),
		CALL(BPF_FUNC_snprintf),
		/* end: */
		IMM(0, 0),
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpfsys_prog_load(
		BPF_PROG_TYPE_SYSCALL, "dw_names", insns, sizeof(insns) / sizeof(insns[0]), BPF_F_SLEEPABLE);
}

/* bpf_snprintf() takes its format from a frozen map only. */
static int make_format(void)
{
	static const char text[8] = "%pS";
	uint32_t zero = 0;
	int fd = bpfsys_map_create(BPF_MAP_TYPE_ARRAY, "dw_format", 4, sizeof(text), 1, BPF_F_RDONLY_PROG, -1);

	if (fd >= 0 && (bpfsys_map_update(fd, &zero, text, 0) || bpfsys_map_freeze(fd))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Makes map, format and program. After an error knames_close() closes what there is. */
static int open_parts(struct knames *k)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	k->map = bpfsys_map_create(BPF_MAP_TYPE_ARRAY, "dw_names", 4, sizeof(*k->q), 1, BPF_F_MMAPABLE, -1);
	if (k->map < 0)
		return k->map;
	k->room = (sizeof(*k->q) + page - 1) / page * page;
	p = mmap(NULL, k->room, PROT_READ | PROT_WRITE, MAP_SHARED, k->map, 0);
	if (p == MAP_FAILED)
		return -errno;
	k->q = p;
	k->format = make_format();
	if (k->format < 0)
		return -errno;
	k->prog = load_program(k);
	return k->prog < 0 ? -errno : 0;
}

int knames_open(struct knames **out)
{
	struct knames *k = calloc(1, sizeof(*k));
	int err;

	*out = NULL;
	if (!k)
		return -ENOMEM;
	k->map = k->format = k->prog = -1;
	err = open_parts(k);
	if (err)
		knames_close(k);
	else
		*out = k;
	return err;
}

int knames_open_addresses(struct knames **out)
{
	struct knames *k;
	int err = knames_open(out);

	if (err != -EINVAL)
		return err;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	k->map = k->format = k->prog = -1;
	err = knames_text_open(&k->text);
	if (err)
		knames_close(k);
	else
		*out = k;
	return err;
}

void knames_close(struct knames *k)
{
	if (!k)
		return;
	knames_text_close(k->text);
	if (k->q)
		munmap(k->q, k->room);
	if (k->prog >= 0)
		close(k->prog);
	if (k->format >= 0)
		close(k->format);
	if (k->map >= 0)
		close(k->map);
	free(k);
}

/* Runs the program on the question in k->q. 0 or -errno. */
static int ask(struct knames *k)
{
	int err;

	k->q->err = 0;
	k->q->text[0] = '\0';
	err = bpfsys_prog_run(k->prog, NULL, 0, -1, NULL);
	return err ? err : (int)k->q->err;
}

/* Parses the output of %pS: "name+0x10/0x80 [module]". */
bool knames_parse(const char *text, uint64_t addr, struct kname *out)
{
	const char *plus = strstr(text, "+0x"), *mod;
	char *end;
	uint64_t off;
	size_t n;

	memset(out, 0, sizeof(*out));
	if (!plus || plus == text)
		return false;
	n = (size_t)(plus - text);
	memcpy(out->name, text, n < sizeof(out->name) ? n : sizeof(out->name) - 1);
	off = strtoull(plus + 1, &end, 16);
	out->addr = addr - off;
	if (*end == '/')
		out->size = strtoull(end + 1, &end, 16);
	mod = strstr(end, " [");
	n = mod ? strcspn(mod + 2, " ]") : 0;
	if (n && n < sizeof(out->mod))
		memcpy(out->mod, mod + 2, n);
	else
		strcpy(out->mod, "vmlinux");
	return true;
}

/* The symbol at an address, as the kernel names it. */
static bool at(struct knames *k, uint64_t addr, struct kname *out)
{
	k->q->addr = addr;
	return addr && !ask(k) && knames_parse(k->q->text, addr, out);
}

/* The symbol of a name. Where %pS gives no name the address is known all the same. */
static int find(struct knames *k, const char *name, struct kname *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	if (strlen(name) >= sizeof(k->q->name))
		return -ENOENT;
	memset(k->q->name, 0, sizeof(k->q->name));
	memcpy(k->q->name, name, strlen(name));
	k->q->addr = 0;
	err = ask(k);
	if (!err && !knames_parse(k->q->text, k->q->addr, out))
		out->addr = k->q->addr;
	return err;
}

/* The kernel also names the code of BPF programs as if it were its own. That code lies after the end of the kernel's
 * image. */
static void name_module(struct knames *k, struct kname *s)
{
	static const char *const made[] = { "bpf_prog_", "bpf_trampoline_", "bpf_dispatcher_" };
	struct kname end;
	bool may = false;

	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		may = may || strncmp(s->name, made[i], strlen(made[i])) == 0;
	if (!may || strcmp(s->mod, "vmlinux") != 0)
		return;
	if (!k->end)
		k->end = !find(k, "_etext", &end) && end.addr ? end.addr : 1;
	if (k->end > 1 && s->addr >= k->end)
		strcpy(s->mod, "bpf");
}

bool knames_at(struct knames *k, uint64_t addr, struct kname *out)
{
	bool found = k->text ? knames_text_at(k->text, addr, out) : at(k, addr, out);

	if (found && !k->text)
		name_module(k, out);
	return found;
}

int knames_find(struct knames *k, const char *name, struct kname *out)
{
	int err = k->text ? -ENOENT : find(k, name, out);

	if (!err)
		name_module(k, out);
	return err;
}
