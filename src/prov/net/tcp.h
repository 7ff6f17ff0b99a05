/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp: declarations shared by the files of the tcp provider: the sites of tcp_events.c, which tcp.c puts into its
 * table. The lengths are part of the declarations because TABLE() needs them. */
#ifndef DWIRE_PROV_NET_TCP_H
#define DWIRE_PROV_NET_TCP_H
#include "prov/net/functions.h"
#include "prov/provider.h"

extern const struct site tcp_retransmit_sites[9];
extern const struct site tcp_resend_sites[5];
extern const struct site tcp_drop_sites[6];
extern const struct site tcp_rto_sites[2];
extern const struct site tcp_congestion_sites[2];
extern const struct site tcp_reduced_sites[2];
extern const struct site tcp_zero_sent_sites[6];
extern const struct site tcp_zero_received_sites[2];
extern const struct site tcp_reset_sent_sites[6];
/* Where a reset is noted as it comes, in the hooks tier. */
#define TCP_RESET_COMES                                                                                           \
	{                                                                                                         \
		.attach = ATTACH_CGROUP_INGRESS, .native = "dw_cgin", .when = "dw_reset_comes[P]", .bh_off = true \
	}
extern const struct site tcp_reset_received_sites[2];
extern const struct site tcp_overflow_sites[4];
extern const struct site tcp_listen_drop_sites[6];
extern const struct site tcp_autoresize_sites[1];
extern const struct site tcp_siftr_sites[8];
extern const struct site tcp_input_sites[2];
extern const struct site tcp_output_sites[6];
extern const struct site tcp_user_sites[11];
extern const struct site tcp_write_sites[1];
extern const struct site tcp_pace_sites[1];
#endif
