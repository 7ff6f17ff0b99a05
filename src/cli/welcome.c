/* SPDX-License-Identifier: GPL-2.0-or-later */
/* welcome: see welcome.h. tests/kernel/cli/welcome.sh runs each command of it. */
#include "cli/welcome.h"

#include <unistd.h>

#include "api/dwire.h"

void welcome(FILE *out)
{
	fprintf(out,
		"dwire %s: DTrace for the network stack\n"
		"\n"
		"What now?\n"
		"  dwire netcheck       something is wrong with the network: where do I look?\n"
		"  dwire tcplife        connections as they end: process, bytes, duration\n"
		"  dwire tcptop 1       who uses the bandwidth, every second\n"
		"  dwire -n 'tcp:::send { @[args[1]->cs_execname] = count(); }'\n"
		"                       a program in D: segments by process, until ^C\n"
		"  dwire --self-test    what this kernel allows, and what works on it\n"
		"\n"
		"Look further:\n"
		"  dwire help           all tools; dwire TOOL -h, dwire man TOOL: one of them\n"
		"  dwire -l 'tcp:::'    the probes of tcp; -lvv: what they mean\n"
		"  dwire man dwire      the manual; dwire -h: the options\n"
		"  dwire new-tool NAME  begins a tool: a script and its man page\n",
		dwire_version());
	if (geteuid())
		fprintf(out, "\nTracing needs root, or CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN: sudo dwire ...\n");
}
