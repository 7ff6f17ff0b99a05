/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_scan: the task of a scan: owner.c sets it, the iterator of owner/bpf/owner_files.h does it. And what the owner
 * service of old kernels (owner/bpf/owner_old.bpf.c) shares with user space. */
#ifndef DWIRE_ABI_OWNER_SCAN_H
#define DWIRE_ABI_OWNER_SCAN_H
#include "abi/abi.h"

enum owner_scan {
	OWNER_SCAN_FILL,  /* give sockets without an owner to the first process that holds them */
	OWNER_SCAN_MARK,  /* note which listeners their owners still hold */
	OWNER_SCAN_CHECK, /* give the others to the first process that holds them; note what is shared */
};

/* The one value of the map `state`, which user space maps. */
struct owner_state {
	DW_U64 drops;       /* owners that could not be stored */
	DW_U64 ends_factor; /* of dw_mix(), for the keys of connections that have ended; user space sets it */
	DW_U32 scan;        /* enum owner_scan */
	DW_U32 orphaned;    /* a process has exited that had been an owner; user space resets it */
	DW_U32 never;       /* what only the service of newer kernels uses; nobody reads it */
	DW_U32 shared;      /* likewise; stays 0 */
};

/* Pids, modulo OWNER_HOLDERS: what is known of the process. */
#define OWNER_HOLDERS 65536
enum owner_holder { OWNER_HOLDER_NONE, OWNER_HOLDER_LIVES, OWNER_HOLDER_GONE };
struct owner_holders {
	DW_U8 is[OWNER_HOLDERS];
};

/* Of each CPU: keys in `owners` of the connections that ended there last, of n. A CPU's value has at most 32 KiB. */
#define OWNER_ENDED 2048
struct owner_ended {
	DW_U64 n;
	DW_U64 key[OWNER_ENDED];
};
#endif
