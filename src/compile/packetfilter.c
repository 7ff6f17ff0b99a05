/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packetfilter: see packetfilter.h.
 * Input: an expression. Output: instructions of classic BPF, as "tcpdump -ddd" prints them: their number, then a line
 * of four numbers each.
 * Invariant: each jump leads forward to one of the instructions, and the last one returns. */
#include "compile/packetfilter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_MAX (256u << 10)
#define INSNS_MAX 4096

/* ---- tcpdump ----------------------------------------------------------------------------------------------------- */
/* Reads to the end. Returns the length; the text ends with a NUL. */
static size_t read_all(int fd, char *buf, size_t size)
{
	size_t n = 0;
	ssize_t r;

	while (n + 1 < size && ((r = read(fd, buf + n, size - 1 - n)) > 0 || (r < 0 && errno == EINTR)))
		n += r > 0 ? (size_t)r : 0;
	buf[n] = '\0';
	return n;
}

/* Runs "tcpdump -y RAW -ddd -- text", which opens no device. What it prints, errors too, goes to buf. Its exit status,
 * or -errno. */
static int run_tcpdump(const char *text, char *buf, size_t size)
{
	char *const argv[] = { (char *)(uintptr_t) "tcpdump", (char *)(uintptr_t) "-y", (char *)(uintptr_t) "RAW",
		(char *)(uintptr_t) "-ddd", (char *)(uintptr_t) "--", (char *)(uintptr_t)text, NULL };
	posix_spawn_file_actions_t files;
	int pipes[2], status = 0, err;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return -errno;
	err = posix_spawn_file_actions_init(&files);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, pipes[1], STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, pipes[1], STDERR_FILENO);
	if (!err)
		err = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(pipes[1]);
	if (!err)
		read_all(pipes[0], buf, size);
	close(pipes[0]);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EIO;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */
static bool is_joint(const char *word, size_t n)
{
	static const char *const joints[] = { "and", "or", "not", "&&", "||", "!", "(" };

	for (size_t i = 0; i < sizeof(joints) / sizeof(joints[0]); i++)
		if (strlen(joints[i]) == n && !strncmp(word, joints[i], n))
			return true;
	return false;
}

/* libpcap does not say where a syntax error is. It is at the word behind the longest part, from the beginning on, that
 * it takes; what joins two parts is none. */
static size_t error_place(const char *text, char *buf)
{
	size_t at = strspn(text, " ");
	char *part = strdup(text);

	for (size_t end = at; part && text[end];) {
		size_t n = strcspn(text + end, " "), next = end + n + strspn(text + end + n, " ");

		part[end + n] = '\0';
		if (is_joint(text + end, n) ? at == end : !run_tcpdump(part, buf, OUTPUT_MAX))
			at = text[next] ? next : end;
		part[end + n] = text[end + n];
		end = next;
	}
	free(part);
	return at;
}

/* The place of the word that a message quotes: "unknown port 'foo'". */
static bool quoted_place(const char *text, const char *message, size_t *at)
{
	const char *open = strchr(message, '\''), *close = open ? strchr(open + 1, '\'') : NULL, *found;
	char word[64];

	if (!close || close == open + 1 || strchr(message, '"'))
		return false;
	if (!strncmp(message, "can't", 5))
		return false;
	snprintf(word, sizeof(word), "%.*s", (int)(close - open - 1), open + 1);
	found = strstr(text, word);
	if (found)
		*at = (size_t)(found - text);
	return found != NULL;
}

/* tcpdump's own message, without its name and the line's end. */
static const char *why_not(struct arena *a, const char *text, char *buf, size_t *at)
{
	const char *s = strstr(buf, "tcpdump: "), *why;

	s = s ? s + strlen("tcpdump: ") : buf;
	why = arena_printf(a, "%.*s", (int)strcspn(s, "\n"), s);
	*at = 0;
	if (!quoted_place(text, why, at))
		*at = error_place(text, buf);
	return why;
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */
static bool next_number(char **s, unsigned long most, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = strtoul(*s, &end, 10);
	if (errno || end == *s || *out > most)
		return false;
	*s = end;
	return true;
}

/* The last instruction returns, and jumps stay inside: then each way ends. */
static bool is_sound(const struct packet_filter *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct packet_insn *in = &f->v[i];
		bool jump = (in->code & 7) == 5, always = in->code == 5;

		if (jump && (always ? in->k >= f->n - i - 1 : in->jt >= f->n - i - 1 || in->jf >= f->n - i - 1))
			return false;
	}
	return f->n && (f->v[f->n - 1].code & 7) == 6;
}

static const struct packet_filter *parse(struct arena *a, char *s)
{
	struct packet_filter *f = ARENA_NEW(a, struct packet_filter);
	unsigned long n, code, jt, jf, k;
	struct packet_insn *v;

	if (!next_number(&s, INSNS_MAX, &n))
		return NULL;
	v = ARENA_ARRAY(a, struct packet_insn, n + 1);
	for (; f->n < n; f->n++) {
		if (!next_number(&s, UINT16_MAX, &code) || !next_number(&s, UINT8_MAX, &jt) ||
			!next_number(&s, UINT8_MAX, &jf) || !next_number(&s, UINT32_MAX, &k))
			return NULL;
		v[f->n] = (struct packet_insn){ (uint16_t)code, (uint8_t)jt, (uint8_t)jf, (uint32_t)k };
	}
	f->v = v;
	return is_sound(f) ? f : NULL;
}

const struct packet_filter *packetfilter_compile(struct arena *a, const char *text, const char **why, size_t *at)
{
	char *buf = arena_try(a, OUTPUT_MAX);
	const struct packet_filter *f = NULL;
	int status;

	*at = 0;
	*why = "no memory";
	if (!buf)
		return NULL;
	status = run_tcpdump(text, buf, OUTPUT_MAX);
	if (status == -ENOENT)
		*why = "pcap-filter expressions are compiled by tcpdump, which is not installed";
	else if (status < 0)
		*why = arena_printf(a, "cannot run tcpdump: %s", strerror(-status));
	else if (status)
		*why = why_not(a, text, buf, at);
	else if (!(f = parse(a, buf)))
		*why = "tcpdump makes a filter that dwire does not understand";
	return f;
}
