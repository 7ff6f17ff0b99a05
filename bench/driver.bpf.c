/* SPDX-License-Identifier: GPL-2.0-or-later */
/* driver: by hand, what nettxlat shows: how long devices have packets, as powers of two of microseconds. */
#include "kern.h"
#include "powers.h"

BUFFERS(given);
POWERS(times);

#define DONE buffer_ends(&given, &times, args[0], 1000)

AT_TRACEPOINT(net_dev_start_xmit, buffer_note(&given, args[0]))
AT_TRACEPOINT(consume_skb, DONE)
AT_TRACEPOINT(kfree_skb, DONE)
AT_TRACEPOINT(net_dev_queue, DONE)
AT_TRACEPOINT(netif_rx_entry, DONE)
AT_TRACEPOINT(netif_receive_skb_entry, DONE)
AT_TRACEPOINT(napi_gro_receive_entry, DONE)

char LICENSE[] SEC("license") = "GPL";
