/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash: see hash.h. Output: a secret. */
#include "base/hash.h"

#include <sys/random.h>

#include "base/clock.h"

void hash_secret_make(struct hash_secret *s)
{
	if (getrandom(s, sizeof(*s), GRND_NONBLOCK) != sizeof(*s))
		*s = (struct hash_secret){ { clock_wall(), clock_now() ^ (uint64_t)(uintptr_t)s } };
}
