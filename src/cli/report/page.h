/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page: the report as one HTML file, which refers to no other. */
#ifndef DWIRE_CLI_REPORT_PAGE_H
#define DWIRE_CLI_REPORT_PAGE_H
#include "cli/report/collect.h"
#include "cli/report/findings.h"

/* d: the trace, which has ended. complete: it was not ended early. */
void page_html(FILE *out, const struct collection *c, const struct findings *f, struct dwire *d, bool complete);
#endif
