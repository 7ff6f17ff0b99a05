/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main: the dwire command, with the options of dtrace(1).
 * Input: argv. Output: the exit status of dtrace(1).
 * Invariant: everything that the command can do goes through api/dwire.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/dwire.h"
#include "cli/fleet/on.h"
#include "cli/input.h"
#include "cli/letters.h"
#include "cli/man/pages.h"
#include "cli/merge.h"
#include "cli/message.h"
#include "cli/picture/pictures.h"
#include "cli/progress.h"
#include "cli/project.h"
#include "cli/record/record.h"
#include "cli/record/replay.h"
#include "cli/report/report.h"
#include "cli/selftest/selftest.h"
#include "cli/signals.h"
#include "cli/tool/containers.h"
#include "cli/tool/head.h"
#include "cli/tool/meant.h"
#include "cli/tool/newtool.h"
#include "cli/tool/table.h"
#include "cli/tool/tool.h"
#include "cli/trace.h"
#include "cli/until_eof.h"
#include "cli/welcome.h"

/* Exit statuses of dtrace(1). */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

struct command {
	struct dwire *d;
	struct messages messages;
	struct pictures pictures;
	bool list, compile_only, any;
	bool help, object; /* -h, which means two things; -G */
	bool emit;
	unsigned verbose; /* times that -v was given */
	const char *output;
	const char *script; /* the first of -s */
	enum dwire_stage dump;
	unsigned char texts[128]; /* by letter: texts given with that option */
	const char **args;        /* $0, $1, ... */
	int nargs;
};

static void usage(const struct command *c, FILE *out)
{
	fprintf(out,
		"usage: %s [-CeFGhHlOqSvVwZ] [-b bufsize] [-c command] [-D name[=value]]\n"
		"             [-I path] [-L path] [-o file] [-p pid] [-s script] [-U name]\n"
		"             [-x option[=value]] [-X a|c|s|t] [-i id]\n"
		"             [-P provider | -m module | -f function | -n name\n"
		"             [[/predicate/] { action }]] [argument ...]\n"
		"       %s tool [-h] [argument ...]\n",
		c->messages.program, c->messages.program);
}

/* The text of -h alone. With a text of D it means a header file, as in DTrace. */
static void help(const struct command *c)
{
	usage(c, stdout);
	printf("\n"
	       "  -n PROBE     trace a probe: tcp:::send, tick-1s,\n"
	       "               'ip:::receive { @[args[2]->ip_saddr] = count(); }'\n"
	       "  -s FILE      run a D script (- is the standard input)\n"
	       "  -P -m -f -i  the probes of a provider, a module, a function; a probe's id\n"
	       "  -l           list probes instead of tracing (-lv: stability, arguments;\n"
	       "               -lvv: meaning, and where the kernel shows them)\n"
	       "  -c COMMAND   run it and trace until it ends ($target is its pid)\n"
	       "  -p PID       trace until that process ends ($target)\n"
	       "  -o FILE      append the output to a file\n"
	       "  -q           print only what the program prints\n"
	       "  -F           indent by the entry and return of functions\n"
	       "  -v           report the program's stability and its probes' arguments\n"
	       "  -S           show the BPF instructions\n"
	       "  -x OPT[=VAL] set an option: bufsize=8m, switchrate=10hz, -x help: all\n"
	       "  -b SIZE      the same as -x bufsize=SIZE\n"
	       "  -C           run scripts through cpp first\n"
	       "  -D NAME[=VALUE], -U NAME, -I PATH, -H, -X a|c|s|t  options for cpp\n"
	       "  -L PATH      a folder with D libraries\n"
	       "  -Z           descriptions that match no probe are no error\n"
	       "  -w           allow destructive actions\n"
	       "  -e           compile, do not run\n"
	       "  --libxo FORMAT, -O  output as json, xml or html; of each record\n"
	       "  --emit       output as a stream of frames, for dwire merge\n"
	       "  --flame FILE also draw stacks as a flame graph (SVG)\n"
	       "  --heat[=FILE] distributions over time: in the terminal, or as SVG\n"
	       "  --graph FILE from each aggregation's first key to its last, as DOT\n"
	       "  --until-eof[=SECONDS]  as the first option: ends when the standard input\n"
	       "               does, or when nothing comes from it for so long\n"
	       "  --cost       at the end: what the trace itself took of the machine\n"
	       "  -h -s FILE   write a C header with the probes of the provider in FILE\n"
	       "  -G -s FILE   write the object to link with it (-o names the output)\n"
	       "  --self-test  what this kernel allows, and whether each provider works on it\n"
	       "  -V, -h       version; this text\n"
	       "  --dump=STAGE show a stage of the compiler: tokens, ast, types, ir, bpf\n"
	       "\ndwire help shows what each tool does: ");
	tool_list(stdout, 38);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */
/* -s FILE. The first script's name becomes $0. 0, or -errno after a message. */
static int add_script(struct command *c, const char *path)
{
	char *text;
	size_t len;
	int r = input_read(path, &text, &len);

	if (r)
		message(&c->messages, "cannot read %s: %s", path, strerror(-r));
	else if (tool_is_source(text)) {
		message(&c->messages, "%s is a tool: %s %s [option ...]", path, c->messages.program, path);
		r = -EINVAL;
	} else
		r = dwire_add(c->d, DWIRE_SCRIPT, path, text, len);
	if (!c->script)
		c->script = path;
	if (!c->args[0])
		c->args[0] = path;
	free(text);
	return r;
}

/* The text is called after its option in messages: "-n", then "-n #2". */
static int add_text(struct command *c, enum dwire_kind kind, int letter, const char *text)
{
	unsigned n = ++c->texts[letter & 127];
	char name[32];

	if (n == 1)
		snprintf(name, sizeof(name), "-%c", letter);
	else
		snprintf(name, sizeof(name), "-%c #%u", letter, n);
	return dwire_add(c->d, kind, name, text, strlen(text));
}

/* --dump=STAGE */
static int set_dump(struct command *c, const char *what)
{
	static const char *const names[] = { [DWIRE_STAGE_ALL] = "",
#define X(stage, name) [DWIRE_STAGE_##stage] = name,
		DWIRE_STAGES(X)
#undef X
	};

	for (size_t i = DWIRE_STAGE_ALL + 1; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], what)) {
			c->dump = (enum dwire_stage)i;
			return 0;
		}
	message(&c->messages, "--dump takes tokens, ast, types, ir or bpf");
	return -EINVAL;
}

static int no_memory(struct command *c)
{
	message(&c->messages, "%s", strerror(ENOMEM));
	return -ENOMEM;
}

/* -x option */
static int set_option(struct command *c, const char *option)
{
	const char *eq = strchr(option, '=');
	size_t name = eq ? (size_t)(eq - option) : strlen(option), value = eq ? 1 + strspn(eq + 1, " \t") : 0;
	char *shown = NULL;
	int r;

	while (name && strchr(" \t", option[name - 1]))
		name--;
	if (asprintf(&shown, "-x %.*s%s%s", (int)name, option, eq ? "=" : "", eq ? eq + value : "") < 0)
		return no_memory(c);
	r = dwire_set(c->d, option, shown);
	free(shown);
	return r;
}

/* Sets the -x option that a letter abbreviates. */
static int set_short(struct command *c, int letter, const char *name, const char *value)
{
	char *option = NULL, *shown = NULL;
	int r;

	if (asprintf(&option, "%s=%s", name, value) < 0)
		return no_memory(c);
	if (letter == 'x')
		r = set_option(c, option);
	else if (asprintf(&shown, "-%c %s", letter, value) < 0)
		r = no_memory(c);
	else {
		r = dwire_set(c->d, option, shown);
		free(shown);
	}
	free(option);
	return r;
}

/* The -x option and value that a letter abbreviates. NULL: the letter abbreviates none. */
static const char *short_for(int opt, const char **value)
{
	static const struct {
		int letter;
		const char *name, *value; /* value NULL: the argument */
	} shorts[] = { { 'b', "bufsize", NULL }, { 'q', "quiet", "1" }, { 'w', "destructive", "1" },
		{ 'Z', "zdefs", "1" }, { 'F', "flowindent", "1" }, { 'C', "cpp", "1" }, { 'H', "cpphdrs", "1" },
		{ 'D', "define", NULL }, { 'U', "undef", NULL }, { 'I', "incdir", NULL }, { 'L', "libdir", NULL },
		{ 'X', "stdc", NULL }, { 'O', "oall", "1" }, { OPT_LIBXO, "oformat", NULL },
		{ OPT_EMIT, "oformat", "stream" }, { OPT_COST, "cost", "1" } };

	for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++)
		if (shorts[i].letter == opt) {
			*value = shorts[i].value ? shorts[i].value : optarg;
			return shorts[i].name;
		}
	return NULL;
}

/* -p PID */
static int grab(struct command *c, const char *arg)
{
	char *end;
	long pid = strtol(arg, &end, 10);

	if (*end || end == arg || pid <= 0 || pid > INT_MAX) {
		message(&c->messages, "-p takes the number of a process, not %s", arg);
		if (isalpha((unsigned char)*arg))
			message_hint(&c->messages, "-p $(pgrep -o %s)", arg);
		return -EINVAL;
	}
	return dwire_grab(c->d, (pid_t)pid);
}

/* Handles an option that adds a program text. False: the letter is not such an option. */
static bool take_text(struct command *c, int opt, int *r)
{
	static const struct {
		char letter;
		enum dwire_kind kind;
	} kinds[] = { { 'n', DWIRE_NAME }, { 'P', DWIRE_PROVIDER }, { 'm', DWIRE_MODULE }, { 'f', DWIRE_FUNCTION },
		{ 'i', DWIRE_ID } };

	*r = 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].letter == opt) {
			*r = add_text(c, kinds[i].kind, opt, optarg);
			return c->any = true;
		}
	if (opt != 's')
		return false;
	*r = add_script(c, optarg);
	return c->any = true;
}

/* -32, -64: the size of pointers that programs are written for. */
static int set_model(const struct command *c, int digit, const char *rest)
{
	if (digit == '6' && !strcmp(rest, "4"))
		return 0;
	if (digit == '3' && !strcmp(rest, "2"))
		message(&c->messages, "dtrace's option -32 is not here: addresses have 64 bits");
	else
		message(&c->messages, "no option -%c%s", digit, rest);
	return -EINVAL;
}

/* One option; 0, or -errno after a message. */
static int take_option(struct command *c, int opt)
{
	const char *name, *value;
	int r;

	if (take_text(c, opt, &r))
		return r;
	if (opt == 'b' && strspn(optarg, "0") == strlen(optarg)) { /* -x bufsize=0 is the default size */
		message(&c->messages, "failed to set -b %s: Invalid value for specified option", optarg);
		return -EINVAL;
	}
	c->emit |= opt == OPT_EMIT;
	name = short_for(opt, &value);
	if (name)
		return set_short(c, opt < OPT_DUMP ? opt : 'x', name, value);
	switch (opt) {
	case 'x':
		return set_option(c, optarg);
	case 'c':
		return dwire_command(c->d, optarg);
	case 'p':
		return grab(c, optarg);
	case 'o':
		c->output = optarg;
		return 0;
	case 'l':
		c->list = true;
		return 0;
	case 'v':
		c->verbose++;
		return 0;
	case 'S':
		dwire_listing(c->d, true, c->messages.out);
		return 0;
	case 'e':
		c->compile_only = true;
		return 0;
	case 'h':
		c->help = true;
		return 0;
	case OPT_FLAME:
	case OPT_HEAT:
	case OPT_GRAPH:
		(void)pictures_take(&c->pictures,
			opt == OPT_FLAME          ? "flame"
				: opt == OPT_HEAT ? "heat"
						  : "graph",
			optarg);
		return 0;
	case '3':
	case '6':
		return set_model(c, opt, optarg);
	case 'G':
		c->object = true;
		return 0;
	default:
		return set_dump(c, optarg);
	}
}

/* Reports a wrong or incomplete option. */
static int bad_option(const struct command *c, int opt, char **argv)
{
	const char *word = argv[optind - 1];

	if (opt == ':' && optopt >= OPT_DUMP)
		message(&c->messages, "option %s needs a value", word);
	else if (opt == ':')
		message(&c->messages, "option -%c needs a value", optopt);
	else if (!optopt || optopt >= OPT_DUMP)
		message(&c->messages, "no option %s", word);
	else if (strchr("aA", optopt))
		message(&c->messages, "dtrace's option -%c is not here: Linux has no anonymous tracing", optopt);
	else
		message(&c->messages, "no option -%c", optopt);
	usage(c, c->messages.out);
	return EXIT_USAGE;
}

/* Returns EXIT_OK, or the exit status after an error. *done: the command has already ended with success (-V). */
static int take_options(struct command *c, int argc, char **argv, bool *done)
{
	int opt;

	while ((opt = letters_next(argc, argv)) != -1) {
		if (opt == '?' || opt == ':')
			return bad_option(c, opt, argv);
		if (opt == 'V') {
			printf("%s %s\n", c->messages.program, dwire_version());
			*done = true;
			return EXIT_OK;
		}
		if (take_option(c, opt))
			return EXIT_ERROR;
	}
	for (; optind < argc; optind++)
		c->args[c->nargs++] = argv[optind];
	return EXIT_OK;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
/* Reports, for each text, how many probes it enabled: "dwire: description 'tcp:::send' matched 1 probe". */
static void say_matched(const struct command *c)
{
	enum dwire_kind kind;
	const char *text;
	size_t n;

	for (size_t i = 0; dwire_matched(c->d, i, &kind, &text, &n); i++)
		message(&c->messages, "%s '%s' matched %zu probe%s", kind == DWIRE_SCRIPT ? "script" : "description",
			text, n, n == 1 ? "" : "s");
}

/* One of many machines does not repeat what all of them would. */
static void say_compiled(const struct command *c)
{
	if (dwire_is_set(c->d, "quiet") || c->emit)
		return;
	say_matched(c);
	if (dwire_is_set(c->d, "destructive"))
		message(&c->messages, "allowing destructive actions");
}

/* Compiles, then traces unless only a dump or a check (-e) is wanted. Returns the exit status. */
static int run(struct command *c, FILE *out)
{
	bool tracing = !c->dump && !c->compile_only;
	int r = tracing ? dwire_require(c->d) : 0;

	if (!r)
		r = c->dump ? dwire_dump(c->d, c->dump, out) : dwire_compile(c->d);
	if (!r && tracing)
		say_compiled(c);
	if (!r && !c->dump && c->verbose)
		dwire_describe(c->d, c->verbose > 1, out);
	if (r)
		return EXIT_ERROR;
	return tracing ? pictures_trace(&c->pictures, c->d, out, &c->messages) : EXIT_OK;
}

static int cannot_write(const struct command *c, const char *where)
{
	message(&c->messages, "cannot write to %s: %s", where, strerror(errno));
	return EXIT_ERROR;
}

struct list {
	const struct command *c;
	FILE *out;
	int err; /* -errno of the stream */
};

/* The columns of dtrace -l. */
static int list_probe(void *ctx, const struct dwire_probe *p)
{
	struct list *l = ctx;

	errno = 0;
	fprintf(l->out, "%5u %10s %17s %33s %s\n", p->id, p->provider, p->module, p->function, p->name);
	if (l->c->verbose)
		dwire_print_probe(l->c->d, p, l->c->verbose > 1, l->out);
	if (ferror(l->out))
		l->err = -(errno ? errno : EIO);
	return l->err;
}

/* -l. A closed reader of the output ends the list. */
static int list(struct command *c, FILE *out)
{
	struct list l = { .c = c, .out = out };
	int r;

	fprintf(out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	r = dwire_list(c->d, list_probe, &l);
	/* -m and -n may match nothing, as in dtrace -l. */
	if (r == -ENOENT && !c->script && !c->texts['P'] && !c->texts['f'] && !c->texts['i'])
		r = 0;
	errno = 0;
	if (!l.err && fflush(out))
		l.err = -(errno ? errno : EIO);
	if (l.err)
		message(&c->messages, "cannot write the list: %s", strerror(-l.err));
	return r || l.err ? EXIT_ERROR : EXIT_OK;
}

/* Runs the program or lists its probes, on the standard output or the file of -o. */
static int with_output(struct command *c)
{
	FILE *out = c->output ? fopen(c->output, "ae") : stdout;
	int status;

	if (!out)
		return cannot_write(c, c->output);
	if (c->list)
		status = list(c, out);
	else
		status = run(c, out);
	if (out == stdout)
		return status; /* main() says whether all of it was written */
	errno = 0;
	if (fclose(out) && !status && errno != EPIPE)
		status = cannot_write(c, c->output);
	return status;
}

/* Reports a word that is neither an option nor a tool, with a hint of what was probably meant. */
static int not_a_tool(const struct command *c, const char *word)
{
	size_t n = strlen(word);
	char buf[32];
	const char *near = tool_nearest(word, buf, sizeof(buf));

	if (!strcmp(word, "list") || !strcmp(word, "probes"))
		message(&c->messages, "to list probes: %s -l; tools: %s help", c->messages.program,
			c->messages.program);
	else if (!strcmp(word, "version"))
		message(&c->messages, "for the version: %s -V", c->messages.program);
	else if (tool_find(word) >= 0)
		message(&c->messages, "the tool's name stands first: %s %s", c->messages.program, word);
	else if ((unsigned char)*word == 0xe2) /* as a typesetter's dash begins */
		message(&c->messages, "%s: options begin with a plain -", word);
	else if (tool_is_filter(word))
		message(&c->messages, "filters are options of tools: %s tcpsnoop -P 443 --host 10.0.0.0/8",
			c->messages.program);
	else if (strpbrk(word, ":{"))
		message(&c->messages, "to trace a probe: %s -n '%s'", c->messages.program, word);
	else if ((n > 2 && !strcasecmp(word + n - 2, ".d")) || (!near && !access(word, F_OK)))
		message(&c->messages, "to run a script: %s -s %s", c->messages.program, word);
	else if (near)
		message(&c->messages, "no tool %s: did you mean %s?", word, near);
	else {
		message(&c->messages, "no tool %s; the tools:", word);
		fputs("  ", c->messages.out);
		tool_list(c->messages.out, 2);
	}
	return EXIT_USAGE;
}

/* The command of dtrace(1), without a tool. Options are complete before the first text is compiled, so their order does
 * not matter. */
static int command(struct command *c, int argc, char **argv)
{
	bool done = false;
	int r = take_options(c, argc, argv, &done);

	if (r || done)
		return r;
	if (c->help && !c->any) {
		help(c);
		return EXIT_OK;
	}
	if ((c->help || c->object) && c->any) {
		const struct project p = { .header = c->help,
			.object = c->object,
			.output = c->output,
			.script = c->script,
			.objects = c->args + 1,
			.nobjects = c->nargs - 1 };

		return project_write(c->d, &p, &c->messages);
	}
	if (!c->args[0])
		c->args[0] = argv[0];
	dwire_args(c->d, c->nargs, c->args);
	for (int i = 1; c->list && !c->any && !r && i < c->nargs; i++) /* -l 'tcp:::' */
		r = add_text(c, DWIRE_NAME, 'n', c->args[i]);
	if (r)
		return EXIT_ERROR;
	if (c->list || c->any)
		return with_output(c);
	if (c->compile_only && c->nargs <= 1) /* -e alone: the options were checked */
		return EXIT_OK;
	if (c->nargs > 1 && !c->object)
		return not_a_tool(c, c->args[1]);
	if (c->object)
		message(&c->messages, "-G needs the declaration of a provider: -s FILE");
	else if (argc > 1)
		message(&c->messages, "nothing to trace: give a probe (-n) or a script (-s)");
	usage(c, c->messages.out);
	return EXIT_USAGE;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */
/* Is the word a tool's name, or a file with a tool's source? Pipes and other files that can be read only once are not
 * opened here. */
static bool is_tool(const char *word)
{
	struct stat st;
	char *text;
	size_t len;
	bool yes;

	if (tool_find(word) >= 0)
		return true;
	if (stat(word, &st) || !S_ISREG(st.st_mode))
		return false;
	yes = !input_read(word, &text, &len) && tool_is_source(text);
	free(text);
	return yes;
}

/* Returns the index in argv where a tool begins (tcptop, tools/tcptop.d, -s tools/tcptop.d). 0: none does. */
static int tool_at(int argc, char **argv)
{
	int at = argc > 2 && !strcmp(argv[1], "-s") ? 2 : 1;

	return argc > at && argv[at][0] != '-' && is_tool(argv[at]) ? at : 0;
}

/* dwire help [TOOL] */
static int help_tool(struct command *c, int argc, char **argv)
{
	char h[] = "-h";

	if (argc == 2) {
		tool_titles(stdout);
		return EXIT_OK;
	}
	return is_tool(argv[2]) ? tool_main(2, (char *[]){ argv[2], h, NULL }, &c->messages) : not_a_tool(c, argv[2]);
}

/* dwire -x help */
static int option_names(void)
{
	const char *name;

	for (size_t i = 0; (name = dwire_option_name(i)); i++)
		puts(name);
	return EXIT_OK;
}

/* A descriptor of ours must never be taken for the standard output. */
static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static void nothing(int sig)
{
	(void)sig;
}

/* A non-interactive shell starts background jobs with SIGINT ignored. Restore it, so that `kill -INT` stops us, as
 * with tcpdump. Under nohup(1) only SIGHUP stays ignored. SIGXFSZ gets a handler, so that a full file is an error of
 * the write; unlike SIG_IGN, children do not inherit a handler. */
static void own_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGXFSZ, nothing);
}

/* The first word decides: a tool, "help", or the options of dtrace(1). */
static int tool_or_command(struct command *c, int argc, char **argv)
{
	int status, at, err;

	if (argc > 1 && !strcmp(argv[1], "help"))
		return help_tool(c, argc, argv);
	if (argc == 3 && !strcmp(argv[1], "-x") && !strcmp(argv[2], "help"))
		return option_names();
	if (argc > 1 && !strcmp(argv[1], "man"))
		return man_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && !strcmp(argv[1], "containers"))
		return containers_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && !strcmp(argv[1], "new-tool"))
		return newtool_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && !strcmp(argv[1], "merge"))
		return merge_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && !strcmp(argv[1], "on"))
		return on_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && !strcmp(argv[1], "record"))
		return record_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && !strcmp(argv[1], "replay"))
		return replay_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && !strcmp(argv[1], "report"))
		return report_main(argc - 1, argv + 1, &c->messages);
	if (argc > 1 && (!strcmp(argv[1], "--self-test") || !strcmp(argv[1], "doctor")))
		return selftest_main(argc - 1, argv + 1, &c->messages);
	if (argc < 2 && strcmp(c->messages.program, "dtrace")) {
		welcome(stdout);
		return EXIT_USAGE;
	}
	at = tool_at(argc, argv);
	if (at)
		return tool_main(argc - at, argv + at, &c->messages);
	if (argc > 1 && argv[1][0] != '-')
		return not_a_tool(c, argv[1]);
	c->args = calloc((size_t)argc + 2, sizeof(*c->args));
	err = c->args ? dwire_new(&c->d) : -ENOMEM;
	if (err) {
		free(c->args);
		message(&c->messages, "cannot start: %s", strerror(-err));
		return EXIT_ERROR;
	}
	dwire_on_message(c->d, message_show, &c->messages);
	dwire_on_progress(c->d, progress_show, c->messages.progress);
	dwire_listing(c->d, false, c->messages.out);
	status = command(c, argc, argv);
	dwire_free(c->d);
	free(c->args);
	return status;
}

/* The standard output is flushed here, so that an error of the last write changes the exit status. */
int main(int argc, char **argv)
{
	struct command c = { .nargs = 1, .messages = messages_of(argv[0]) };
	int status;

	open_standard();
	own_signals();
	c.messages.progress = progress_new();
	status = argc > 1 ? until_eof(argv[1], &c.messages) : 1;
	if (status < 0)
		return EXIT_USAGE;
	if (!status) {
		argv[1] = argv[0];
		argc--, argv++;
	}
	status = tool_or_command(&c, argc, argv);
	progress_free(c.messages.progress);
	c.messages.progress = NULL;
	errno = 0;
	if (fflush(stdout) && !status && errno != EPIPE)
		status = cannot_write(&c, "the standard output");
	return status;
}
