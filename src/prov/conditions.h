/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conditions: which packets a place of the kernel shows that a probe wants: D expressions over P, a struct dw_pkt. */
#ifndef DWIRE_PROV_CONDITIONS_H
#define DWIRE_PROV_CONDITIONS_H

/* At net_dev_queue: the packet's first device, not a lower one of a stack that it crosses (port of a bridge 0x200 or
 * team 0x2000, slave of a bond 0x800, real device of a VLAN, lower device of a macvlan, which keeps its own source
 * address). Devices other than Ethernet (type 1) are never lower ones with the same packet. */
#define FIRST_DEVICE                                                                                                  \
	"(P->dev->priv_flags & (DW_IFF_BRIDGE_PORT | DW_IFF_TEAM_PORT)) == 0 && (P->dev->flags & DW_IFF_SLAVE) == 0 " \
	"&& (__has(P->skb->vlan_all) ? "                                                                              \
	"P->skb->vlan_all : P->skb->vlan_tci) == 0 &&"                                                                \
	" (P->dev->type != DW_ARPHRD_ETHER || P->mac_source == P->mac_device)"

/* At kfree_skb: an IP packet whose header is known; and not a later fragment, so that a transport header follows. */
#define IP_HEADER                                                                    \
	"(P->skb->protocol == DW_ETH_P_IP ? ((struct iphdr *)P->nh)->version == 4 :" \
	" P->skb->protocol == DW_ETH_P_IPV6 && ((struct ipv6hdr *)P->nh)->version == 6)"
#define IP_FREED \
	IP_HEADER " && (P->skb->protocol != DW_ETH_P_IP || (((struct iphdr *)P->nh)->frag_off & DW_IP_OFFSET) == 0)"

/* The outer packet of a tunnel: it still has the socket of the inner one, whose headers are kept. */
#define WRAPPED "(P->skb->inner_network_header != 0 && P->skb->inner_network_header != P->skb->network_header)"

/* At net_dev_queue: what the hook of the sockets does not see. */
#define IP_QUEUED                                                                                                \
	"(P->skb->sk == 0 || P->skb->sk->__sk_common.skc_state == DW_TCP_TIME_WAIT || " WRAPPED " ||"            \
	" (P->skb->protocol == DW_ETH_P_IPV6 && P->skb->sk->__sk_common.skc_state != DW_TCP_NEW_SYN_RECV && "    \
	"P->skb->skb_iif == "                                                                                    \
	"0 &&"                                                                                                   \
	" P->proto == DW_IPPROTO_TCP && ((ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> 16) & (DW_TH_RST | " \
	"DW_TH_ACK)) == DW_TH_RST)) &&"                                                                          \
	" (P->skb->protocol == DW_ETH_P_IP || P->skb->protocol == DW_ETH_P_IPV6) && " FIRST_DEVICE

/* At netif_receive_skb: for IP, and not a port of a bridge or team, nor for somebody else. */
#define IP_RECEIVED                                                                                     \
	"(P->skb->protocol == DW_ETH_P_IP || P->skb->protocol == DW_ETH_P_IPV6) &&"                     \
	" (P->dev->priv_flags & (DW_IFF_BRIDGE_PORT | DW_IFF_TEAM_PORT)) == 0 && (P->skb->pkt_type != " \
	"DW_PACKET_OTHERHOST || (P->dev->priv_flags & DW_IFF_MACVLAN_PORT) "                            \
	"!= 0)"

/* IPv4 marks what it forwards in the packet's control block, and a tunnel clears the mark of what it wraps. IPv6
 * does not: there a packet that came in and goes out is meant, but for a tunnel's outer one. */
#define IP_FORWARDED                                                                  \
	"P->skb->skb_iif != 0 && (P->skb->protocol == DW_ETH_P_IP ?"                  \
	" (((struct inet_skb_parm *)&P->skb->cb)->flags & DW_IPSKB_FORWARDED) != 0 :" \
	" P->skb->protocol == DW_ETH_P_IPV6 && !" WRAPPED ") && " FIRST_DEVICE

/* An active open: accepted sockets keep the index of the interface that their SYN came in by, others have 0. */
#define ACTIVE_SOCK                                                                                   \
	"(P->sk->__sk_common.skc_family == DW_AF_INET ? ((struct inet_sock *)P->sk)->mc_index == 0 :" \
	" ((struct inet_sock *)P->sk)->pinet6->mcast_oif == 0)"
#endif
