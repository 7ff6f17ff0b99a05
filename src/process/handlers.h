/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handlers: in a forked process, before signals may come: handlers of the caller must not run there. */
#ifndef DWIRE_PROCESS_HANDLERS_H
#define DWIRE_PROCESS_HANDLERS_H

/* Signals that the caller handles get their default action again. What is ignored stays ignored, as over an exec. */
void handlers_forget(void);
#endif
