/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opened: pcap() into files that a script opens by freopen(). A script may go from one to another with each packet. */
#ifndef DWIRE_PRINT_CAPTURE_OPENED_H
#define DWIRE_PRINT_CAPTURE_OPENED_H
#include "print/capture/pcapng.h"
#include "record/sink.h"

struct opened;

/* Writes the packet into the file that `out` writes to now; *o is made on first use. 0 or -errno. */
int opened_write(struct opened **o, struct out *out, const struct record *r, const struct value *values)
	__attribute__((warn_unused_result));
/* Hands on what was buffered. o may be NULL. 0 or the first error. */
int opened_flush(struct opened *o) __attribute__((warn_unused_result));
/* Ends all files. NULL is fine. */
void opened_free(struct opened *o);
#endif
