/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtext: see symtext.h.
 * Input: addresses. Output: text.
 * Invariant: each text is made once and kept. When there are more than USER_NAMES_MAX names of processes, they are
 * dropped at the next refresh, because processes come and go for as long as a trace runs. */
#include "symbols/symtext.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/knames.h"
#include "lang/types.h"
#include "symbols/usyms.h"

#define BUCKETS 4096
#define USER_NAMES_MAX 4096
#define NAME_MAX_LEN 1024
#define FRAMES_MAX 1024

struct name {
	struct name *next;
	enum field_kind how;
	unsigned round; /* of refreshing, in which it was found to be a number only */
	uint64_t pid, addr;
	char text[];
};

struct symtext {
	struct symtext_opts opts;
	struct knames *knames;
	struct usyms *usyms;
	bool tried;
	unsigned round;
	size_t nuser;    /* of the names, those of processes */
	char number[24]; /* the last text, when there was no memory to keep it */
	struct name *names[BUCKETS];
};

/* Neither the kernel's list nor any file is read before a name is wanted. */
struct symtext *symtext_new(const struct symtext_opts *opts)
{
	struct symtext *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->opts = *opts;
	s->usyms = usyms_new(opts->to, opts->stop);
	if (s->usyms)
		usyms_alias(s->usyms, opts->outer, opts->inner);
	if (!s->usyms) {
		free(s);
		return NULL;
	}
	return s;
}

/* Is it an address of a process? */
static bool is_user(enum field_kind how)
{
	return how == FIELD_USYM || how == FIELD_UMOD || how == FIELD_UADDR;
}

/* at: the link that leads to it. */
static void drop_name(struct symtext *s, struct name **at)
{
	struct name *n = *at;

	*at = n->next;
	s->nuser -= is_user(n->how);
	free(n);
}

/* Drops the names of processes, and with kernel all names. */
static void drop_names(struct symtext *s, bool kernel)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct name **at = &s->names[i]; *at;)
			if (kernel || is_user((*at)->how))
				drop_name(s, at);
			else
				at = &(*at)->next;
}

void symtext_free(struct symtext *s)
{
	if (!s)
		return;
	drop_names(s, true);
	knames_close(s->knames);
	usyms_free(s->usyms);
	free(s);
}

void symtext_watch(struct symtext *s, struct features *f)
{
	/* Where that is not allowed, processes are noted when they are first seen. */
	if (!s->opts.noresolve && usyms_watch(s->usyms, f) != 0)
		return;
}

/* Modules may have been loaded, processes may have mapped files: addresses that had no name are tried again. */
void symtext_refresh(struct symtext *s)
{
	s->round++;
	usyms_refresh(s->usyms);
	if (s->nuser > USER_NAMES_MAX)
		drop_names(s, false);
}

void symtext_note(struct symtext *s, uint64_t pid)
{
	if (!s->opts.noresolve && pid > 0 && pid <= INT32_MAX)
		usyms_note(s->usyms, (pid_t)pid);
}

/* ---- one name ---------------------------------------------------------------------------------------------------- */
/* Tried once: /proc/kallsyms may be hidden (kptr_restrict), which is reported once. */
static struct knames *kernel_names(struct symtext *s)
{
	int err;

	if (s->tried)
		return s->knames;
	s->tried = true;
	report_progress(s->opts.to, "reading the kernel's symbols", 0, 0);
	err = knames_open_addresses(&s->knames);
	if (err)
		report_warning(s->opts.to, D_NONE, NULL, "kernel addresses are printed as numbers: %s", strerror(-err));
	return s->knames;
}

/* An address of the kernel: "module`name+0x10", or as a number. */
static void kernel_text(struct symtext *s, enum field_kind how, uint64_t addr, char *buf, size_t size)
{
	struct knames *k = kernel_names(s);
	struct kname sym;

	if (!k || !knames_at(k, addr, &sym))
		snprintf(buf, size, "0x%" PRIx64, addr);
	else if (how == FIELD_MOD)
		snprintf(buf, size, "%s", sym.mod);
	else if (how == FIELD_SYM || addr == sym.addr)
		snprintf(buf, size, "%s`%s", sym.mod, sym.name);
	else
		snprintf(buf, size, "%s`%s+0x%" PRIx64, sym.mod, sym.name, addr - sym.addr);
}

/* The name demangled, unless -x nodemangle. */
static const char *plain_name(const struct symtext *s, uint64_t pid, const char *name, char *buf, size_t size)
{
	return s->opts.nodemangle ? name : usyms_demangle(s->usyms, (pid_t)pid, name, buf, size);
}

/* An address of a process: "libc.so.6`read+0x10". Functions compiled at run time have no file. */
static void user_text(struct symtext *s, enum field_kind how, uint64_t pid, uint64_t addr, char *buf, size_t size)
{
	char plain[NAME_MAX_LEN];
	struct usym sym;

	if (pid > INT32_MAX || !usyms_find(s->usyms, (pid_t)pid, addr, &sym))
		snprintf(buf, size, "0x%" PRIx64, addr);
	else if (how == FIELD_UMOD)
		snprintf(buf, size, "%s", sym.obj);
	else if (!sym.name)
		snprintf(buf, size, "%s`0x%" PRIx64, sym.obj, addr);
	else if (sym.jit)
		snprintf(buf, size, "%s", sym.name);
	else if (how == FIELD_USYM || !sym.off)
		snprintf(buf, size, "%s`%s", sym.obj, plain_name(s, pid, sym.name, plain, sizeof(plain)));
	else
		snprintf(buf, size, "%s`%s+0x%" PRIx64, sym.obj, plain_name(s, pid, sym.name, plain, sizeof(plain)),
			sym.off);
}

/* The hash mixes all parts of the key; the top bits choose the bucket. */
static struct name **bucket_of(struct symtext *s, enum field_kind how, uint64_t pid, uint64_t addr)
{
	uint64_t h = (addr + pid * 0x9e3779b97f4a7c15u + (uint64_t)how * 0x100000001b3u) * 0xff51afd7ed558ccdu;

	return &s->names[h >> 52 & (BUCKETS - 1)];
}

const char *symtext_name(struct symtext *s, enum field_kind how, uint64_t pid, uint64_t addr)
{
	struct name **at, *n;
	char buf[NAME_MAX_LEN];
	size_t len;

	if (!is_user(how))
		pid = 0;
	at = bucket_of(s, how, pid, addr);
	for (struct name **old = at; (n = *old); old = &n->next)
		if (n->how == how && n->pid == pid && n->addr == addr) {
			/* A user's address without a name may have got one since. */
			if (n->round == s->round || !is_user(how) || strncmp(n->text, "0x", 2) != 0)
				return n->text;
			drop_name(s, old);
			break;
		}
	if (s->opts.noresolve)
		snprintf(buf, sizeof(buf), "0x%" PRIx64, addr);
	else if (is_user(how))
		user_text(s, how, pid, addr, buf, sizeof(buf));
	else
		kernel_text(s, how, addr, buf, sizeof(buf));
	len = strlen(buf) + 1;
	n = malloc(sizeof(*n) + len);
	if (!n) {
		snprintf(s->number, sizeof(s->number), "0x%" PRIx64, addr);
		return s->number;
	}
	n->how = how;
	n->pid = pid;
	n->addr = addr;
	n->round = s->round;
	memcpy(n->text, buf, len);
	n->next = *at;
	*at = n;
	s->nuser += is_user(how);
	return n->text;
}

uint64_t symtext_target(const struct symtext *s)
{
	return s->opts.target > 0 ? (uint64_t)s->opts.target : 0;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */
bool symtext_folded(const struct symtext *s)
{
	return s->opts.folded;
}

/* Reads the frames up to the first zero, FRAMES_MAX at most. Returns their number. */
static size_t frames_of(const char *data, size_t len, uint64_t *pcs)
{
	size_t n = 0;

	for (size_t at = 0; at + sizeof(*pcs) <= len && n < FRAMES_MAX; at += sizeof(*pcs)) {
		memcpy(&pcs[n], data + at, sizeof(*pcs));
		if (!pcs[n])
			break;
		n++;
	}
	return n;
}

#define INLINED " (inlined)"
#define INLINES_MAX 32

/* Texts of the functions that are inlined at a frame, the innermost first. Returns their number. */
static size_t inlines_of(struct symtext *s, uint64_t pid, uint64_t pc, bool first, char texts[][NAME_MAX_LEN])
{
	const char *names[INLINES_MAX];
	char plain[NAME_MAX_LEN / 2];
	struct usym sym;
	size_t n;

	/* What has called, the system too, goes on behind the call, maybe behind the inlined code too. */
	if (!s->opts.inlines || pid > INT32_MAX || !usyms_find(s->usyms, (pid_t)pid, pc, &sym) || sym.jit)
		return 0;
	n = usyms_inlines(s->usyms, (pid_t)pid, first && !sym.off ? pc : pc - 1, names, INLINES_MAX);
	for (size_t i = 0; i < n; i++)
		snprintf(texts[i], NAME_MAX_LEN, "%.200s`%s%s", sym.obj,
			plain_name(s, pid, names[i], plain, sizeof(plain)), s->opts.folded ? "" : INLINED);
	return n;
}

/* Where the texts of the frames of one stack go. */
struct frames {
	struct symtext *s;
	enum field_kind how;
	uint64_t pid;
	void (*fn)(void *ctx, const char *text, size_t len);
	void *ctx;
};

/* One line of a stack, or a part of one. */
static void give_text(const struct frames *f, const char *text)
{
	const char *end = f->s->opts.folded && !f->s->opts.noresolve ? strstr(text, "+0x") : NULL;

	f->fn(f->ctx, text, end ? (size_t)(end - text) : strlen(text));
}

/* Passes a frame on, with the functions inlined there. Folded stacks begin with the outermost one. */
static void give_frame(const struct frames *f, uint64_t pc, bool first)
{
	char texts[INLINES_MAX][NAME_MAX_LEN];
	size_t n = f->how == FIELD_UADDR ? inlines_of(f->s, f->pid, pc, first, texts) : 0;

	if (f->s->opts.folded)
		give_text(f, symtext_name(f->s, f->how, f->pid, pc));
	for (size_t i = 0; i < n; i++)
		give_text(f, texts[f->s->opts.folded ? n - 1 - i : i]);
	if (!f->s->opts.folded)
		give_text(f, symtext_name(f->s, f->how, f->pid, pc));
}

/* Finds the frames in a copy of the stack. Its head is not trusted: sizes are cut to what there is. */
static size_t unwind(struct symtext *s, uint64_t pid, const char *data, size_t len, uint64_t *pcs)
{
	uint64_t regs[UCOPY_REGS];
	uint32_t n, most;

	if (len < UCOPY_HEAD || pid > INT32_MAX)
		return 0;
	memcpy(&n, data + 8, sizeof(n));
	memcpy(&most, data + 12, sizeof(most));
	memcpy(regs, data + 16, sizeof(regs));
	n = n > len - UCOPY_HEAD ? (uint32_t)(len - UCOPY_HEAD) : n;
	return usyms_unwind(
		s->usyms, (pid_t)pid, regs, data + UCOPY_HEAD, n, pcs, most < FRAMES_MAX ? most : FRAMES_MAX);
}

/* Frames that were named elsewhere. */
static void lines_of(const char *data, size_t len, void (*fn)(void *ctx, const char *text, size_t len), void *ctx)
{
	for (const char *end = data + len; data < end;) {
		const char *line = data, *stop = memchr(data, '\n', (size_t)(end - data));

		data = stop ? stop + 1 : end;
		fn(ctx, line, (size_t)((stop ? stop : end) - line));
	}
}

void symtext_frames(struct symtext *s, enum field_kind kind, const char *data, size_t len,
	void (*fn)(void *ctx, const char *text, size_t len), void *ctx)
{
	struct frames f = { .s = s, .how = kind == FIELD_STACK ? FIELD_INT : FIELD_UADDR, .fn = fn, .ctx = ctx };
	size_t head = kind == FIELD_STACK ? 0 : sizeof(f.pid), n;
	uint64_t pcs[FRAMES_MAX];

	if (kind == FIELD_GIVEN) {
		lines_of(data, len, fn, ctx);
		return;
	}
	if (len < head)
		return;
	memcpy(&f.pid, data, head);
	n = kind == FIELD_UCOPY ? unwind(s, f.pid, data, len, pcs) : frames_of(data + head, len - head, pcs);
	for (size_t i = 0; i < n; i++) {
		size_t at = s->opts.folded ? n - 1 - i : i;

		give_frame(&f, pcs[at], at == 0);
	}
}
