/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pragma: handles #pragma D option, attributes, binding and depends_on. */
#ifndef DWIRE_COMPILE_PRAGMA_H
#define DWIRE_COMPILE_PRAGMA_H
#include "compile/compile.h"

/* For struct parse_env; ctx is a struct compilation. */
void pragma_read(void *ctx, const struct pragma *p);
/* Before anything is checked: hides the names that -x version does not know yet. */
void pragma_bind(struct compilation *c);
/* After everything was checked: names that pragmas mention and nothing defines are errors. */
void pragma_finish(struct compilation *c);
/* The attributes that a pragma gave a name. */
bool pragma_attrs(void *ctx, const char *name, struct stability *out);
#endif
