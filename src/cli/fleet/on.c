/* SPDX-License-Identifier: GPL-2.0-or-later */
/* on: see on.h. clush(1) starts dwire --emit on each node, and a merge shows what they send.
 * Input: argv. Output: the merged trace, and an exit status.
 * Invariant: each machine's dwire reads from a pipe whose only other end is ours. It ends when we do, in any case. */
#include "cli/fleet/on.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/fleet/clush.h"
#include "cli/fleet/remote.h"
#include "cli/signals.h"
#include "cli/tool/tool.h"

#define POLL_MS 100
#define FAREWELL_NS 3000000000u /* after ^C: so long the machines may take to send their last states */
#define END_MS 2000             /* so long clush may take when all streams have ended */
#define PATH_BYTES 512
#define SCREEN_ARGS 256 /* words of this command, when a screen reads it */

struct fleet {
	struct on_options o;
	struct nodes nodes;
	struct remote remote;
	struct clush clush;
	struct dwire *d;
	struct messages *messages;
	char copied[PATH_BYTES]; /* the program's path on the nodes; "": it is not copied */
	bool refused;            /* with --all-or-none: a node has, so no one traces */
	size_t failed;           /* nodes on which no trace began */
};

static void usage(FILE *out)
{
	fputs("usage: dwire on [option ...] NODES TOOL|OPTION [argument ...]\n"
	      "\n"
	      "Runs dwire on many machines by ClusterShell (clush), and shows what they send\n"
	      "as one trace. NODES: web[1-40],db1 or a group: @web. What follows them is what\n"
	      "dwire would be given on each machine.\n"
	      "\n"
	      "  --by host        the machine is the first key of aggregations and stands\n"
	      "                   before each line\n"
	      "  --emit           write the result as a stream, for dwire merge\n"
	      "  --copy[=FOLDER]  copy this dwire to each machine first (to /tmp), and remove\n"
	      "                   it at the end\n"
	      "  --dwire WORDS    how dwire is called there: 'sudo -n /usr/sbin/dwire'\n"
	      "  --through WORDS  run this here for each node: 'kubectl exec -i %h --',\n"
	      "                   'ip netns exec %h'\n"
	      "  --all-or-none    trace only if all machines can\n"
	      "  --cut SECONDS    a machine ends its trace when it has heard nothing from here\n"
	      "                   for so long (15): the network between is cut\n"
	      "  -f, -l, -o, -O, -R, -t, -u, -x, --topology\n"
	      "                   clush's: machines at a time (all), user, options of ssh,\n"
	      "                   settings, worker, time limits to connect and to run, nodes to\n"
	      "                   leave out, the tree of gateways\n"
	      "\n"
	      "  dwire on @web -n 'tcp:::connect-refused { @[args[3]->tcps_raddr] = count(); }'\n"
	      "  dwire on host[1-400] tcptop\n",
		out);
}

/* ---- nodes that fail --------------------------------------------------------------------------------------------- */
/* What a node wrote is in the pipe before its end is reported: it is read first. */
static bool node_failed(void *ctx, struct node *n)
{
	struct fleet *f = ctx;
	int r = 1;

	for (int i = 0; i < 2 && r > 0; i++) /* a pipe holds less than is read in two turns */
		r = dwire_poll(f->d, 0);
	if (dwire_merge_leave(f->d, n->name))
		return false;
	f->failed++;
	if (f->o.all && !f->refused) {
		message(f->messages, "%s cannot trace, so nobody does (--all-or-none)", n->name);
		f->refused = true;
		spawn_close_end(&f->clush.p.in);
		dwire_stop(f->d);
	}
	return true;
}

static bool copy_failed(void *ctx, struct node *n)
{
	(void)n;
	((struct fleet *)ctx)->failed++;
	return true;
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */
/* A name that nobody can guess, in a folder where others may write. 0, or -1 after a message. */
static int name_copy(struct fleet *f)
{
	uint64_t r[2];

	if (getrandom(r, sizeof(r), 0) != sizeof(r) ||
		(size_t)snprintf(f->copied, sizeof(f->copied), "%s/dwire-%016llx%016llx", f->o.copy,
			(unsigned long long)r[0], (unsigned long long)r[1]) >= sizeof(f->copied)) {
		message(f->messages, "cannot name the copy in %s", f->o.copy);
		return -1;
	}
	return 0;
}

/* Runs clush once with these arguments, ended by NULL. 0, or -1 after a message. */
static int run_clush(struct fleet *f, const char *const *args)
{
	struct clush c = { .nodes = &f->nodes, .messages = f->messages, .failed = copy_failed, .ctx = f };

	if (clush_start(&c, &f->o, args, SPAWN_ERR))
		return -1;
	clush_messages(&c, true);
	clush_end(&c, -1);
	return 0;
}

/* Runs a command on all machines; frees it. 0, or -1 after a message. */
static int run_command(struct fleet *f, char *command)
{
	int r = command ? run_clush(f, (const char *const[]){ "--", command, NULL }) : -1;

	if (!command)
		message(f->messages, "%s", strerror(ENOMEM));
	free(command);
	return r;
}

/* A machine that could not start its copy has left it. */
static void remove_copies(struct fleet *f)
{
	if (*f->copied && f->failed)
		(void)!run_command(f, remote_remove(f->copied));
}

/* A signal meanwhile ends this command when clush has ended, so that no copy is left. 0, or -1 after a message. */
static int send_copies(struct fleet *f, const char *const *args)
{
	struct signals *signals = signals_take(f->d, true);
	int r = signals ? run_clush(f, args) : -1;
	bool ended = signals && signals_came(signals);

	if (!r && !ended)
		r = run_command(f, remote_prepare(f->copied));
	ended = signals && signals_came(signals);
	signals_free(signals);
	if (!ended)
		return r;
	message(f->messages, "ended before all machines had their copy");
	(void)!run_command(f, remote_remove(f->copied));
	return -1;
}

/* 0, or -1 after a message. Nodes that cannot be copied to are left out of what follows only in their messages. */
static int copy(struct fleet *f)
{
	char own[PATH_BYTES];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	const char *const args[] = { "--copy", own, "--dest", f->copied, NULL };

	if (n < 0) {
		message(f->messages, "cannot find this program: %s", strerror(errno));
		return -1;
	}
	own[n] = '\0';
	if (name_copy(f) || send_copies(f, args))
		return -1;
	if (f->failed && f->o.all) {
		message(f->messages, "nobody traces (--all-or-none)");
		remove_copies(f);
		return -1;
	}
	f->failed = 0; /* they fail again, without a message */
	return 0;
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */
/* The scripts go to all machines; clush reads them as it can. False: it has ended. */
static bool send_scripts(const struct fleet *f)
{
	for (size_t n = 0; n < f->remote.input_len;) {
		ssize_t wrote = write(f->clush.p.in, f->remote.input + n, f->remote.input_len - n);

		if (wrote < 0 && errno != EINTR)
			return false;
		n += wrote > 0 ? (size_t)wrote : 0;
	}
	return true;
}

/* After the first signal the machines are asked to end, and what they still send is waited for. */
static void heed_signals(struct fleet *f, const struct signals *signals, uint64_t *until)
{
	if (!signals_came(signals))
		return;
	if (!*until)
		*until = clock_now() + FAREWELL_NS;
	spawn_close_end(&f->clush.p.in);
	if (clock_now() > *until)
		dwire_stop(f->d);
}

/* Merges until all streams end. 0, or -1 after a message. */
static int watch(struct fleet *f, const struct signals *signals)
{
	uint64_t until = 0;
	int r = dwire_start(f->d);

	while (!r && (r = dwire_poll(f->d, POLL_MS)) > 0) {
		clush_messages(&f->clush, false);
		heed_signals(f, signals, &until);
		r = 0;
	}
	return r;
}

/* Returns the exit status. */
static int trace_fleet(struct fleet *f)
{
	struct signals *signals = signals_take(f->d, true);
	int status = 0, r, nodes;

	f->messages->signals = signals;
	r = signals && send_scripts(f) ? watch(f, signals) : -1;
	nodes = clush_end(&f->clush, END_MS);
	remove_copies(f);
	if (dwire_end(f->d, &status))
		r = -1;
	f->messages->signals = NULL;
	signals_free(signals);
	return r ? 1 : status ? status : nodes || f->failed ? 1 : 0;
}

static int start(struct fleet *f)
{
	const char *const args[] = { "--", f->remote.command, NULL };

	f->clush = (struct clush){ .nodes = &f->nodes, .messages = f->messages, .failed = node_failed, .ctx = f };
	if (f->o.by_host)
		dwire_merge_by_host(f->d);
	if (f->o.all)
		dwire_merge_all_hosts(f->d);
	if ((f->o.emit && dwire_set(f->d, "oformat=stream", "--emit")) ||
		clush_start(&f->clush, &f->o, args, SPAWN_IN | SPAWN_OUT | SPAWN_ERR))
		return -1;
	dwire_output(f->d, stdout);
	if (dwire_merge_add(f->d, "clush", dup(f->clush.p.out)))
		return -1;
	spawn_close_end(&f->clush.p.out);
	for (size_t i = 0; i < f->nodes.n; i++)
		dwire_merge_expect(f->d, f->nodes.v[i].name);
	return 0;
}

/* A tool that is a screen on a terminal is one for a fleet, too: dwire-live starts this command once more, as the
 * writer of a stream. Comes back if it is no such tool, or if dwire-live is not installed. */
static void hand_over(const struct on_options *o, char **argv, int argc)
{
	struct live_args tool;
	const char *args[SCREEN_ARGS] = { "", "on", "--emit", "--by", "host" };
	char self[PATH_MAX], title[64];
	size_t n = 5;

	if (o->emit || !tool_screen(argc - o->first, argv + o->first, &tool) || !live_self(self) ||
		(size_t)o->first + LIVE_TOOL_ARGS + n > SCREEN_ARGS)
		return;
	args[0] = self;
	for (int i = 1; i < o->first; i++)
		args[n++] = argv[i];
	for (size_t i = 0; tool.v[i]; i++)
		args[n++] = tool.v[i];
	args[n] = NULL;
	snprintf(title, sizeof(title), "%s on %s", tool.v[0], o->nodes);
	live_start(title, NULL, args);
}

/* Returns the exit status. */
static int run(struct fleet *f, int argc, char **argv)
{
	if (nodes_expand(&f->nodes, f->o.nodes, f->o.exclude, f->messages) || (f->o.copy && copy(f)))
		return 1;
	if (remote_make(&f->remote, &f->o, f->o.copy ? f->copied : NULL, argc, argv, f->messages) || start(f))
		return 1;
	return trace_fleet(f);
}

int on_main(int argc, char **argv, struct messages *messages)
{
	struct fleet f = { .messages = messages };
	int status = on_options(&f.o, argc, argv, messages);

	if (status) {
		usage(status < 0 ? stdout : stderr);
		return status < 0 ? 0 : status;
	}
	hand_over(&f.o, argv, argc);
	if (dwire_new(&f.d)) {
		message(messages, "%s", strerror(ENOMEM));
		return 1;
	}
	setenv("PYTHONUNBUFFERED", "1", 1); /* clush writes a line when it has it */
	signal(SIGPIPE, SIG_IGN);           /* clush may end before it has read the scripts */
	dwire_on_message(f.d, message_show, messages);
	status = run(&f, argc - f.o.first, argv + f.o.first);
	dwire_free(f.d);
	remote_free(&f.remote);
	nodes_free(&f.nodes);
	return status;
}
