/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file: the files of a capture, one after the other, as tcpdump's -w, -C, -W and -G make them. */
#ifndef DWIRE_PRINT_CAPTURE_FILE_H
#define DWIRE_PRINT_CAPTURE_FILE_H
#include "base/diag/report.h"
#include "print/capture/pcapng.h"

struct capture_file;

/* Opens the first file that -x capture and its kin ask for; "-" is the stream `out`. Pointers are borrowed. 0 or
 * -errno, reported unless it is -ENOMEM. */
int capture_file_new(FILE *out, const struct options *options, const struct reporter *report, const int *stop,
	struct capture_file **file) __attribute__((warn_unused_result));
/* Ends the file: the counts of packets, then what was buffered. */
void capture_file_close(struct capture_file *f);
/* Ends the file, flushes and frees. NULL is fine. */
void capture_file_free(struct capture_file *f);
/* Where the next block goes. NULL: no further file is to be made, or an error: capture_file_err(). time: since 1970,
 * ns. */
struct pcapng *capture_file_at(struct capture_file *f, uint64_t time);
/* 0, -EPIPE (the reader is gone, or there are as many files as were asked for) or -errno. */
int capture_file_flush(struct capture_file *f) __attribute__((warn_unused_result));
int capture_file_err(const struct capture_file *f);
/* Packets that were lost; the end of the file has their number. */
void capture_file_lost(struct capture_file *f, uint64_t n);
#endif
