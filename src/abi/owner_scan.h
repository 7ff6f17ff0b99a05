/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_scan: the task of a scan: owner.c sets it, the iterator of owner/bpf/owner_files.h does it. */
#ifndef DWIRE_ABI_OWNER_SCAN_H
#define DWIRE_ABI_OWNER_SCAN_H

enum owner_scan {
	OWNER_SCAN_FILL,  /* give sockets without an owner to the first process that holds them */
	OWNER_SCAN_MARK,  /* note which listeners their owners still hold */
	OWNER_SCAN_CHECK, /* give the others to the first process that holds them; note what is shared */
};
#endif
