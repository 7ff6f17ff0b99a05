/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privileges: see privileges.h. */
#include "export/privileges.h"

#include <errno.h>
#include <grp.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOBODY 65534u /* the user without rights of most systems */

int privileges_drop(FILE *err)
{
	if (!geteuid() &&
		(setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))) {
		fprintf(err, "dwire-export: cannot give up root's privileges: %s\n", strerror(errno));
		return -1;
	}
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return 0;
}
