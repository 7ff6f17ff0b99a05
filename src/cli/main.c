/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main: the command, with dtrace(1)'s options. A thin user of api/dwire.h. */
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
#include "cli/input.h"
#include "cli/name.h"
#include "cli/tool/head.h"
#include "cli/tool/meant.h"
#include "cli/tool/table.h"
#include "cli/tool/tool.h"

#define DWIRE_VERSION "0.1.0"

/* Exit statuses of dtrace(1). */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

struct command {
	struct dwire *d;
	struct name name;
	FILE *err;
	bool list, compile_only, any;
	bool help, headers; /* -h, which means two things; -G */
	unsigned verbose;   /* times that -v was given */
	const char *output;
	enum dwire_dump dump;
	unsigned char texts[128]; /* by letter: texts given with that option */
	const char **args;        /* $0, $1, ... */
	int nargs;
};

static void usage(const struct command *c, FILE *out)
{
	fprintf(out,
		"usage: %s [-CeFHlOqSvVwZ] [-b bufsize] [-c command] [-D name[=value]]\n"
		"             [-I path] [-L path] [-o file] [-p pid] [-s script] [-U name]\n"
		"             [-x option[=value]] [-X a|c|s|t] [-i id]\n"
		"             [-P provider | -m module | -f function | -n name\n"
		"             [[/predicate/] { action }]] [argument ...]\n"
		"       %s tool [-h] [argument ...]\n",
		c->name.word, c->name.word);
}

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
	       "  -x OPT[=VAL] set an option: bufsize=8m, switchrate=10hz, aggsortrev, ...\n"
	       "  -b SIZE      the same as -x bufsize=SIZE\n"
	       "  -C           run scripts through cpp first\n"
	       "  -D NAME[=VALUE], -U NAME, -I PATH, -H, -X a|c|s|t  options for cpp\n"
	       "  -L PATH      a folder with D libraries\n"
	       "  -Z           descriptions that match no probe are no error\n"
	       "  -w           allow destructive actions\n"
	       "  -e           compile, do not run\n"
	       "  --libxo FORMAT, -O  output as json, xml or html; of each record\n"
	       "  -V, -h       version; this text\n"
	       "  --dump=STAGE show a stage of the compiler: tokens, ast, types, ir, bpf\n"
	       "\ndwire help tells what the tools do: ");
	tool_list(stdout, 36);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */
static int add_script(struct command *c, const char *path)
{
	char *text;
	size_t len;
	int r = input_read(path, &text, &len);

	if (r)
		fprintf(c->err, "dwire: cannot read %s: %s\n", path, strerror(-r));
	else if (tool_is_source(text)) {
		fprintf(c->err, "dwire: %s is a tool: %s %s [option ...]\n", path, c->name.word, path);
		r = -EINVAL;
	} else
		dwire_add(c->d, DWIRE_SCRIPT, path, text, len);
	if (!c->args[0])
		c->args[0] = path;
	free(text);
	return r;
}

/* The text is called after its option in messages: "-n", then "-n #2". */
static void add_text(struct command *c, enum dwire_kind kind, int letter, const char *text)
{
	unsigned n = ++c->texts[letter & 127];
	char name[32];

	if (n == 1)
		snprintf(name, sizeof(name), "-%c", letter);
	else
		snprintf(name, sizeof(name), "-%c #%u", letter, n);
	dwire_add(c->d, kind, name, text, strlen(text));
}

static int set_dump(struct command *c, const char *what)
{
	static const char *const names[] = { "", "tokens", "ast", "types", "ir", "bpf" };

	for (int i = 1; i < 6; i++)
		if (!strcmp(names[i], what)) {
			c->dump = (enum dwire_dump)i;
			return 0;
		}
	fprintf(c->err, "dwire: --dump takes tokens, ast, types, ir or bpf\n");
	return -EINVAL;
}

enum { OPT_DUMP = 256, OPT_LIBXO };

/* An option that is short for one of -x. */
static int set_short(struct command *c, int letter, const char *name, const char *value)
{
	char *option = NULL;
	int r = asprintf(&option, "%s=%s", name, value) < 0 ? -ENOMEM : dwire_set(c->d, letter, option, c->err);

	free(option);
	return r;
}

/* Its -x form and value, for letters that are no more than that; NULL: another letter. */
static const char *short_for(int opt, const char **value)
{
	static const struct {
		int letter;
		const char *name, *value; /* value NULL: the argument */
	} shorts[] = { { 'b', "bufsize", NULL }, { 'q', "quiet", "1" }, { 'w', "destructive", "1" },
		{ 'Z', "zdefs", "1" }, { 'F', "flowindent", "1" }, { 'C', "cpp", "1" }, { 'H', "cpphdrs", "1" },
		{ 'D', "define", NULL }, { 'U', "undef", NULL }, { 'I', "incdir", NULL }, { 'L', "libdir", NULL },
		{ 'X', "stdc", NULL }, { 'O', "oall", "1" }, { OPT_LIBXO, "oformat", NULL } };

	for (size_t i = 0; i < sizeof(shorts) / sizeof(shorts[0]); i++)
		if (shorts[i].letter == opt) {
			*value = shorts[i].value ? shorts[i].value : optarg;
			return shorts[i].name;
		}
	return NULL;
}

static int grab(struct command *c, const char *arg)
{
	char *end;
	long pid = strtol(arg, &end, 10);

	if (*end || end == arg || pid <= 0 || pid > INT_MAX) {
		fprintf(c->err, "dwire: -p takes the number of a process, not %s\n", arg);
		if (isalpha((unsigned char)*arg))
			fprintf(c->err, "    hint: -p $(pgrep -o %s)\n", arg);
		return -EINVAL;
	}
	return dwire_grab(c->d, (pid_t)pid, c->err);
}

/* An option that adds a text; false: it is another one. */
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
			add_text(c, kinds[i].kind, opt, optarg);
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
		fprintf(c->err, "dwire: dtrace's option -32 is not here: addresses have 64 bits\n");
	else
		fprintf(c->err, "dwire: no option -%c%s\n", digit, rest);
	return -EINVAL;
}

/* One option; 0, or -errno after a message. */
static int take_option(struct command *c, int opt)
{
	const char *name, *value;
	int r;

	if (take_text(c, opt, &r))
		return r;
	name = short_for(opt, &value);
	if (name)
		return set_short(c, opt < OPT_DUMP ? opt : 'x', name, value);
	switch (opt) {
	case 'x':
		return dwire_set(c->d, 'x', optarg, c->err);
	case 'c':
		return dwire_command(c->d, optarg, c->err);
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
		dwire_disassemble(c->d, c->err);
		return 0;
	case 'e':
		c->compile_only = true;
		return 0;
	case 'h':
		c->help = true;
		return 0;
	case '3':
	case '6':
		return set_model(c, opt, optarg);
	case 'G':
		c->headers = true;
		return 0;
	default:
		return set_dump(c, optarg);
	}
}

/* Something is wrong with an option itself. */
static int bad_option(const struct command *c, int opt, char **argv)
{
	const char *word = argv[optind - 1];

	if (opt == ':' && optopt >= OPT_DUMP)
		fprintf(c->err, "dwire: option --%s needs a value\n", optopt == OPT_DUMP ? "dump" : "libxo");
	else if (opt == ':')
		fprintf(c->err, "dwire: option -%c needs a value\n", optopt);
	else if (!optopt || optopt >= OPT_DUMP)
		fprintf(c->err, "dwire: no option %s\n", word);
	else if (strchr("aA", optopt))
		fprintf(c->err, "dwire: dtrace's option -%c is not here: Linux has no anonymous tracing\n", optopt);
	else
		fprintf(c->err, "dwire: no option -%c\n", optopt);
	usage(c, c->err);
	return EXIT_USAGE;
}

/* EXIT_OK, or what the command ends with; *done: with success, already. */
static int take_options(struct command *c, int argc, char **argv, bool *done)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' }, { "dump", required_argument, NULL, OPT_DUMP },
		{ "libxo", required_argument, NULL, OPT_LIBXO }, { 0 } };
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":n:s:P:m:f:i:3:6:b:x:c:p:o:D:U:I:L:X:CHFSGOlvqwZeVh", longs, NULL)) !=
		-1) {
		if (opt == '?' || opt == ':')
			return bad_option(c, opt, argv);
		if (opt == 'V') {
			printf("%s %s\n", c->name.word, DWIRE_VERSION);
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
/* "dwire: description 'tcp:::send' matched 1 probe" */
static void say_matched(const struct command *c)
{
	enum dwire_kind kind;
	const char *text;
	size_t n;

	for (size_t i = 0; dwire_matched(c->d, i, &kind, &text, &n); i++)
		fprintf(c->err, "dwire: %s '%s' matched %zu probe%s\n", kind == DWIRE_SCRIPT ? "script" : "description",
			text, n, n == 1 ? "" : "s");
}

static int run(struct command *c, FILE *out)
{
	bool tracing = !c->dump && !c->compile_only;
	int status = EXIT_OK, r = tracing ? dwire_require(c->d, c->err) : 0;

	if (!r)
		r = dwire_compile(c->d, c->dump, out, c->err);
	if (!r && tracing && !dwire_quiet(c->d)) {
		say_matched(c);
		if (dwire_destructive(c->d))
			fprintf(c->err, "dwire: allowing destructive actions\n");
	}
	if (!r && !c->dump && c->verbose)
		dwire_describe(c->d, c->verbose, out);
	if (!r && tracing)
		r = dwire_run(c->d, out, c->err, &status);
	return r ? EXIT_ERROR : status;
}

static int cannot_write(const struct command *c, const char *where)
{
	fprintf(c->err, "dwire: cannot write to %s: %s\n", where, strerror(errno));
	return EXIT_ERROR;
}

/* Runs or lists, with the output where it should go. */
static int with_output(struct command *c)
{
	FILE *out = c->output ? fopen(c->output, "ae") : stdout;
	int status;

	if (!out)
		return cannot_write(c, c->output);
	if (c->list)
		status = dwire_list(c->d, c->verbose, out, c->err) ? EXIT_ERROR : EXIT_OK;
	else
		status = run(c, out);
	if (out == stdout)
		return status; /* main() says whether all of it was written */
	errno = 0;
	if (fclose(out) && !status && errno != EPIPE)
		status = cannot_write(c, c->output);
	return status;
}

/* A word that is no option and names no tool to run: say what it should have been. */
static int not_a_tool(const struct command *c, const char *word)
{
	size_t n = strlen(word);
	char buf[32];
	const char *near = tool_nearest(word, buf, sizeof(buf));

	if (!strcmp(word, "list") || !strcmp(word, "probes"))
		fprintf(c->err, "dwire: to list probes: %s -l; tools: %s help\n", c->name.word, c->name.word);
	else if (!strcmp(word, "version"))
		fprintf(c->err, "dwire: for the version: %s -V\n", c->name.word);
	else if (tool_find(word) >= 0)
		fprintf(c->err, "dwire: the tool's name stands first: %s %s\n", c->name.word, word);
	else if ((unsigned char)*word == 0xe2) /* as a typesetter's dash begins */
		fprintf(c->err, "dwire: %s: options begin with a plain -\n", word);
	else if (tool_is_filter(word))
		fprintf(c->err, "dwire: filters are options of tools: %s tcpsnoop -P 443 --host 10.0.0.0/8\n",
			c->name.word);
	else if (strpbrk(word, ":{"))
		fprintf(c->err, "dwire: to trace a probe: %s -n '%s'\n", c->name.word, word);
	else if ((n > 2 && !strcasecmp(word + n - 2, ".d")) || (!near && !access(word, F_OK)))
		fprintf(c->err, "dwire: to run a script: %s -s %s\n", c->name.word, word);
	else if (near)
		fprintf(c->err, "dwire: no tool %s: did you mean %s?\n", word, near);
	else {
		fprintf(c->err, "dwire: no tool %s; the tools:\n  ", word);
		tool_list(c->err, 2);
	}
	return EXIT_USAGE;
}

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
	if (c->help || c->headers) {
		fprintf(c->err, "dwire: -%c: probes in programs' own code (USDT) are not made here\n",
			c->help ? 'h' : 'G');
		return EXIT_ERROR;
	}
	if (!c->args[0])
		c->args[0] = argv[0];
	dwire_args(c->d, c->nargs, c->args);
	for (int i = 1; c->list && !c->any && i < c->nargs; i++) /* -l 'tcp:::' */
		add_text(c, DWIRE_NAME, 'n', c->args[i]);
	if (c->list || c->any)
		return with_output(c);
	if (c->compile_only && c->nargs <= 1) /* -e alone: the options were checked */
		return EXIT_OK;
	if (c->nargs > 1)
		return not_a_tool(c, c->args[1]);
	if (argc > 1)
		fprintf(c->err, "dwire: nothing to trace: give a probe (-n) or a script (-s)\n");
	usage(c, c->err);
	return EXIT_USAGE;
}

/* ---- the start --------------------------------------------------------------------------------------------------- */
/* Is it a tool's name, or a file that is the source of one? What can be read only once is left for who needs it. */
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

/* Where in argv a tool begins: tcptop, tools/tcptop.d, -s tools/tcptop.d; 0: it is none. */
static int tool_at(int argc, char **argv)
{
	int at = argc > 2 && !strcmp(argv[1], "-s") ? 2 : 1;

	return argc > at && argv[at][0] != '-' && is_tool(argv[at]) ? at : 0;
}

/* dwire help [TOOL] */
static int help_tool(const struct command *c, int argc, char **argv)
{
	char h[] = "-h";

	if (argc == 2) {
		tool_titles(stdout);
		return EXIT_OK;
	}
	return is_tool(argv[2]) ? tool_main(2, (char *[]){ argv[2], h, NULL }, c->err) : not_a_tool(c, argv[2]);
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

/* A shell without job control starts what runs in the background deaf to SIGINT. A script that stops its tracer by it,
 * as it would tcpdump, is heard at any time; under nohup(1) only SIGHUP is still ignored. A file that may not grow is
 * an error of the write; a handler, unlike SIG_IGN, is not inherited by what we start. */
static void own_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGXFSZ, nothing);
}

static int tool_or_command(struct command *c, int argc, char **argv)
{
	int status, at;

	if (argc > 1 && !strcmp(argv[1], "help"))
		return help_tool(c, argc, argv);
	at = tool_at(argc, argv);
	if (at)
		return tool_main(argc - at, argv + at, c->err);
	if (argc > 1 && argv[1][0] != '-')
		return not_a_tool(c, argv[1]);
	c->args = calloc((size_t)argc + 2, sizeof(*c->args));
	if (!c->args || dwire_new(&c->d)) {
		free(c->args);
		fprintf(c->err, "dwire: no memory\n");
		return EXIT_ERROR;
	}
	status = command(c, argc, argv);
	dwire_free(c->d);
	free(c->args);
	return status;
}

int main(int argc, char **argv)
{
	struct command c = { .nargs = 1 };
	int status;

	open_standard();
	own_signals();
	c.err = name_messages(&c.name, argv[0]);
	if (!c.err) {
		fprintf(stderr, "dwire: no memory\n");
		return EXIT_ERROR;
	}
	status = tool_or_command(&c, argc, argv);
	errno = 0;
	if (fflush(stdout) && !status && errno != EPIPE)
		status = cannot_write(&c, "the standard output");
	fflush(c.err);
	return status;
}
