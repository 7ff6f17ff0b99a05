/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args: see args.h.
 * Input: argv and the tool's head. Output: the values of the tool's parameters.
 * Invariant: a value is the D text of a number, a string or a list of numbers. Text from the command line never
 * becomes other D. */
#include "cli/tool/args.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag/nearest.h"
#include "cli/tool/help.h"
#include "cli/tool/list.h"
#include "cli/tool/meant.h"
#include "cli/tool/program/columns.h"
#include "cli/tool/program/filter.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */
/* Is it a number that fits a D int? */
static bool is_number(const char *s)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(s, &end, 0);
	return !errno && end != s && !*end && !isspace((unsigned char)*s) && n >= INT32_MIN && n <= INT32_MAX;
}

/* Seconds with a fraction: "0.5", ".25". Milliseconds are the finest that a tick can have here. */
static bool is_fraction(const char *s)
{
	size_t whole = strspn(s, "0123456789"), more = s[whole] == '.' ? strspn(s + whole + 1, "0123456789") : 0;

	return whole < 8 && more > 0 && more <= 3 && !s[whole + 1 + more];
}

/* Writes the value as a D string literal into p->value. Control characters become octal escapes, because a D string
 * holds no line break. False: it does not fit. */
static bool quote(struct param *p, const char *value)
{
	size_t n = 0;

	p->value[n++] = '"';
	for (; *value; value++) {
		if (n + 6 > sizeof(p->value))
			return false;
		if ((unsigned char)*value < ' ') {
			n += (size_t)snprintf(p->value + n, sizeof(p->value) - n, "\\%03o", (unsigned char)*value);
			continue;
		}
		if (*value == '"' || *value == '\\')
			p->value[n++] = '\\';
		p->value[n++] = *value;
	}
	p->value[n++] = '"';
	p->value[n] = '\0';
	return true;
}

/* Removes blanks from a list: "80, 443" becomes "80,443". */
static void take_list(struct param *p, const char *value)
{
	size_t n = 0;

	for (; *value; value++)
		if (!isspace((unsigned char)*value))
			p->value[n++] = *value;
	p->value[n] = '\0';
}

/* Checks a value against the parameter's kind. False after a message. */
static bool value_good(struct tool *t, const struct param *p)
{
	bool ports = p->kind == PARAM_PORTS, option = !strncmp(p->name, "option.", 7), unit;
	char buf[64];

	if (p->kind == PARAM_SECONDS && is_fraction(p->value))
		return true;
	if ((p->kind == PARAM_NUMBER || p->kind == PARAM_SECONDS) && !is_number(p->value)) {
		unit = isdigit((unsigned char)*p->value) && !p->value[strspn(p->value, "0123456789") + 1];
		message(&t->own, "%s must be a number%s, not %s", p->word, unit ? " without a unit" : "", p->value);
		return false;
	}
	if ((ports || p->kind == PARAM_LIST) &&
		(!list_of_numbers(p->value, ports ? 0 : INT32_MIN, ports ? UINT16_MAX : INT32_MAX) ||
			(option && strpbrk(p->value, "!-")))) { /* an option of D takes plain numbers */
		message(&t->own, "%s takes numbers%s with commas between them, not %s",
			tool_option_shown(p, buf, sizeof(buf)), ports ? " of 0 to 65535" : "", p->value);
		return false;
	}
	return true;
}

/* Reports that an option has no value. Returns false. */
static bool needs(const struct tool *t, const struct param *p)
{
	char buf[64];

	tool_option_shown(p, buf, sizeof(buf));
	if (!tool_is_argument(p))
		buf[strcspn(buf, " ")] = '\0';
	message(&t->own, "%s %s%s", buf, tool_is_argument(p) ? "is empty" : "needs ",
		tool_is_argument(p) ? "" : p->word);
	return false;
}

/* Converts the value to D text and checks it. False after a message. */
static bool set_value(struct tool *t, struct param *p, const char *value)
{
	bool fits = strlen(value) < sizeof(p->value);

	if (!*value)
		return needs(t, p);
	if (p->kind == PARAM_STRING)
		fits = quote(p, value);
	else if (fits && (p->kind == PARAM_LIST || p->kind == PARAM_PORTS || p->kind == PARAM_WORDS))
		take_list(p, value);
	else if (fits)
		snprintf(p->value, sizeof(p->value), "%s", value);
	p->given = true;
	if (!fits)
		message(&t->own, "%s takes at most %zu characters", p->word, sizeof(p->value) - 1);
	return fits && value_good(t, p);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */
/* The parameter of a letter; a letter that stands for another one leads there. */
static struct param *find_flag(struct tool *t, char c)
{
	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].flag == c)
			return t->params[i].same_as ? find_flag(t, t->params[i].same_as) : &t->params[i];
	return NULL;
}

/* The parameter of --name; name has n bytes. An argument is called by its word: --interval=2. */
static struct param *find_long(struct tool *t, const char *name, size_t n)
{
	for (size_t i = 0; i < t->nparams; i++) {
		const struct param *p = &t->params[i];
		const char *longer = tool_is_argument(p) ? p->word : p->longer;

		if (strlen(longer) == n && n && !strncmp(longer, name, n))
			return &t->params[i];
	}
	return NULL;
}

/* The next positional parameter from *at on; *at moves behind it. */
static struct param *next_argument(struct tool *t, size_t *at)
{
	while (*at < t->nparams)
		if (tool_is_argument(&t->params[(*at)++]))
			return &t->params[*at - 1];
	return NULL;
}

/* Takes one option; its value is the rest of the same word (NULL: none) or the next word. */
static bool take_option(struct tool *t, struct param *p, const char *rest, int argc, char **argv, int *i)
{
	if (p->kind == PARAM_FLAG) {
		snprintf(p->value, sizeof(p->value), "1");
		p->given = true;
		return true;
	}
	if (rest)
		return set_value(t, p, rest);
	if (*i + 1 >= argc)
		return needs(t, p);
	return set_value(t, p, argv[++*i]);
}

/* A letter that no option has; perhaps it is one in the other case. Returns false. */
static bool no_flag(struct tool *t, char c)
{
	char other = (char)(islower((unsigned char)c) ? toupper((unsigned char)c) : tolower((unsigned char)c));

	if (other != c && find_flag(t, other))
		message(&t->own, "no option -%c: did you mean -%c?", c, other);
	else
		message(&t->own, "no option -%c", c);
	message_hint(&t->own, "-h shows all options");
	return false;
}

/* Takes a word of short options such as "-pC 12". *i advances over a value. */
static bool take_flags(struct tool *t, int argc, char **argv, int *i)
{
	for (const char *f = argv[*i] + 1; *f; f++) {
		struct param *p = find_flag(t, *f);

		if (!p)
			return no_flag(t, *f);
		if (p->kind != PARAM_FLAG)
			return take_option(t, p, f[1] ? f + 1 : NULL, argc, argv, i);
		(void)take_option(t, p, NULL, argc, argv, i);
	}
	return true;
}

/* --name, --name=value */
static bool take_long(struct tool *t, int argc, char **argv, int *i)
{
	const char *names[MAX_PARAMS + 1], *near, *s = argv[*i] + 2;
	const struct param *other;
	size_t n = strcspn(s, "="), k = 0;
	struct param *p = find_long(t, s, n);
	char given[32], buf[64];

	if (p && s[n] && p->kind == PARAM_FLAG) {
		message(&t->own, "--%s takes no value", p->longer);
		return false;
	}
	if (p)
		return take_option(t, p, s[n] ? s + n + 1 : NULL, argc, argv, i);
	for (size_t j = 0; j < t->nparams; j++)
		if (t->params[j].longer[0])
			names[k++] = t->params[j].longer;
	names[k] = NULL;
	snprintf(given, sizeof(given), "%.*s", (int)(n < 31 ? n : 31), s);
	near = nearest_name(given, names);
	other = tool_meant_option(t, given);
	if (other)
		message(&t->own, "no option --%s: did you mean %s?", given, tool_option_shown(other, buf, sizeof(buf)));
	else if (near)
		message(&t->own, "no option --%s: did you mean --%s?", given, near);
	else {
		message(&t->own, "no option --%s", given);
		message_hint(&t->own, "-h shows all options");
	}
	return false;
}

/* -w and its kin. Files with numbers need a limit of their size, or of their time. False after a message. */
static bool check_capture(struct tool *t, bool csv)
{
	static const char *const kin[] = { "tool_snap", "tool_mb", "tool_every", "tool_files" };
	const struct param *write = tool_param(t, "tool_write");

	if (!write)
		return true;
	for (size_t i = 0; i < sizeof(kin) / sizeof(kin[0]); i++) {
		const struct param *p = tool_param(t, kin[i]);

		if (!p->given)
			continue;
		if (!write->given || tool_number(t, kin[i]) <= 0) {
			message(&t->own, write->given ? "-%c must be more than 0" : "-%c needs -w", p->flag);
			return false;
		}
	}
	if (!write->given)
		return true;
	t->capture = write->value;
	if (tool_number(t, "tool_files") && !tool_number(t, "tool_mb") && !tool_number(t, "tool_every"))
		message(&t->own, "-W needs -C or -G");
	else if (!strcmp(t->capture, "-") && (tool_number(t, "tool_mb") || tool_number(t, "tool_every")))
		message(&t->own, "-C and -G need a file, not -w -");
	else if (tool_number(t, "tool_json") || csv || tool_number(t, "tool_emit") || t->counted)
		message(&t->own, "-w cannot be combined with --json, --csv, --emit or --by");
	else if (!strcmp(t->capture, "-") && !tool_number(t, "tool_program") && isatty(STDOUT_FILENO))
		message(&t->own, "-w -: the standard output is a terminal");
	else
		return true;
	return false;
}

static bool has_pictures(const struct tool *t)
{
	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].given && !strncmp(t->params[i].name, "picture.", 8))
			return true;
	return false;
}

/* "filters: NAME" of the head. */
static void turn_on_for_filters(struct tool *t)
{
	static const char *const filters[] = { "tool_pid", "tool_user", "tool_netns", "tool_cgroup", "tool_container",
		"tool_pod", "tool_port", "tool_lport", "tool_rport", "tool_host", "tool_ip4", "tool_ip6" };
	struct param *flag = t->filters[0] ? tool_param(t, t->filters) : NULL;
	bool any = tool_only_command(t);

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		any |= tool_param(t, filters[i]) && tool_param(t, filters[i])->given;
	if (!flag || !any)
		return;
	flag->given = true;
	snprintf(flag->value, sizeof(flag->value), "1");
}

/* Refuses values that contradict each other or are out of range. */
static bool check(struct tool *t)
{
	bool csv = tool_number(t, "tool_csv") || tool_number(t, "option.csvsafe");

	if (tool_number(t, "tool_json") && csv) {
		message(&t->own, "--json or --csv, not both");
		return false;
	}
	if (tool_number(t, "dot") && (tool_number(t, "tool_json") || csv)) {
		message(&t->own, "--dot cannot be combined with --json or --csv");
		return false;
	}
	turn_on_for_filters(t);
	if (tool_param(t, "tool_by") && tool_param(t, "tool_by")->given && tool_param(t, "tool_columns")->given) {
		message(&t->own, "-o or --by, not both");
		return false;
	}
	if (!columns_take_by(t))
		return false;
	if (tool_number(t, "tool_ip4") && tool_number(t, "tool_ip6")) {
		message(&t->own, "-4 or -6, not both");
		return false;
	}
	for (size_t i = 0; i < t->nparams; i++) {
		const struct param *p = &t->params[i];
		const char *name = p->name;

		if (p->given &&
			(!strcmp(name, "interval") || !strcmp(name, "count") || !strcmp(name, "seconds") ||
				!strcmp(name, "frames") || !strcmp(name, "tool_for") ||
				!strcmp(name, "option.aggrows")) &&
			tool_ms(t, name) <= 0) {
			message(&t->own, "%s must be more than 0", p->word);
			return false;
		}
	}
	if (tool_number(t, "tool_emit") && has_pictures(t)) {
		message(&t->own, "--emit or pictures, not both");
		return false;
	}
	t->out = tool_number(t, "tool_json") ? TOOL_JSON : csv ? TOOL_CSV : TOOL_TEXT;
	if (!check_capture(t, csv))
		return false;
	if (tool_param(t, "tool_command") && tool_param(t, "tool_command")->given)
		t->command = tool_param(t, "tool_command")->value;
	return tool_check_filters(t);
}

/* Output that is no capable terminal (a file, a pipe, TERM=dumb) is not cleared: that would put control codes in it. */
static void note_screen(struct tool *t)
{
	struct param *p = tool_param(t, "noclear");
	const char *term = getenv("TERM");

	if (p && !tool_number(t, "tool_program") &&
		(!isatty(STDOUT_FILENO) || !term || !*term || !strcmp(term, "dumb")))
		snprintf(p->value, sizeof(p->value), "1");
}

/* Takes one more word of the expression that chooses packets: p->value has the D string of those before it. */
static bool take_expression(struct tool *t, struct param *p, const char *value)
{
	size_t n = strlen(p->value) - 1;
	struct param more = *p;

	if (!set_value(t, &more, value))
		return false;
	p->given = true;
	if (n + strlen(more.value) + 1 > sizeof(p->value)) {
		message(&t->own, "%s takes at most %zu characters", p->word, sizeof(p->value) - 3);
		return false;
	}
	if (n > 1)
		p->value[n++] = ' ';
	memcpy(p->value + n, more.value + 1, strlen(more.value)); /* without its first quote, with the NUL */
	return true;
}

/* Takes a positional argument, the i-th word. False after a message. */
static bool take_argument(struct tool *t, size_t *at, const char *value, int i)
{
	struct param *p = next_argument(t, at), *expression = tool_param(t, "tool_match");

	if (expression && (!p || p == expression))
		return take_expression(t, expression, value);

	if (p && p->kind == PARAM_STRING &&
		(is_number(value) || is_fraction(value))) /* "qdisclat 1": 1 is the interval, which follows */
		p = next_argument(t, at);
	if (p && !strcmp(p->name, "interval"))
		t->interval_at = i;
	if (p)
		return set_value(t, p, value);
	message(&t->own, "unexpected argument %s", value);
	if (!tool_meant_word(t, value))
		message_hint(&t->own, "-h shows all options");
	return false;
}

/* "-" is an argument, and so is a negative number, unless the tool has an option of that digit (-4, -6). */
int tool_take_args(struct tool *t, int argc, char **argv)
{
	bool only_arguments = false, ok = true;
	size_t at = 0;

	for (int i = 1; i < argc && ok; i++) {
		const char *s = argv[i];

		if (!only_arguments && (!strcmp(s, "-h") || !strcmp(s, "--help"))) {
			tool_help(t, stdout);
			return 1;
		}
		if (only_arguments || s[0] != '-' || !s[1])
			ok = take_argument(t, &at, s, i);
		else if (!strcmp(s, "--"))
			only_arguments = true;
		else if (s[1] == '-')
			ok = take_long(t, argc, argv, &i);
		else if (isdigit((unsigned char)s[1]) && !find_flag(t, s[1]))
			ok = take_argument(t, &at, s, i);
		else
			ok = take_flags(t, argc, argv, &i);
	}
	note_screen(t);
	if (ok && !strcmp(tool_param(t, "tool_columns")->value, "help")) {
		tool_param(t, "tool_columns")->given = false;
		tool_help_columns(t, stdout);
		return 1;
	}
	return ok && check(t) ? 0 : 2;
}
