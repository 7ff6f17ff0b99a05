/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release: see release.h. Input: uname(2). */
#include "kernel/release.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

bool release_before(unsigned major, unsigned minor)
{
	unsigned own_major, own_minor;
	struct utsname u;

	if (uname(&u) || sscanf(u.release, "%u.%u", &own_major, &own_minor) != 2)
		return false;
	return own_major < major || (own_major == major && own_minor < minor);
}

/* Debian's release has no third number that means anything; its version does: "#1 SMP Debian 6.1.170-1". */
static bool stable_release(unsigned v[3])
{
	const char *debian;
	struct utsname u;

	if (uname(&u))
		return false;
	debian = strstr(u.version, "Debian ");
	return sscanf(debian ? debian + strlen("Debian ") : u.release, "%u.%u.%u", &v[0], &v[1], &v[2]) == 3;
}

bool release_mixes_frames(void)
{
	return release_before(6, 5);
}

bool release_faults_kill(void)
{
	static const unsigned mended[][3] = { { 5, 15, 120 }, { 6, 1, 38 } };
	unsigned v[3];

	if (!release_before(6, 4))
		return false;
	for (size_t i = 0; stable_release(v) && i < sizeof(mended) / sizeof(mended[0]); i++)
		if (v[0] == mended[i][0] && v[1] == mended[i][1] && v[2] >= mended[i][2])
			return false;
	return true;
}
