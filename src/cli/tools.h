/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tools: the D tools, compiled into the binary, so that `dwire tcptop` needs no installation. The table is made by
 * src/gen_embed.py from tools/ (all .d files); same invariants as lang/dlib.h. Names keep their ending: "tcptop.d". */
#ifndef DWIRE_CLI_TOOLS_H
#define DWIRE_CLI_TOOLS_H
#include "lang/dlib.h"

extern const struct dlib_file tool_files[];
extern const size_t tool_nfiles;
#endif
