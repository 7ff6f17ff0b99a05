/* SPDX-License-Identifier: GPL-2.0-or-later */
/* provider: macros for the providers' tables. A new provider is one file with one table (image/probe.h), one line of
 * providers.h, and its translators in dlib/. */
#ifndef DWIRE_PROV_PROVIDER_H
#define DWIRE_PROV_PROVIDER_H
#include "prov/providers.h"

/* For the tables: an array and its length; a typed tracepoint with n arguments. */
#define TABLE(a) a, sizeof(a) / sizeof((a)[0])
#define TP(tp, n, nat) .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat
/* A packet that IP receives, in the hooks tier: netfilter shows it, and kfree_skb if it is dropped before that. In a
 * namespace where no program is at netfilter, the device shows it. */
/* clang-format off */
#define IP_RECEIVED(cond, text, ...) \
	{ .attach = ATTACH_NF_PREROUTING, .nargs = 2, .native = "dw_nf", .optional = true, .bh_off = true, \
	  .when = "dw_nf_prerouting[P]" cond, .sees = text, __VA_ARGS__ }, \
	{ TP("kfree_skb", 4, "dw_drop"), .optional = true, .when = "dw_nf_refused[P]" cond, \
	  .sees = text ", and drops before netfilter", __VA_ARGS__ }, \
	{ TP("netif_receive_skb", 1, "dw_devrecv"), .bh_off = true, .when = "dw_ip_delivered[P]" cond, \
	  .sees = text ", in a namespace where no program is at netfilter", __VA_ARGS__ }
/* clang-format on */
/* Where packets end (prov/net/packet.c). */
extern const struct stamp packet_ends;
/* Which rule has a packet (prov/net/netfilter.c): any provider's translators may read these. */
enum { NETFILTER_STAMPS = 9 };
extern const struct stamp netfilter_stamps[NETFILTER_STAMPS];
/* A provider of the kernel: its name, the native structure of its sites, its probes. */
#define PROVIDER(name_, raw_, probes_)                                                                              \
	.name = name_, .raw = raw_, .module = "vmlinux", .probes = probes_,                                         \
	.nprobes = sizeof(probes_) / sizeof((probes_)[0]), .packet_ends = &packet_ends, .shared = netfilter_stamps, \
	.nshared = NETFILTER_STAMPS
#define STAMPED(stamps_) .stamps = stamps_, .nstamps = sizeof(stamps_) / sizeof((stamps_)[0])

/* A name of another system's probe, or a pattern (fnmatch), and why dwire has no such probe. */
struct refusal {
	const char *name, *why;
};
/* The reason of the first of n refusals that matches the name, or NULL. For the member refuses of a provider. */
const char *refusal_of(const struct refusal *v, size_t n, const char *name);

/* Stability of names, of data, and dependency class: STABILITY(EVOLVING, EVOLVING, ISA). */
#define STABILITY(name_, data_, class_)                    \
	{                                                  \
		STAB_##name_, STAB_##data_, CLASS_##class_ \
	}
#define STABILITY_PRIVATE STABILITY(PRIVATE, PRIVATE, UNKNOWN)
#endif
