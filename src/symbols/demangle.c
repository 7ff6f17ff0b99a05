/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle: see demangle.h. Invariant: libiberty writes at most DEMANGLE_TEXT_MOST bytes of text for any name. Then the
 * child of the sandbox exits, because a callback cannot stop libiberty. */
#include "symbols/demangle.h"

#include <errno.h>
#include <libiberty/ansidecl.h>
#include <libiberty/demangle.h>
#include <string.h>

/* ---- in the sandbox ---------------------------------------------------------------------------------------------- */
struct writing {
	struct blob *out;
	size_t work;
};

static void write_piece(const char *s, size_t len, void *ctx)
{
	struct writing *w = ctx;

	w->work += len + 1;
	if (w->work > DEMANGLE_TEXT_MOST)
		sandbox_give_up();
	if (len > w->out->most - 1 - w->out->n) /* the rest is cut */
		len = w->out->most - 1 - w->out->n;
	(void)blob_put(w->out, s, len);
}

/* in: the name, with its NUL. out's limit is at least 1. */
static int write_text(int fd, const void *in, size_t len, struct blob *out, void **kept)
{
	struct writing w = { .out = out };
	const int options = DMGL_PARAMS | DMGL_ANSI;

	(void)fd;
	(void)len;
	(void)kept;
	/* Older Rust looks like C++: it is tried first. */
	if (!rust_demangle_callback(in, options, write_piece, &w)) {
		out->n = 0;
		if (!cplus_demangle_v3_callback(in, options, write_piece, &w))
			return -ENOENT;
	}
	return blob_put(out, "", 1);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */
bool demangle_wanted(const char *name)
{
	/* "_Z" of C++ and older Rust, "_R" of Rust */
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || strncmp(name, "__Z", 3) == 0);
}

const char *demangle(struct sandbox *s, const char *name, char *buf, size_t size)
{
	struct blob out = blob_new(size);
	size_t len = strnlen(name, DEMANGLE_NAME_MOST);
	bool ok;

	if (!demangle_wanted(name) || len == DEMANGLE_NAME_MOST)
		return name;
	ok = sandbox_run(s, write_text, -1, name, len + 1, &out) == 0 && out.n && !out.v[out.n - 1];
	if (ok)
		memcpy(buf, out.v, out.n);
	blob_free(&out);
	return ok ? buf : name;
}
