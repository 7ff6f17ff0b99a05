/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_json: json(), the value of one member of a text in JSON (RFC 8259); part of lib.bpf.c. Input: the text, and a
 * path: names of members and numbers of elements with . [ ] between them. Output: offset and length of the value; a
 * string without its quotes, anything else as it is written. Invariant: one pass; a container that is not on the path
 * is skipped by counting its brackets. */

enum json_word {   /* words of the loop */
	JS_START,  /* of the value */
	JS_LENGTH, /* of the value */
	JS_STATE,  /* enum json_state */
	JS_DEPTH,  /* containers that are open */
	JS_LEVEL,  /* of these, those on the path; the innermost is searched */
	JS_PATH,   /* place in the path: of the wanted name or number */
	JS_COUNT,  /* an array: elements still to pass */
	JS_KEY,    /* an object: characters of the name that match; NONE: no match */
	JS_WANTED, /* 1: the next value is the wanted one */
	JS_NAMES,  /* 1: a name comes next; 0: a value */
	JS_ARRAY,  /* 1: the searched container is an array */
	JS_WORDS
};

enum json_state { JSON_OPEN, JSON_NAME, JSON_TEXT, JSON_VALUE, JSON_INSIDE, JSON_WORD, JSON_FOUND, JSON_ESCAPE = 8 };

#define JS_NONE (1ull << 32)

/* A character of the path; 0 at its end and for a separator. */
INLINE u64 json_path(const struct ctx *c, u64 at)
{
	u64 ch;

	if (at >= c->how)
		return 0;
	ch = (u8)c->d[at];
	return ch == '.' || ch == '[' || ch == ']' ? 0 : ch;
}

/* Skips the rest of this part of the path and the separator behind it. 1: this was the last part. */
INLINE u64 json_next(struct ctx *c, u64 from)
{
	word *w = c->w;
	u64 at = from;

	for (int i = 0; i < 3; i++)
		if (at < c->how && c->d[at] && !json_path(c, at))
			at++;
	w[JS_PATH] = at;
	return json_path(c, at) == 0;
}

/* The container that begins here is on the path: its members are searched. */
INLINE void json_enter(struct ctx *c, u64 array)
{
	word *w = c->w;
	u64 n = 0, at = w[JS_PATH], ch = json_path(c, at);

	w[JS_DEPTH] = w[JS_DEPTH] + 1;
	w[JS_LEVEL] = w[JS_DEPTH];
	w[JS_ARRAY] = array;
	w[JS_NAMES] = !array;
	w[JS_STATE] = JSON_OPEN;
	if (!array) {
		w[JS_WANTED] = 0;
		return;
	}
	for (int i = 0; i < 8 && ch; i++) {
		n = ch - '0' < 10 ? n * 10 + (ch - '0') : JS_NONE;
		ch = json_path(c, ++at);
	}
	w[JS_KEY] = at - w[JS_PATH];
	w[JS_COUNT] = n;
	w[JS_WANTED] = n == 0;
}

/* The wanted value begins at i. 1: it cannot be the right one. */
INLINE u64 json_value(struct ctx *c, u64 i, u64 ch)
{
	word *w = c->w;
	u64 last = json_next(c, w[JS_PATH] + w[JS_KEY]);

	if (!last) {
		if (ch != '{' && ch != '[')
			return 1;
		json_enter(c, ch == '[');
		return 0;
	}
	w[JS_START] = i + (ch == '"');
	w[JS_STATE] = ch == '"' ? JSON_VALUE : ch == '{' || ch == '[' ? JSON_INSIDE : JSON_WORD;
	if (ch == '{' || ch == '[')
		w[JS_DEPTH] = w[JS_DEPTH] + 1;
	return 0;
}

INLINE u64 json_found(word *w, u64 end)
{
	w[JS_LENGTH] = end - w[JS_START];
	w[JS_STATE] = JSON_FOUND;
	return 1;
}

/* A character inside of quotes. */
INLINE u64 json_quoted(struct ctx *c, u64 i, u64 ch, u64 state)
{
	word *w = c->w;
	u64 key = w[JS_KEY];

	if (state == JSON_NAME && (ch != '"' || (w[JS_STATE] & JSON_ESCAPE)))
		w[JS_KEY] = key < JS_NONE && json_path(c, w[JS_PATH] + key) == ch ? key + 1 : JS_NONE;
	if (w[JS_STATE] & JSON_ESCAPE) {
		w[JS_STATE] = state;
		return 0;
	}
	if (ch == '\\')
		w[JS_STATE] = state | JSON_ESCAPE;
	if (ch != '"')
		return 0;
	if (state == JSON_VALUE)
		return json_found(w, i);
	if (state == JSON_NAME)
		w[JS_WANTED] = key < JS_NONE && !json_path(c, w[JS_PATH] + key);
	w[JS_STATE] = w[JS_COUNT] & JS_NONE << 1 ? JSON_INSIDE : JSON_OPEN;
	w[JS_COUNT] = w[JS_COUNT] & ~(JS_NONE << 1);
	return 0;
}

/* A quote, a comma or a colon in the searched container. */
INLINE u64 json_member(struct ctx *c, u64 ch)
{
	word *w = c->w;

	if (ch == ':') {
		w[JS_NAMES] = 0;
	} else if (ch == ',' && w[JS_ARRAY]) {
		w[JS_COUNT] = w[JS_COUNT] - 1;
		w[JS_WANTED] = w[JS_COUNT] == 0;
	} else if (ch == ',') {
		w[JS_NAMES] = 1;
		w[JS_WANTED] = 0;
	}
	return 0;
}

/* A character outside of quotes. 1: the search ends. */
INLINE u64 json_plain(struct ctx *c, u64 i, u64 ch, u64 state)
{
	word *w = c->w;
	u64 here = state == JSON_OPEN && w[JS_DEPTH] == w[JS_LEVEL];

	if (state == JSON_WORD && (ch == ',' || ch == '}' || ch == ']' || ch <= ' '))
		return json_found(w, i);
	if (state == JSON_WORD || ch <= ' ')
		return 0;
	if (here && !w[JS_DEPTH]) {
		if (ch != '{' && ch != '[')
			return 1;
		json_enter(c, ch == '[');
		return 0;
	}
	if (ch == '}' || ch == ']') {
		w[JS_DEPTH] = w[JS_DEPTH] - 1;
		if (state == JSON_INSIDE && w[JS_DEPTH] == w[JS_LEVEL])
			return json_found(w, i + 1);
		return here;
	}
	if (here && (ch == ':' || ch == ','))
		return json_member(c, ch);
	if (here && w[JS_WANTED] && !w[JS_NAMES])
		return json_value(c, i, ch);
	if (ch == '{' || ch == '[')
		w[JS_DEPTH] = w[JS_DEPTH] + 1;
	if (ch != '"')
		return 0;
	if (here && w[JS_NAMES]) {
		w[JS_KEY] = 0;
		w[JS_STATE] = JSON_NAME;
		return 0;
	}
	if (state == JSON_INSIDE)
		w[JS_COUNT] = w[JS_COUNT] | JS_NONE << 1; /* to come back to it */
	w[JS_STATE] = JSON_TEXT;
	return 0;
}

long cb_json(u64 i, struct ctx *c)
{
	u64 ch, state = c->w[JS_STATE] & ~(u64)JSON_ESCAPE;

	if (i >= c->cap)
		return 1;
	ch = (u8)c->s[i];
	if (!ch)
		return 1;
	if (state == JSON_NAME || state == JSON_TEXT || state == JSON_VALUE)
		return (long)json_quoted(c, i, ch, state);
	return (long)json_plain(c, i, ch, state);
}

/* json(). sizes: the size of src, and that of path << 32. w[0] becomes 1 if there is no such value. */
u64 text_json(char *dst, const char *src, const char *path, u64 sizes, word *w)
{
	u32 cap = (u32)sizes;
	struct ctx c = { .s = src, .d = (char *)path, .w = w, .cap = cap, .how = (u32)(sizes >> 32) };

	w[JS_START] = w[JS_LENGTH] = w[JS_STATE] = w[JS_DEPTH] = w[JS_LEVEL] = w[JS_COUNT] = w[JS_KEY] = 0;
	w[JS_WANTED] = w[JS_NAMES] = w[JS_ARRAY] = 0;
	json_next(&c, 0);
	loop(cap, cb_json, &c, 0);
	if (w[JS_STATE] != JSON_FOUND) {
		dst[0] = 0;
		w[0] = 1;
		return 0;
	}
	put_part(dst, src, cap, w);
	w[0] = 0;
	return 0;
}
