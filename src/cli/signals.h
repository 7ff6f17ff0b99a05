/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signals: INT, TERM and HUP end a trace; the second one ends the command. */
#ifndef DWIRE_CLI_SIGNALS_H
#define DWIRE_CLI_SIGNALS_H
#include "api/dwire.h"

struct signals;

/* From here on INT, TERM and HUP call dwire_stop(d), and writing to a closed pipe fails with EPIPE. An ignored HUP
 * stays ignored, as nohup(1) wants it. patient: only the second signal stops; the caller does what the first asks for.
 * NULL: no memory, or no thread. */
struct signals *signals_take(struct dwire *d, bool patient);
/* Has a signal come? */
bool signals_came(const struct signals *s);
/* Before dwire_free(d). Signals that come later are ignored: the command is about to exit. NULL is fine. */
void signals_free(struct signals *s);
#endif
