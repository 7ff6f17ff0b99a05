/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handlers: see handlers.h. */
#include "process/handlers.h"

#include <signal.h>
#include <stddef.h>

void handlers_forget(void)
{
	struct sigaction a;

	for (int sig = 1; sig < NSIG; sig++)
		if (sigaction(sig, NULL, &a) == 0 && a.sa_handler != SIG_IGN && a.sa_handler != SIG_DFL)
			signal(sig, SIG_DFL);
}
