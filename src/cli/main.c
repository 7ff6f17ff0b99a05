/* main: the command, with dtrace(1)'s options. A thin user of dwire.h. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/tool.h"
#include "dwire.h"

#define DWIRE_VERSION "0.1.0"

/* Exit statuses of dtrace(1). */
enum { EXIT_OK = 0, EXIT_ERROR = 1, EXIT_USAGE = 2 };

struct command {
	struct dwire *d;
	bool list, verbose, compile_only, any;
	const char *output;
	enum dwire_dump dump;
	const char **args; /* $0, $1, ... */
	int nargs;
};

static void usage(FILE *out)
{
	fprintf(out, "usage: dwire [-lvqweZVh] [-c command] [-p pid] [-o file] [-x option[=value]]\n"
		     "             [-n probe [/predicate/] [{ action }]] [-s script] [-P provider]\n"
		     "             [-m module] [-f function] [-i id] [args ...]\n"
		     "       dwire tool [options]\n\n"
		     "  -n PROBE     trace a probe: tcp:::send, tick-1s, 'ip:::receive { @[args[2]->ip_saddr] = count(); }'\n"
		     "  -s FILE      run a D script\n"
		     "  -P -m -f -i  probes of a provider, module, function; a probe by its id\n"
		     "  -l           list probes instead of tracing (-v: with arguments and sites)\n"
		     "  -c CMD       run a command, trace until it ends ($target is its pid)\n"
		     "  -p PID       trace until that process ends\n"
		     "  -o FILE      append the output to a file\n"
		     "  -q           only what the script prints\n"
		     "  -x OPT[=VAL] set an option: bufsize, switchrate, aggsortrev, ...\n"
		     "  -Z           descriptions that match no probe are no error\n"
		     "  -w           allow destructive actions\n"
		     "  -e           compile, do not run\n"
		     "  -V           version\n"
		     "  --dump=WHAT  show a stage of the compiler: tokens, ast, types, ir, bpf\n\n"
		     "tools: ");
	tool_list(out);
}

static int read_file(const char *path, char **text, size_t *len)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin, *mem;
	char buf[65536];
	size_t n;

	*text = NULL;
	if (!in)
		return -errno;
	mem = open_memstream(text, len);
	if (!mem)
		return -ENOMEM;
	while ((n = fread(buf, 1, sizeof(buf), in)) > 0)
		fwrite(buf, 1, n, mem);
	n = (size_t)ferror(in);
	if (in != stdin)
		fclose(in);
	return fclose(mem) || n ? -EIO : 0;
}

static int add_script(struct command *c, const char *path)
{
	char *text;
	size_t len;
	int r = read_file(path, &text, &len);

	if (r) {
		fprintf(stderr, "dwire: cannot read %s: %s\n", path, strerror(-r));
		free(text);
		return r;
	}
	dwire_add(c->d, DWIRE_SCRIPT, path, text, len);
	if (!c->args[0])
		c->args[0] = path;
	free(text);
	return 0;
}

static int add_text(struct command *c, enum dwire_kind kind, char letter, const char *text)
{
	char name[32];
	static const char names[] = "spmfni";

	(void)names;
	snprintf(name, sizeof(name), "-%c", letter);
	dwire_add(c->d, kind, name, text, strlen(text));
	return 0;
}

static int set_dump(struct command *c, const char *what)
{
	static const char *const names[] = { "", "tokens", "ast", "types", "ir", "bpf" };

	for (int i = 1; i < 6; i++)
		if (!strcmp(names[i], what)) {
			c->dump = (enum dwire_dump)i;
			return 0;
		}
	fprintf(stderr, "dwire: --dump takes tokens, ast, types, ir or bpf\n");
	return -EINVAL;
}

static int grab(struct command *c, const char *arg)
{
	char *end;
	long pid = strtol(arg, &end, 10);

	if (*end || end == arg || pid <= 0 || pid > INT_MAX) {
		fprintf(stderr, "dwire: -p takes the number of a process, not %s\n", arg);
		return -EINVAL;
	}
	return dwire_grab(c->d, (pid_t)pid, stderr);
}

enum { OPT_DUMP = 256 };

/* One option; 0, or -errno after a message. */
static int take_option(struct command *c, int opt)
{
	switch (opt) {
	case 'n':
		return add_text(c, DWIRE_NAME, 'n', optarg);
	case 's':
		return add_script(c, optarg);
	case 'P':
		return add_text(c, DWIRE_PROVIDER, 'P', optarg);
	case 'm':
		return add_text(c, DWIRE_MODULE, 'm', optarg);
	case 'f':
		return add_text(c, DWIRE_FUNCTION, 'f', optarg);
	case 'i':
		return add_text(c, DWIRE_ID, 'i', optarg);
	case 'x':
		return dwire_set(c->d, optarg, stderr);
	case 'q':
		return dwire_set(c->d, "quiet", stderr);
	case 'w':
		return dwire_set(c->d, "destructive", stderr);
	case 'Z':
		return dwire_set(c->d, "zdefs", stderr);
	case 'c':
		return dwire_command(c->d, optarg, stderr);
	case 'p':
		return grab(c, optarg);
	case 'o':
		c->output = optarg;
		return 0;
	case 'l':
		c->list = true;
		return 0;
	case 'v':
		c->verbose = true;
		return 0;
	case 'e':
		c->compile_only = true;
		return 0;
	case OPT_DUMP:
		return set_dump(c, optarg);
	default:
		usage(stderr);
		return -EINVAL;
	}
}

static int take_options(struct command *c, int argc, char **argv, bool *done)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' }, { "dump", required_argument, NULL, OPT_DUMP }, { 0 } };
	int opt, r;

	while ((opt = getopt_long(argc, argv, "n:s:P:m:f:i:x:c:p:o:lvqwZeVh", longs, NULL)) != -1) {
		if (opt == 'h') {
			usage(stdout);
			*done = true;
			return 0;
		}
		if (opt == 'V') {
			printf("dwire %s\n", DWIRE_VERSION);
			*done = true;
			return 0;
		}
		if (strchr("nsPmfi", opt))
			c->any = true;
		r = take_option(c, opt);
		if (r)
			return r;
	}
	for (; optind < argc; optind++)
		c->args[c->nargs++] = argv[optind];
	return 0;
}

/* "dwire: description 'tcp:::send' matched 1 probe" */
static void say_matched(const struct command *c)
{
	enum dwire_kind kind;
	const char *text;
	size_t n;

	for (size_t i = 0; dwire_matched(c->d, i, &kind, &text, &n); i++)
		fprintf(stderr, "dwire: %s '%s' matched %zu probe%s\n", kind == DWIRE_SCRIPT ? "script" : "description",
			text, n, n == 1 ? "" : "s");
}

static int run(struct command *c)
{
	FILE *out = stdout;
	int status = EXIT_OK, r;

	if (c->output) {
		out = fopen(c->output, "ae");
		if (!out) {
			fprintf(stderr, "dwire: cannot write to %s: %s\n", c->output, strerror(errno));
			return EXIT_ERROR;
		}
	}
	r = dwire_compile(c->d, c->dump, out, stderr);
	if (!r && !c->dump && !dwire_quiet(c->d))
		say_matched(c);
	if (!r && !c->dump && !c->compile_only)
		r = dwire_run(c->d, out, stderr, &status);
	if (out != stdout && fclose(out) && !r) {
		fprintf(stderr, "dwire: cannot write to %s: %s\n", c->output, strerror(errno));
		r = -EIO;
	}
	return r ? EXIT_ERROR : status;
}

static int command(struct command *c, int argc, char **argv)
{
	bool done = false;

	if (take_options(c, argc, argv, &done))
		return EXIT_USAGE;
	if (done)
		return EXIT_OK;
	if (!c->args[0])
		c->args[0] = argv[0];
	dwire_args(c->d, c->nargs, c->args);
	if (c->list)
		return dwire_list(c->d, c->verbose, stdout, stderr) ? EXIT_ERROR : EXIT_OK;
	if (!c->any) {
		usage(stderr);
		return EXIT_USAGE;
	}
	return run(c);
}

int main(int argc, char **argv)
{
	struct command c = { .nargs = 1 };
	int status;

	if (argc > 1 && argv[1][0] != '-' && tool_find(argv[1]) >= 0)
		return tool_main(argc - 1, argv + 1);
	if (argc > 1 && argv[1][0] != '-') {
		fprintf(stderr, "dwire: no tool %s; the tools: ", argv[1]);
		tool_list(stderr);
		return EXIT_USAGE;
	}
	c.args = calloc((size_t)argc + 2, sizeof(*c.args));
	if (!c.args || dwire_new(&c.d)) {
		free(c.args);
		fprintf(stderr, "dwire: no memory\n");
		return EXIT_ERROR;
	}
	status = command(&c, argc, argv);
	dwire_free(c.d);
	free(c.args);
	return status;
}
