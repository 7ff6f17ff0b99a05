/* SPDX-License-Identifier: GPL-2.0-or-later */
/* newtool: see newtool.h.
 * Output: NAME.d and NAME.8. They work as they are: the tool counts TCP segments by process, and has every option that
 * docs/HOWTO_ADD_TOOL.md calls common. */
#include "cli/tool/newtool.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/tool/table.h"

#define NAME_MAX_LEN 24u

static const char script[] =
	"// SPDX-License-Identifier: GPL-2.0-or-later\n"
	"/* @: TCP segments sent, by process.\n"
	" *\n"
	" * common: sockets interval\n"
	" * row: PID %6d COMM %-16s SEGMENTS %@8d\n"
	" */\n"
	"/* The first comment is the tool's interface: its title, the groups of options that it has, its columns. */\n"
	"tcp:::send\n"
	"/ wanted(args[1], args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /\n"
	"{\n"
	"\t@[args[1]->cs_pid, args[1]->cs_execname] = count();\n"
	"}\n"
	"\n"
	"tool:::interval\n"
	"{\n"
	"\theader();\n"
	"\trows(@);\n"
	"\ttrunc(@);\n"
	"}\n";

static const char page[] = ".\\\" SPDX-License-Identifier: GPL-2.0-or-later\n"
			   ".SH DESCRIPTION\n"
			   "Counts the TCP segments that each process sent.\n"
			   "With an interval it reports each interval, and starts again at 0.\n"
			   ".SH EXAMPLE\n"
			   ".in 0\n"
			   ".EX\n"
			   "# dwire ./@.d \\-d 5\n"
			   "(what it prints)\n"
			   ".EE\n"
			   ".in\n"
			   ".SH COST\n"
			   "(what the trace costs: \\-\\-cost measures it)\n"
			   ".SH WHAT IT CANNOT SEE\n"
			   "Segments of other machines.\n"
			   ".SH SEE ALSO\n"
			   ".BR dwire (8)\n";

/* A tool's name is a word of the command line, the name of two files and a name in D's messages. */
static bool is_name(const char *s)
{
	size_t n = strlen(s);

	return n && n <= NAME_MAX_LEN && s[0] >= 'a' && s[0] <= 'z' &&
		strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == n;
}

/* Writes a text with the name for each @ that stands where a name does: before ":" or ".d". 0 or -errno. */
static int write_file(const char *path, const char *text, const char *name)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), r;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return r;
	}
	for (const char *c = text; *c; c++)
		if (*c == '@' && (c[1] == ':' || !strncmp(c + 1, ".d", 2)))
			fputs(name, f);
		else
			fputc(*c, f);
	errno = 0;
	r = ferror(f) ? -EIO : 0;
	return fclose(f) ? -(errno ? errno : EIO) : r;
}

/* Neither file is left, or changed, if one cannot be written. */
static int write_both(const char *name, const struct messages *m)
{
	char paths[2][NAME_MAX_LEN + 3];
	const char *const texts[] = { script, page };

	for (int i = 0; i < 2; i++) {
		int r;

		snprintf(paths[i], sizeof(paths[i]), "%s.%c", name, i ? '8' : 'd');
		r = write_file(paths[i], texts[i], name);
		if (!r)
			continue;
		message(m, "cannot write %s: %s", paths[i], strerror(-r));
		if (i)
			unlink(paths[0]);
		return 1;
	}
	printf("%s: the tool; try it: sudo %s ./%s -d 5\n"
	       "%s: its man page, without the parts that are made of %s ./%s -h\n"
	       "Both go to tools/ of dwire's source: docs/HOWTO_ADD_TOOL.md\n",
		paths[0], m->program, paths[0], paths[1], m->program, paths[0]);
	return 0;
}

int newtool_main(int argc, char **argv, const struct messages *m)
{
	if (argc != 2) {
		message(m, "new-tool takes the name of the tool: %s new-tool tcpcount", m->program);
		return 2;
	}
	if (!is_name(argv[1])) {
		message(m, "%s is no name for a tool: small letters, digits, - and _, at most %u", argv[1],
			NAME_MAX_LEN);
		return 2;
	}
	if (tool_find(argv[1]) >= 0) {
		message(m, "there is a tool %s", argv[1]);
		return 2;
	}
	return write_both(argv[1], m);
}
