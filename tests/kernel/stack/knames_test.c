/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knames_test: what the kernel says when it is asked for a name or an address (src/kernel/knames.h, ksyms.h) against
 * the list in /proc/kallsyms. Output: a line a case, `ok` or `not ok`; 77 if this machine cannot run it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/knames.h"
#include "kernel/ksyms.h"

#define EVERY 97 /* of the list's lines */

struct line {
	uint64_t addr;
	char type;
	char name[KNAME_LEN], mod[64];
};

struct counts {
	unsigned asked, wrong, alias, found, lost;
};

static bool read_line(FILE *f, struct line *l)
{
	char buf[1024];

	while (fgets(buf, sizeof(buf), f)) {
		l->mod[0] = '\0';
		if (sscanf(buf, "%lx %c %255s [%63[^]]", &l->addr, &l->type, l->name, l->mod) >= 3)
			return true;
	}
	return false;
}

/* A function of the kernel itself: an address has one name in the list, or several of which each is right. */
static void check_line(
	struct knames *k, struct ksyms *y, const struct line *l, const struct line *next, struct counts *c)
{
	struct kname at, by;
	struct ksym sym;

	c->asked++;
	if (!knames_at(k, l->addr + 1, &at) || strcmp(at.mod, "vmlinux") != 0) {
		c->wrong++;
		printf("# %s: no name\n", l->name);
		return;
	}
	/* Several names for one address, or one for several: what it says is as true. */
	if (strcmp(at.name, l->name) != 0 || at.addr != l->addr || at.size != next->addr - l->addr)
		c->alias++;
	if (knames_find(k, l->name, &by) || ksyms_find(y, "vmlinux", l->name, &sym) || sym.addr != by.addr) {
		c->lost++;
		printf("# %s: not found, or another\n", l->name);
	} else if (by.addr == l->addr)
		c->found++;
}

static int say(bool good, const char *what, const struct counts *c)
{
	printf("%s %s (%u asked, %u wrong, %u aliases, %u found, %u lost)\n", good ? "ok" : "not ok", what, c->asked,
		c->wrong, c->alias, c->found, c->lost);
	return good ? 0 : 1;
}

static int check_list(struct knames *k, struct ksyms *y)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	struct line l, next;
	struct counts c = { 0 };
	bool more = f && read_line(f, &l);
	struct kname s;
	int failed = 0;

	for (unsigned n = 0; more; n++, l = next) {
		more = read_line(f, &next);
		if (!strcmp(l.mod, "bpf") && (!knames_at(k, l.addr + 1, &s) || strcmp(s.mod, "bpf") != 0))
			failed += say(false, l.name, &c);
		if (more && n % EVERY == 0 && strchr("tT", l.type) && !l.mod[0] && next.addr > l.addr + 1 &&
			!next.mod[0])
			check_line(k, y, &l, &next, &c);
	}
	if (f)
		fclose(f);
	failed += say(c.asked > 200 && !c.wrong && c.alias < c.asked / 20, "names of addresses", &c);
	/* Some names stand for several functions. */
	return failed + say(!c.lost && c.found > c.asked * 9 / 10, "addresses of names", &c);
}

int main(void)
{
	struct knames *k;
	struct ksyms *y;
	struct ksym sym;
	struct kname s;
	int failed = 0, err = knames_open(&k);

	if (err == -EPERM) {
		printf("not run as root\n");
		return 77;
	}
	if (err || ksyms_open(&y)) {
		printf("not ok open: %s\n", strerror(-err));
		return 1;
	}
	if (knames_find(k, "_text", &s) == -EPERM) {
		printf("the kernel hides its addresses\n");
		return 77;
	}
	failed += check_list(k, y);
	if (knames_find(k, "no_such_function_of_the_kernel", &s) != -ENOENT ||
		ksyms_find(y, NULL, "no_such_function_of_the_kernel", &sym) != -ENOENT ||
		ksyms_find(y, "kernel", "tcp_sendmsg", &sym) || sym.type != 'T' ||
		ksyms_find(y, "no_such_module", "init", &sym) != -ENODEV || knames_at(k, 0, &s) ||
		knames_at(k, 16, &s) || knames_at(k, UINT64_MAX, &s))
		failed += say(false, "what there is not, and what there is", &(struct counts){ 0 });
	ksyms_close(y);
	knames_close(k);
	return failed != 0;
}
