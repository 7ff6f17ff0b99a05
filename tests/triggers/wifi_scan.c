/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks a wireless interface to scan (nl80211), waits for the end, and says how it went.
 *
 * Input: the interface, the frequencies; with -a the scan is given up again after so many milliseconds.  Output: pid,
 * ifindex, channels, aborted=0|1, ms (from the request to the end).  Invariant: one scan.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

enum { MOST_FREQS = 64, ROOM = 4096 };

#define HEAD sizeof(struct nlattr)

static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

struct request {
	union {
		struct nlmsghdr h;
		char room[ROOM];
	} u;
};

struct wifi {
	int fd;
	uint16_t family;
	uint32_t group; /* multicast: scans */
	uint32_t ifindex;
};

static struct nlattr *put(struct request *r, uint16_t type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)(r->u.room + aligned(r->u.h.nlmsg_len));

	if (aligned(r->u.h.nlmsg_len) + HEAD + aligned(len) > ROOM)
		trig_die("%s", "the request is too long");
	a->nla_type = type;
	a->nla_len = (uint16_t)(HEAD + len);
	if (len)
		memcpy((char *)a + HEAD, data, len);
	r->u.h.nlmsg_len = (uint32_t)(aligned(r->u.h.nlmsg_len) + aligned(a->nla_len));
	return a;
}

static void end_nest(struct request *r, struct nlattr *a)
{
	a->nla_len = (uint16_t)(r->u.room + r->u.h.nlmsg_len - (char *)a);
}

static void begin(struct request *r, uint16_t family, uint8_t cmd)
{
	struct genlmsghdr *g = NLMSG_DATA(&r->u.h);

	memset(r, 0, sizeof(*r));
	r->u.h.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	r->u.h.nlmsg_type = family;
	r->u.h.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	g->cmd = cmd;
	g->version = 1;
}

static const struct nlattr *find(const char *at, size_t len, uint16_t type)
{
	while (len >= HEAD) {
		const struct nlattr *a = (const struct nlattr *)at;
		size_t step = aligned(a->nla_len);

		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		if (step < HEAD || step > len)
			break;
		at += step;
		len -= step;
	}
	return NULL;
}

/* The attributes of the family that the kernel tells of. */
static void take_family(struct wifi *w, const struct nlmsghdr *h)
{
	const char *at = (const char *)h + NLMSG_LENGTH(GENL_HDRLEN);
	size_t len = h->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN);
	const struct nlattr *id = find(at, len, CTRL_ATTR_FAMILY_ID), *groups = find(at, len, CTRL_ATTR_MCAST_GROUPS);

	if (!id || !groups)
		return;
	memcpy(&w->family, (const char *)id + HEAD, sizeof(w->family));
	at = (const char *)groups + HEAD;
	len = (size_t)groups->nla_len - HEAD;
	while (len >= HEAD) {
		const struct nlattr *g = (const struct nlattr *)at, *name, *number;
		size_t step = aligned(g->nla_len);

		name = find(at + HEAD, (size_t)g->nla_len - HEAD, CTRL_ATTR_MCAST_GRP_NAME);
		number = find(at + HEAD, (size_t)g->nla_len - HEAD, CTRL_ATTR_MCAST_GRP_ID);
		if (name && number && !strcmp((const char *)name + HEAD, NL80211_MULTICAST_GROUP_SCAN))
			memcpy(&w->group, (const char *)number + HEAD, sizeof(w->group));
		if (step < HEAD || step > len)
			break;
		at += step;
		len -= step;
	}
}

/* One message; 0: none came in time. */
static ssize_t receive(struct wifi *w, char *buf, int ms)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return 0;
	n = recv(w->fd, buf, ROOM, 0);
	if (n <= 0)
		trig_die("recv");
	return n;
}

/* Sends it and waits for the kernel's answer; what else comes meanwhile is an end of the scan. */
static int ask(struct wifi *w, const struct request *r, void (*each)(struct wifi *, const struct nlmsghdr *))
{
	char buf[ROOM] __attribute__((aligned(8)));

	if (send(w->fd, r, r->u.h.nlmsg_len, 0) < 0)
		trig_die("send");
	for (;;) {
		size_t n = (size_t)receive(w, buf, 5000);

		if (!n)
			trig_die("%s", "no answer");
		for (struct nlmsghdr *h = (struct nlmsghdr *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
			if (each)
				each(w, h);
		}
	}
}

static void open_family(struct wifi *w)
{
	struct request r;

	w->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (w->fd < 0)
		trig_die("socket");
	begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	put(&r, CTRL_ATTR_FAMILY_NAME, NL80211_GENL_NAME, sizeof(NL80211_GENL_NAME));
	(void)ask(w, &r, take_family);
	if (!w->family || !w->group)
		trig_die("%s", "there is no nl80211");
	if (setsockopt(w->fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &w->group, sizeof(w->group)))
		trig_die("NETLINK_ADD_MEMBERSHIP");
}

static void start(struct wifi *w, char *const *freqs, int nfreqs, bool listens)
{
	struct nlattr *list;
	struct request r;
	int err;

	begin(&r, w->family, NL80211_CMD_TRIGGER_SCAN);
	put(&r, NL80211_ATTR_IFINDEX, &w->ifindex, sizeof(w->ifindex));
	list = put(&r, NL80211_ATTR_SCAN_FREQUENCIES | NLA_F_NESTED, NULL, 0);
	for (int i = 0; i < nfreqs; i++) {
		uint32_t f = (uint32_t)trig_number(freqs[i], 1, 100000);

		put(&r, (uint16_t)(i + 1), &f, sizeof(f));
	}
	end_nest(&r, list);
	if (!listens) {
		list = put(&r, NL80211_ATTR_SCAN_SSIDS | NLA_F_NESTED, NULL, 0);
		put(&r, 1, NULL, 0); /* whatever its name */
		end_nest(&r, list);
	}
	err = ask(w, &r, NULL);
	if (err) {
		errno = -err;
		trig_die("NL80211_CMD_TRIGGER_SCAN");
	}
}

static void give_up(struct wifi *w)
{
	struct request r;

	begin(&r, w->family, NL80211_CMD_ABORT_SCAN);
	put(&r, NL80211_ATTR_IFINDEX, &w->ifindex, sizeof(w->ifindex));
	r.u.h.nlmsg_flags = NLM_F_REQUEST; /* the answer would come between others */
	if (send(w->fd, &r, r.u.h.nlmsg_len, 0) < 0)
		trig_die("NL80211_CMD_ABORT_SCAN");
}

/* Until the scan ends: was it given up? */
static bool wait_end(struct wifi *w)
{
	char buf[ROOM] __attribute__((aligned(8)));

	for (;;) {
		size_t n = (size_t)receive(w, buf, 60000);

		if (!n)
			trig_die("%s", "the scan does not end");
		for (struct nlmsghdr *h = (struct nlmsghdr *)buf; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			const struct genlmsghdr *g = NLMSG_DATA(h);

			if (h->nlmsg_type == w->family &&
				(g->cmd == NL80211_CMD_NEW_SCAN_RESULTS || g->cmd == NL80211_CMD_SCAN_ABORTED))
				return g->cmd == NL80211_CMD_SCAN_ABORTED;
		}
	}
}

int main(int argc, char **argv)
{
	static const char usage[] = "  -i IF      the interface (wlan0)\n"
				    "  -l         only listen: no probe requests\n"
				    "  -a MS      give it up after so many milliseconds\n"
				    "  FREQUENCY...\n";
	const char *ifname = "wlan0";
	unsigned abort_ms = 0;
	struct wifi w = { .fd = -1 };
	bool listens = false, aborted;
	struct timespec from, to;
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "i:la:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'i')
			ifname = optarg;
		else if (c == 'l')
			listens = true;
		else if (c == 'a')
			abort_ms = (unsigned)trig_number(optarg, 1, 10000);
		else
			return 2;
	}
	trig_start(&t);
	w.ifindex = if_nametoindex(ifname);
	if (!w.ifindex)
		trig_die("no interface %s", ifname);
	if (argc == optind || argc - optind > MOST_FREQS)
		trig_die("%s", "give 1 to 64 frequencies");
	open_family(&w);
	trig_set_name("dw_scan");
	trig_wait(&t);
	clock_gettime(CLOCK_MONOTONIC, &from);
	start(&w, argv + optind, argc - optind, listens);
	if (abort_ms) {
		trig_sleep(abort_ms);
		give_up(&w);
	}
	aborted = wait_end(&w);
	clock_gettime(CLOCK_MONOTONIC, &to);
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("ifindex", "%u", w.ifindex);
	trig_kv("channels", "%d", argc - optind);
	trig_kv("aborted", "%d", aborted);
	trig_kv("ms", "%lld", (long long)(to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000);
	return 0;
}
