/* SPDX-License-Identifier: GPL-2.0-or-later */
/* man: see pages.h. Shows a page by man(1), by mandoc(1), or plainly where there is neither. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "cli/man/pages.h"
#include "cli/man/plain.h"

#define NAME_MAX_LEN 64

struct page {
	const char *name, *text; /* name: "tcptop.8", not terminated */
	size_t name_len, len;
};

/* The next page after at; false: there is none. */
static bool next_page(const char *all, const char **at, struct page *page)
{
	const char *end = all + pages_size, *line, *next;

	if (*at >= end)
		return false;
	line = memchr(*at, '\n', (size_t)(end - *at));
	if (!line)
		return false;
	next = memchr(line, '\001', (size_t)(end - line));
	if (!next)
		next = end;
	*page = (struct page){ .name = *at + 1,
		.name_len = (size_t)(line - *at) - 1,
		.text = line + 1,
		.len = (size_t)(next - line) - 1 };
	*at = next;
	return true;
}

static bool find_page(const char *all, const char *name, struct page *page)
{
	size_t n = strlen(name);

	for (const char *at = all; next_page(all, &at, page);)
		if (page->name_len >= n && !strncmp(page->name, name, n) &&
			(page->name_len == n || page->name[n] == '.'))
			return true;
	return false;
}

/* A page that is one line ".so man8/NAME.8" stands for another. */
static void follow(const char *all, struct page *page)
{
	static const char so[] = "\n.so man8/";
	const char *at = memmem(page->text, page->len, so, sizeof(so) - 1);
	char name[NAME_MAX_LEN];
	size_t n;

	if (!at)
		return;
	at += sizeof(so) - 1;
	n = strcspn(at, "\n");
	if (n >= sizeof(name))
		return;
	memcpy(name, at, n);
	name[n] = 0;
	(void)find_page(all, name, page);
}

/* Does a formatter show it? It reads the page from a file in memory. */
static bool formatted(const struct page *page, const char *const *argv)
{
	int fd = memfd_create("page", MFD_CLOEXEC), status = -1;
	pid_t pid;

	if (fd < 0 || write(fd, page->text, page->len) != (ssize_t)page->len || lseek(fd, 0, SEEK_SET)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(fd, STDIN_FILENO);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	close(fd);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void show(const struct page *page)
{
	static const char *const man[] = { "man", "-l", "-", NULL }, *const mandoc[] = { "mandoc", "-a", NULL };

	if (!formatted(page, man) && !formatted(page, mandoc))
		plain_page(page->text, page->len, stdout);
}

static void list_pages(const char *all)
{
	struct page page;

	for (const char *at = all; next_page(all, &at, &page);)
		printf("%.*s\n", (int)page.name_len, page.name);
}

static char *unpack(void)
{
	uLongf size = pages_size;
	char *all = malloc(pages_size + 1);

	if (all && uncompress((Bytef *)all, &size, pages_packed, pages_packed_size) == Z_OK && size == pages_size) {
		all[size] = 0;
		return all;
	}
	free(all);
	return NULL;
}

int man_main(int argc, char **argv, const struct messages *m)
{
	const char *how = argc > 1 && !strncmp(argv[1], "--", 2) ? argv[1] : "";
	const char *name = argc > 1 + !!*how ? argv[1 + !!*how] : NULL;
	struct page page;
	char *all;

	if ((*how && strcmp(how, "--roff") && strcmp(how, "--plain")) || argc > 2 + !!*how) {
		message(m, "man takes --roff or --plain, and the name of a page");
		return 2;
	}
	all = pages_size ? unpack() : NULL;
	if (!all) {
		message(m, pages_size ? "cannot unpack the pages" : "this build has no pages inside");
		return 1;
	}
	if (!name)
		list_pages(all);
	else if (!find_page(all, name, &page)) {
		message(m, "no page %s", name);
		message_hint(m, "%s man lists the pages", m->program);
		free(all);
		return 2;
	} else {
		follow(all, &page);
		if (!strcmp(how, "--roff"))
			fwrite(page.text, 1, page.len, stdout);
		else if (*how)
			plain_page(page.text, page.len, stdout);
		else
			show(&page);
	}
	free(all);
	return 0;
}
