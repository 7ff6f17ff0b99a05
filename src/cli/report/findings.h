/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings: what netcheck says of the same seconds. It runs as a process beside the trace. */
#ifndef DWIRE_CLI_REPORT_FINDINGS_H
#define DWIRE_CLI_REPORT_FINDINGS_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct findings {
	pid_t pid;    /* 0: it did not start */
	int hold;     /* it ends when this is closed */
	int out, err; /* files in memory: its rows and its messages */
	int status;   /* of its end, as a shell gives it */
};

/* Starts it for so many seconds. Returns whether it started; findings_html() says so if not. */
bool findings_start(struct findings *f, unsigned seconds);
/* Waits for its end; for at most patience_ms, then it ends early and shows what it has. */
void findings_wait(struct findings *f, int patience_ms);
void findings_html(const struct findings *f, FILE *out);
void findings_close(struct findings *f);
#endif
