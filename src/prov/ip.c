/* ip: packets that IP sends and receives, the hooks tier. Sent: those of sockets by cgroup_skb; the rest (forwarded,
 * and what the kernel sends without a socket) when they go to a device. Received: when a device delivers them to IP. A
 * packet that crosses a bridge, a bond, a VLAN or a veth pair on its way counts once in each direction and
 * namespace. */
#include "prov/all.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "ipv4info_t *",
	"ipv6info_t *", NULL };

static const struct site send_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .sees = "packets of sockets" },
	{ .attach = ATTACH_TP_BTF,
		.target = "net_dev_queue",
		.nargs = 1,
		.native = "dw_devqueue",
		.bh_off = true,
		.when = "(P->skb->sk == 0 || P->skb->sk->__sk_common.skc_state == 6 ||"
			" (P->skb->protocol == 0xdd86 && P->skb->sk->__sk_common.skc_state != 12 && P->skb->skb_iif == "
			"0 &&"
			" P->proto == 6 && ((ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> 16) & 0x14) == 4)) &&"
			" (P->skb->protocol == 0x0008 || P->skb->protocol == 0xdd86) && " FIRST_DEVICE,
		.sees = "packets that no socket sent: forwarded ones, resets, TIME_WAIT" },
};
static const struct site receive_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "netif_receive_skb",
		.nargs = 1,
		.native = "dw_devrecv",
		.bh_off = true,
		.when = "(P->skb->protocol == 0x0008 || P->skb->protocol == 0xdd86) &&"
			" (P->dev->priv_flags & 0x2200) == 0 && (P->skb->pkt_type != 3 || (P->dev->priv_flags & 0x100) "
			"!= 0)",
		.sees = "packets that a device delivers to IP" },
};

static const struct probe_def probes[] = {
	{ "send", args, send_sites, 2, "IP sends a packet" },
	{ "receive", args, receive_sites, 1, "IP receives a packet" },
};

const struct provider ip_provider = {
	.name = "ip",
	.raw = "dw_pkt",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = 2,
};
