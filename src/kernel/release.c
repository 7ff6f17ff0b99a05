/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release: see release.h. Input: uname(2). */
#include "kernel/release.h"

#include <stdio.h>
#include <sys/utsname.h>

bool release_before(unsigned major, unsigned minor)
{
	unsigned own_major, own_minor;
	struct utsname u;

	if (uname(&u) || sscanf(u.release, "%u.%u", &own_major, &own_minor) != 2)
		return false;
	return own_major < major || (own_major == major && own_minor < minor);
}
