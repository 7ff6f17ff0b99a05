/* SPDX-License-Identifier: GPL-2.0-or-later */
/* otlp: series and records as the messages of OpenTelemetry's protocol, encoded as protobuf. */
#ifndef DWIRE_EXPORT_NET_OTLP_H
#define DWIRE_EXPORT_NET_OTLP_H
#include "export/logs.h"
#include "export/series.h"

/* An ExportMetricsServiceRequest. now: CLOCK_REALTIME, ns. NULL: no memory. free() it. */
uint8_t *otlp_metrics(const struct all_series *a, const struct model *m, uint64_t now, size_t *len);
/* An ExportLogsServiceRequest of the first records, *n at most; *n becomes how many there are in it. */
uint8_t *otlp_logs(const struct logs *l, size_t *n, size_t *len);
#endif
