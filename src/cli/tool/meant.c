/* SPDX-License-Identifier: GPL-2.0-or-later */
/* meant: see meant.h.
 * Input: the unknown word, the tool's options. Output: a hint, or none.
 * Invariant: nothing is changed; a wrong guess costs only a wrong hint. */
#include "cli/tool/meant.h"

#include <ctype.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/inet.h"

/* Names that other tools give an option, by the D constant that the option sets here. */
static const struct {
	const char *theirs, *name;
} others[] = {
	{ "addr", "tool_host" },
	{ "address", "tool_host" },
	{ "dev", "device" },
	{ "device", "device" },
	{ "dport", "tool_rport" },
	{ "duration", "tool_for" },
	{ "iface", "device" },
	{ "interface", "device" },
	{ "interval", "interval" },
	{ "ip", "tool_host" },
	{ "ipv4", "tool_ip4" },
	{ "ipv6", "tool_ip6" },
	{ "local-port", "tool_lport" },
	{ "localport", "tool_lport" },
	{ "lport", "tool_lport" },
	{ "net", "tool_host" },
	{ "noclear", "noclear" },
	{ "pid", "tool_pid" },
	{ "port", "tool_port" },
	{ "ports", "tool_port" },
	{ "process", "tool_pid" },
	{ "remote-port", "tool_rport" },
	{ "remoteport", "tool_rport" },
	{ "rport", "tool_rport" },
	{ "sport", "tool_lport" },
	{ "time", "tool_clock" },
	{ "timestamp", "tool_secs" },
	{ "uid", "tool_user" },
	{ "wide", "wide" },
};

/* -P: some tools use it for the port of one end only. */
static const struct param *port_option(struct tool *t)
{
	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].flag == 'P' && (t->params[i].same_as || t->params[i].kind == PARAM_PORTS))
			return &t->params[i];
	return NULL;
}

const struct param *tool_meant_option(struct tool *t, const char *longer)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].theirs, longer))
			return strcmp(others[i].name, "tool_port") ? tool_param(t, others[i].name) : port_option(t);
	return NULL;
}

/* A number that fits a port. */
static bool is_port(const char *word)
{
	return strlen(word) <= 5 && !word[strspn(word, "0123456789")] && strtol(word, NULL, 10) <= UINT16_MAX;
}

/* Ordered from certain to vague: a port, an address, a device, a filter; any other word may be a program's name. */
bool tool_meant_word(struct tool *t, const char *word)
{
	const struct param *device = tool_param(t, "device");
	struct inet_net net;

	if (is_port(word) && port_option(t))
		message_hint(&t->own, "a port is given as -P %s", word);
	else if (inet_net_parse(word, &net) && tool_param(t, "tool_host"))
		message_hint(&t->own, "an address is given as --host %s", word);
	else if (if_nametoindex(word) && device && device->flag)
		message_hint(&t->own, "a device is given as -%c %s", device->flag, word);
	else if (tool_is_filter(word))
		message_hint(&t->own, "filters are options: -P 443 --host 10.0.0.0/8");
	else if (isalpha((unsigned char)*word) && !if_nametoindex(word) && tool_param(t, "tool_pid"))
		message_hint(&t->own, "a process is given as -p %s", word);
	else
		return false;
	return true;
}

/* Words that a tcpdump filter can begin with. */
bool tool_is_filter(const char *word)
{
	static const char *const words[] = { "dst", "host", "icmp", "ip", "net", "port", "src", "tcp", "udp" };
	size_t n = strcspn(word, " ");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n && !strncmp(word, words[i], n))
			return true;
	return false;
}
