/* SPDX-License-Identifier: GPL-2.0-or-later */
/* openmetrics: the series as text, in OpenMetrics 1.0 or in Prometheus's older format. */
#ifndef DWIRE_EXPORT_OPENMETRICS_H
#define DWIRE_EXPORT_OPENMETRICS_H
#include <stdio.h>

#include "export/series.h"

/* openmetrics: else the older format. Errors stay in out. */
void openmetrics_write(FILE *out, const struct all_series *a, const struct model *m, bool openmetrics);
#endif
