/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recast: see recast.h. docs/STREAM.md describes the frames.
 * Input: frames, a line each. Output: frames.
 * Invariants: a frame keeps its number; frames that are not about the tool's rows stay as they are; what does not have
 * the form that the recorder gives it passes as it is: the merge judges it. */
#include "cli/record/recast.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/tool/args.h"
#include "cli/tool/program/carrier.h"

#define CLAUSES_MAX 65536

/* What becomes of an action. */
enum change { CHANGE_NONE, CHANGE_DROP, CHANGE_VALUES };

struct action {
	enum change change;
	struct cast cast; /* of CHANGE_VALUES */
};

struct clause {
	struct action *actions;
	size_t n;
};

struct recast {
	const struct recast_options *options;
	FILE *to;
	bool shown; /* what is written there is read by people, too: --emit */
	struct recast_result *result;
	struct messages *messages;
	char *line; /* that is not complete yet */
	size_t len, room;
	bool greeted;
	bool active;  /* the session is a tool's */
	json_t *head; /* the hello: the tool refers to its script */
	struct tool *tool;
	struct carried carried;
	struct clause *clauses;
	size_t nclauses;
};

/* ---- hello ------------------------------------------------------------------------------------------------------- */
/* The options of the tool that a replay was given. Returns 0, or the exit status after a message. */
static int take_options(struct recast *r)
{
	const char *args[RECAST_ARGS + 2] = { r->tool->name };

	memcpy(args + 1, r->options->args, (size_t)r->options->n * sizeof(*args));
	if (tool_take_args(r->tool, r->options->n + 1, (char **)(uintptr_t)args))
		return 2;
	if (r->tool->counted) {
		message(r->messages, "--by: %s has recorded events, which a replay does not count", r->tool->name);
		return 2;
	}
	return 0;
}

/* "rows=text" becomes that of the output. */
static void set_layout(const struct recast *r, json_t *frame)
{
	static const char *const rows[] = { "rows=text", "rows=json", "rows=csv" };
	json_t *list = json_object_get(frame, "options");
	const bool all = r->tool->out != TOOL_TEXT && !r->carried.rows_given; /* only a screen is full */

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *o = json_string_value(json_array_get(list, i));
		const char *new = NULL;

		if (!o)
			continue;
		if (!strncmp(o, "rows=", 5))
			new = rows[r->tool->out];
		else if (!strncmp(o, "aggrows=", 8) && all)
			new = "aggrows=0";
		else if (!strncmp(o, "csvsafe=", 8) && tool_number(r->tool, "option.csvsafe"))
			new = "csvsafe=1";
		if (new)
			json_array_set_new(list, i, json_string(new));
	}
}

static void refuse(struct recast *r)
{
	r->result->failed = true;
	r->active = false;
}

static void take_hello(struct recast *r, json_t *frame)
{
	const char *script = json_string_value(json_object_get(frame, "script"));
	int found;

	r->tool = calloc(1, sizeof(*r->tool));
	if (!script || !r->tool)
		return;
	r->head = json_incref(frame);
	r->tool->messages = r->messages;
	r->tool->own = (struct messages){ .program = r->tool->name, .out = r->messages->out };
	found = carrier_read(r->tool, &r->carried, script);
	r->result->is_tool = found > 0;
	if (!found && r->options->n > r->options->json) {
		message(r->messages,
			"replay: a session of the recording has no columns to choose from: it is of a script, or of a "
			"tool "
			"whose rows are recorded as text");
		message_hint(r->messages, "record a tool, as in: dwire record -o DIRECTORY tcplife");
	}
	if (found < 0 || (!found && r->options->n > r->options->json) ||
		(found && (take_options(r) || !carrier_choose(r->tool, &r->carried))))
		refuse(r);
	else if (found) {
		r->active = true;
		set_layout(r, frame);
	}
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */
/* Room for number n of an array; false: there is none. */
static bool room(void *array, size_t *size, size_t n, size_t most, size_t each)
{
	void **v = array;
	char *more;

	if (n < *size)
		return true;
	more = n < most ? realloc(*v, (n + 1) * each) : NULL;
	if (!more)
		return false;
	memset(more + *size * each, 0, (n + 1 - *size) * each);
	*v = more;
	*size = n + 1;
	return true;
}

static size_t number_of(const json_t *frame, const char *name, size_t most)
{
	const json_t *j = json_object_get(frame, name);
	const json_int_t n = json_integer_value(j);

	return json_is_integer(j) && n >= 0 && (size_t)n < most ? (size_t)n : most;
}

/* An aggregation that rows show takes those of its keys that the columns want. */
static void take_agg(struct recast *r, json_t *frame)
{
	const char *name = json_string_value(json_object_get(frame, "name"));
	const struct carried *c = &r->carried;

	for (size_t i = 0; name && i < c->naggs; i++) {
		struct cast keys;
		json_t *take;

		if (strcmp(c->aggs[i].name, name) != 0)
			continue;
		keys = carrier_keys(c, &c->aggs[i]);
		take = json_array();
		for (size_t k = 0; k < keys.n; k++)
			json_array_append_new(take, json_integer(keys.values[k]));
		json_object_set_new(frame, "take", take);
		cast_free(&keys);
	}
}

/* "\036row:0:" -> the word and the number; false: the format has no mark. */
static bool read_mark(const struct recast *r, const char *format, char *word, size_t *at)
{
	int end = 0;

	*at = 0;
	if (!format || *format != CARRIER_MARK || sscanf(format + 1, "%9[a-z]:%n", word, &end) != 1 || !end)
		return false;
	*at = (size_t)strtoul(format + 1 + end, NULL, 10);
	return *at < r->tool->nrows || !strcmp(word, "say");
}

/* The columns of the chosen values; what is not known is one of its own. */
static json_t *cast_columns(const struct cast *c, const json_t *columns)
{
	json_t *out = json_array();

	for (size_t i = 0; i < c->n; i++) {
		const int v = c->values[i];

		json_array_append_new(out,
			v == CAST_TEXT  ? json_pack("{ss}", "type", "string")
				: v < 0 ? json_pack("{sssisb}", "type", "int", "size", 8, "signed", 1)
					: json_incref(json_array_get(columns, (size_t)v)));
	}
	return out;
}

static bool fits(const struct cast *c, size_t n)
{
	bool ok = c->format != NULL;

	for (size_t i = 0; ok && i < c->n; i++)
		ok = c->values[i] < 0 || (size_t)c->values[i] < n;
	return ok;
}

/* A printa() shows the aggregations that its columns want. */
static struct cast cast_rows(const struct recast *r, json_t *action, size_t at)
{
	const json_t *aggs = json_object_get(action, "aggs");
	struct cast c = carrier_rows(r->tool, &r->carried, at, json_array_size(aggs));
	json_t *shown = json_array();

	for (size_t i = 0; fits(&c, json_array_size(aggs)) && i < c.n; i++)
		if (c.values[i] >= 0)
			json_array_append(shown, json_array_get(aggs, (size_t)c.values[i]));
	if (json_array_size(shown))
		json_object_set(action, "aggs", shown);
	json_decref(shown);
	c.n = 0; /* its items have no values */
	return c;
}

static struct cast cast_of(const struct recast *r, json_t *action, const char *word, size_t at, const char *rest)
{
	if (!strcmp(word, "row"))
		return carrier_row(r->tool, &r->carried, at);
	if (!strcmp(word, "rows"))
		return cast_rows(r, action, at);
	if (!strcmp(word, "header"))
		return carrier_header(r->tool, &r->carried, at);
	if (!strcmp(word, "names"))
		return carrier_names(r->tool, &r->carried);
	return (struct cast){ .format = strdup(r->tool->out == TOOL_TEXT ? rest : "") };
}

/* Gives an action its new format. An empty one: it is dropped. */
static void recast_action(const struct recast *r, json_t *action, struct action *to)
{
	const char *format = json_string_value(json_object_get(action, "format"));
	const json_t *columns = json_object_get(action, "columns");
	char word[10];
	bool say;
	size_t at;

	if (!read_mark(r, format, word, &at))
		return;
	say = !strcmp(word, "say");
	to->cast = cast_of(r, action, word, at, format + strlen("_say:"));
	if (!fits(&to->cast, json_array_size(columns)))
		return;
	to->change = !*to->cast.format ? CHANGE_DROP : say ? CHANGE_NONE : CHANGE_VALUES;
	json_object_set_new(action, "format", json_string(to->cast.format));
	if (to->change == CHANGE_VALUES)
		json_object_set_new(action, "columns", cast_columns(&to->cast, columns));
}

static void clause_free(struct clause *c)
{
	for (size_t i = 0; i < c->n; i++)
		cast_free(&c->actions[i].cast);
	free(c->actions);
	*c = (struct clause){ 0 };
}

static void take_clause(struct recast *r, json_t *frame)
{
	json_t *actions = json_object_get(frame, "actions");
	const size_t at = number_of(frame, "clause", CLAUSES_MAX), n = json_array_size(actions);
	struct clause *c;

	if (!room(&r->clauses, &r->nclauses, at, CLAUSES_MAX, sizeof(*r->clauses)))
		return;
	c = &r->clauses[at];
	clause_free(c);
	c->actions = calloc(n + 1, sizeof(*c->actions));
	c->n = c->actions ? n : 0;
	for (size_t i = 0; i < c->n; i++) {
		recast_action(r, json_array_get(actions, i), &c->actions[i]);
		if (c->actions[i].change == CHANGE_DROP)
			json_array_set_new(actions, i, json_null());
	}
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
/* [action, value, …] with the values that are shown. */
static json_t *cast_item(const struct cast *c, const json_t *item)
{
	json_t *out = json_array();

	json_array_append(out, json_array_get(item, 0));
	for (size_t i = 0; i < c->n; i++)
		json_array_append_new(out,
			c->values[i] == CAST_TEXT  ? json_string("")
				: c->values[i] < 0 ? json_integer(-1)
						   : json_incref(json_array_get(item, (size_t)c->values[i] + 1)));
	return out;
}

/* The items of a row, from the first on. */
static void cast_items(const struct clause *c, json_t *items, size_t first)
{
	for (size_t i = first; i < json_array_size(items); i++) {
		const json_t *item = json_array_get(items, i);
		const json_int_t n = json_integer_value(json_array_get(item, 0));
		const struct action *a = n >= 0 && (size_t)n < c->n ? &c->actions[n] : NULL;

		if (!a || a->change == CHANGE_NONE)
			continue;
		if (a->change == CHANGE_DROP)
			json_array_remove(items, i--);
		else
			json_array_set_new(items, i, cast_item(&a->cast, item));
	}
}

static void take_rows(const struct recast *r, const json_t *frame)
{
	const size_t at = number_of(frame, "clause", CLAUSES_MAX);
	const json_t *rows = json_object_get(frame, "rows");
	const struct clause *c = at < r->nclauses ? &r->clauses[at] : NULL;

	if (!c)
		return;
	cast_items(c, json_object_get(frame, "out"), 0);
	for (size_t i = 0; i < json_array_size(rows); i++)
		cast_items(c, json_array_get(rows, i), 2);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */
static bool is_kind(const char *line, const char *word)
{
	char member[24];
	const char *at = strstr(line, ",\"f\":\"");

	snprintf(member, sizeof(member), ",\"f\":\"%s\"", word);
	return at && !strncmp(at, member, strlen(member));
}

static void recast_frame(struct recast *r, json_t *frame)
{
	const char *kind = json_string_value(json_object_get(frame, "f"));

	if (!strcmp(kind, "hello") && !r->greeted) {
		r->greeted = true;
		take_hello(r, frame);
	}
	if (!r->active)
		return;
	if (!strcmp(kind, "options"))
		set_layout(r, frame);
	else if (!strcmp(kind, "agg"))
		take_agg(r, frame);
	else if (!strcmp(kind, "clause"))
		take_clause(r, frame);
	else
		take_rows(r, frame);
}

/* Anybody may have written a recording: nothing in it acts on a terminal. */
static void put_line(struct recast *r, const char *line, size_t len)
{
	if (r->shown)
		escape_json(r->to, line, len);
	else
		fwrite(line, 1, len, r->to);
	putc('\n', r->to);
}

/* A line without its feed, ended by a NUL. */
static void take_line(struct recast *r, const char *line, size_t len)
{
	static const char *const kinds[] = { "options", "agg", "clause", "row", "rows" };
	bool wanted = !r->greeted && is_kind(line, "hello");
	json_t *frame;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && r->active; i++)
		wanted |= is_kind(line, kinds[i]);
	if (r->result->failed)
		return;
	frame = wanted ? json_loadb(line, len, JSON_ALLOW_NUL, NULL) : NULL;
	if (frame) {
		recast_frame(r, frame);
		if (!r->result->failed) {
			char *text = json_dumps(frame, JSON_COMPACT);

			put_line(r, text ? text : "", text ? strlen(text) : 0);
			free(text);
		}
		json_decref(frame);
	} else {
		put_line(r, line, len);
	}
}

static bool keep(struct recast *r, const char *text, size_t n)
{
	size_t room_now = r->len + n + 1;
	char *more = room_now > r->room ? realloc(r->line, room_now * 2) : r->line;

	if (!more)
		return false;
	r->room = room_now > r->room ? room_now * 2 : r->room;
	r->line = more;
	memcpy(r->line + r->len, text, n);
	r->len += n;
	r->line[r->len] = '\0';
	return true;
}

/* stdio takes 0, not -1, for an error of a cookie's write (fopencookie(3)). */
static ssize_t recast_write(void *cookie, const char *text, size_t size)
{
	struct recast *r = cookie;
	const char *end = text + size, *feed;

	for (const char *s = text; s < end; s = feed + 1) {
		feed = memchr(s, '\n', (size_t)(end - s));
		if (!keep(r, s, (size_t)((feed ? feed : end) - s)))
			return 0;
		if (!feed)
			break;
		take_line(r, r->line, r->len);
		r->len = 0;
	}
	return fflush(r->to) || ferror(r->to) ? 0 : (ssize_t)size;
}

static int recast_close(void *cookie)
{
	struct recast *r = cookie;

	for (size_t i = 0; i < r->nclauses; i++)
		clause_free(&r->clauses[i]);
	free(r->clauses);
	free(r->tool);
	json_decref(r->head);
	free(r->line);
	free(r);
	return 0;
}

FILE *recast_open(
	const struct recast_options *options, FILE *to, struct recast_result *result, struct messages *messages)
{
	struct recast *r = calloc(1, sizeof(*r));
	FILE *f;

	if (!r)
		return NULL;
	*r = (struct recast){
		.options = options, .to = to, .shown = to == stdout, .result = result, .messages = messages
	};
	*result = (struct recast_result){ 0 };
	f = fopencookie(r, "w", (cookie_io_functions_t){ .write = recast_write, .close = recast_close });
	if (!f)
		recast_close(r);
	return f;
}
