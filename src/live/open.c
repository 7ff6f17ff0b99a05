/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open: see open.h.
 * Input: a row. Output: the command line of a tool with the row's process, ports and host as filters.
 * Invariant: values are arguments of their own, never parts of a shell's line; each is a number or an address. */
#include "live/open.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ARG_CHARS 80u
#define ARGS 20u

static const struct open_tool tools[] = {
	{ "sotrace", "its life, event by event", "pLDPh", OPEN_TCP, NULL },
	{ "tcpsnoop", "each segment", "pLDPh", OPEN_TCP, "time,pid,laddr,lport,dir,raddr,rport,bytes,flags" },
	{ "tcpretrans", "segments that are sent again", "pLDPh", OPEN_TCP, NULL },
	{ "skbdrop", "packets that are dropped, with stacks", "h", OPEN_ALL, NULL },
	{ "tcpreset", "resets, and why", "LDPh", OPEN_TCP, NULL },
	{ "tcpstates", "changes of its state", "pLDPh", OPEN_TCP, NULL },
	{ "reqlat", "times from request to answer", "pLDPh", OPEN_TCP, NULL },
	{ "tcprtt", "round-trip times", "pLDPh", OPEN_TCP, NULL },
	{ "tcplife", "connections as they end", "pLDPh", OPEN_TCP, NULL },
	{ "udpsnoop", "each datagram", "pLDPh", OPEN_UDP, "time,pid,laddr,lport,dir,raddr,rport,bytes" },
};

/* The letters of filters, the columns that have their values, and the options. */
static const struct {
	char letter;
	const char *columns[3];
	const char *option;
} filters[] = {
	{ 'p', { "pid", "tgid" }, "-p" },
	{ 'L', { "lport" }, "-L" },
	{ 'D', { "rport" }, "-D" },
	{ 'P', { "port" }, "-P" },
	{ 'h', { "raddr", "remote", "peer" }, "--host" },
};
#define NFILTERS (sizeof(filters) / sizeof(filters[0]))

/* An address that a connection can have: a socket that listens has 0.0.0.0 or :: for its peer. */
static bool is_address(const char *s)
{
	static const unsigned char none[16];
	unsigned char a[16] = { 0 };

	return (inet_pton(AF_INET, s, a) == 1 || inet_pton(AF_INET6, s, a) == 1) && memcmp(a, none, sizeof(a)) != 0;
}

/* The value of the i-th filter in a row. False: it has none, or one that is no filter. */
static bool value_of(size_t i, const struct sheet *s, const struct row *r, char *out, size_t size)
{
	const struct cell *c = NULL;

	for (size_t k = 0; k < 3 && filters[i].columns[k] && !c; k++) {
		int at = sheet_find(s, filters[i].columns[k]);

		c = at < 0 ? NULL : &r->cells[at];
	}
	if (!c)
		return false;
	if (filters[i].letter == 'h') {
		snprintf(out, size, "%s", c->kind == CELL_TEXT ? c->text : "");
		return c->kind == CELL_TEXT && is_address(c->text);
	}
	snprintf(out, size, "%.0Lf", c->number);
	return c->kind == CELL_NUMBER && c->number > 0;
}

static size_t put_filters(const struct open_tool *t, const struct sheet *s, const struct row *r, char args[][ARG_CHARS])
{
	size_t n = 0;

	for (size_t i = 0; i < NFILTERS; i++)
		if (strchr(t->options, filters[i].letter) && value_of(i, s, r, args[n + 1], ARG_CHARS)) {
			snprintf(args[n], ARG_CHARS, "%s", filters[i].option);
			n += 2;
		}
	return n;
}

/* The protocol that a row, or all rows of a tool, are of: "tcp", "udplite"; "": unknown. */
static const char *proto_of(const char *from, const struct sheet *s, const struct row *r)
{
	const int at = sheet_find(s, "proto");

	return at >= 0 && r->cells[at].kind == CELL_TEXT ? r->cells[at].text : from;
}

/* A tool without a filter for the row would show everything; of UDP rows those of TCP would show nothing. */
const struct open_tool *open_tool(const char *from, const struct sheet *s, const struct row *r, size_t i)
{
	const char *proto = r ? proto_of(from, s, r) : from;
	const int not = !strncasecmp(proto, "udp", 3) ? OPEN_TCP : !strncasecmp(proto, "tcp", 3) ? OPEN_UDP : -1;
	char args[2 * NFILTERS + 2][ARG_CHARS];

	for (size_t k = 0; r && k < sizeof(tools) / sizeof(tools[0]); k++)
		if ((int)tools[k].of != not &&put_filters(&tools[k], s, r, args) && !i--)
			return &tools[k];
	return NULL;
}

void open_filters(const struct open_tool *t, const struct sheet *s, const struct row *r, char *out, size_t size)
{
	char args[2 * NFILTERS + 2][ARG_CHARS];
	const size_t n = put_filters(t, s, r, args);
	size_t len = 0;

	*out = '\0';
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, " %s", args[i]);
}

/* Tools with an interval report each second. */
static bool has_interval(const char *tool)
{
	return !strcmp(tool, "reqlat") || !strcmp(tool, "tcprtt") || !strcmp(tool, "skbdrop");
}

struct watch *open_start(const char *program, const struct open_tool *t, const struct sheet *s, const struct row *r)
{
	char args[2 * NFILTERS + 2][ARG_CHARS], title[64];
	const size_t n = put_filters(t, s, r, args);
	const char *argv[ARGS] = { program, t->tool, "--json", "--emit" };
	size_t argc = 4;

	if (t->columns) {
		argv[argc++] = "-o";
		argv[argc++] = t->columns;
	}
	if (has_interval(t->tool))
		argv[argc++] = "--interval=1";
	for (size_t i = 0; i < n && argc + 1 < ARGS; i++)
		argv[argc++] = args[i];
	argv[argc] = NULL;
	snprintf(title, sizeof(title), "%s", t->tool);
	return watch_open(argv, title);
}
