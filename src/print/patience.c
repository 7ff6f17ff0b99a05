/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patience: see patience.h.
 * Input: descriptors. Output: which of them ended the wait.
 * Invariant: a signal (EINTR) does not end a wait; the time then begins again. */
#include "print/patience.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>

bool patience_ended(const int *stop)
{
	struct pollfd p = { .fd = stop ? *stop : -1, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

int patience_wait(const int *stop, int fd, short events, int ms)
{
	struct pollfd p[] = {
		{ .fd = fd, .events = events },
		{ .fd = stop && !patience_ended(stop) ? *stop : -1, .events = POLLIN },
	};
	int n;

	do
		n = poll(p, 2, ms);
	while (n < 0 && errno == EINTR);
	return p[0].revents ? 1 : n > 0 ? -EINTR : 0;
}

bool patience_deserted(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP);
}
