/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle: see demangle.h. GCC's libiberty does the work. Invariant: the work is bounded by the length of the name. */
#include "symbols/demangle.h"

#include <libiberty/ansidecl.h>
#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEN_MAX 2048

const char *demangle(const char *name, char *buf, size_t size)
{
	char *text;

	/* "_Z" of C++ and older Rust, "_R" of Rust */
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R' && strncmp(name, "__Z", 3) != 0) ||
		strnlen(name, LEN_MAX) == LEN_MAX)
		return name;
	text = cplus_demangle(name, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!text)
		return name;
	snprintf(buf, size, "%s", text);
	free(text);
	return buf;
}
