/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag_text: a diagnostic as text:
 *
 *	tcp.d:7:22: error[D_OP_INCOMPAT]: cannot compare string with int
 *	    /args[2]->ip_saddr == 5/
 *	                       ^~ hint: quote the address: "10.0.0.5"
 *
 * A diagnostic without a place reads "dwire: cannot open x: No such file or directory". Control bytes are escaped;
 * tabs of the source are kept, so that the caret lines up. */
#ifndef DWIRE_BASE_DIAG_DIAG_TEXT_H
#define DWIRE_BASE_DIAG_DIAG_TEXT_H
#include <stdio.h>

#include "base/diag/diag.h"

/* program: in place of "dwire". */
void diag_print(const struct diag *g, const char *program, FILE *out);
#endif
