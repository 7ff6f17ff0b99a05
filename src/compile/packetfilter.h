/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packetfilter: expressions of pcap-filter(7), compiled by libpcap. tcpdump is its front end: dwire needs no libpcap,
 * and only who writes such an expression needs tcpdump. */
#ifndef DWIRE_COMPILE_PACKETFILTER_H
#define DWIRE_COMPILE_PACKETFILTER_H
#include "base/arena.h"
#include "lower/lower.h"

/* The instructions that decide about a packet which begins at the IP header. NULL: *why says what is wrong, at byte *at
 * of the text. In the arena. */
const struct packet_filter *packetfilter_compile(struct arena *a, const char *text, const char **why, size_t *at);
#endif
