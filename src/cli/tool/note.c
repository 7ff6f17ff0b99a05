/* SPDX-License-Identifier: GPL-2.0-or-later */
/* note: see note.h.
 * Input: the options; devices and queues of our network namespace; running containers; loaded kernel modules. Output:
 * one line for each option that matches nothing at the moment.
 * Invariant: only a missing module stops the tool. A device may be in another namespace, or be added later. */
#include "cli/tool/note.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "api/dwire.h"
#include "base/diag/nearest.h"
#include "cli/tool/list.h"

#define MAX_NAMES 32
#define NAME_ROOM 64                            /* names of containers are cut to this, those of devices are shorter */
#define LIST_SIZE (MAX_NAMES * (NAME_ROOM + 1)) /* "a, b, c" */

struct names {
	char v[MAX_NAMES][NAME_ROOM];
	size_t n;
};

/* Is the name in the set? */
static bool names_have(const struct names *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->v[i], name))
			return true;
	return false;
}

/* Names beyond MAX_NAMES are left out: the sets serve messages. */
static void names_add(struct names *s, const char *name)
{
	if (s->n < MAX_NAMES && !names_have(s, name))
		snprintf(s->v[s->n++], NAME_ROOM, "%s", name);
}

static const char *names_nearest(const struct names *s, const char *name)
{
	const char *v[MAX_NAMES + 1] = { 0 };

	for (size_t i = 0; i < s->n; i++)
		v[i] = s->v[i];
	return nearest_name(name, v);
}

/* "a, b, c", in the LIST_SIZE bytes of out. */
static const char *names_list(const struct names *s, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < s->n; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", s->v[i]);
	return out;
}

/* The text of a parameter, which has been converted to a D string. False: it was not given. */
static bool value_of(struct tool *t, const char *name, char *out, size_t size)
{
	const struct param *p = tool_param(t, name);

	if (!p || !p->given || p->kind != PARAM_STRING || strlen(p->value) < 3)
		return false;
	snprintf(out, size, "%.*s", (int)strlen(p->value) - 2, p->value + 1);
	return true;
}

/* A device that does not exist here is worth a note, not an error: it may belong to another namespace. */
static void note_device(struct tool *t)
{
	char device[256];
	struct if_nameindex *all;
	struct names here = { .n = 0 };
	const char *near;

	if (!value_of(t, "device", device, sizeof(device)) || if_nametoindex(device))
		return;
	all = if_nameindex();
	for (const struct if_nameindex *i = all; i && i->if_name; i++)
		names_add(&here, i->if_name);
	if_freenameindex(all);
	near = names_nearest(&here, device);
	message(&t->own, "no device %s in this network namespace%s%s%s", device, near ? ": did you mean " : "",
		near ? near : "", near ? "?" : "");
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */
/* Returns false after the last message of the dump. */
static bool add_kind(struct names *s, const struct nlmsghdr *h)
{
	const struct tcmsg *tc = NLMSG_DATA(h);
	const struct rtattr *a = (const struct rtattr *)((const char *)tc + NLMSG_ALIGN(sizeof(*tc)));
	size_t left = h->nlmsg_len - NLMSG_SPACE(sizeof(*tc));

	if (h->nlmsg_type != RTM_NEWQDISC || h->nlmsg_len < NLMSG_SPACE(sizeof(*tc)))
		return false;
	for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
		if (a->rta_type == TCA_KIND)
			names_add(s, RTA_DATA(a));
	return true;
}

/* The kinds of queues of the devices in our namespace; empty if the kernel does not report them. */
static void kinds_here(struct names *s)
{
	struct {
		struct nlmsghdr h;
		struct tcmsg tc;
	} ask = {
		.h = { .nlmsg_len = sizeof(ask), .nlmsg_type = RTM_GETQDISC, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP }
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	union {
		struct nlmsghdr h;
		char bytes[32768];
	} got;
	bool more = fd >= 0 && send(fd, &ask, sizeof(ask), 0) == (ssize_t)sizeof(ask);

	while (more) {
		ssize_t n = recv(fd, &got, sizeof(got), 0);
		unsigned left = n > 0 ? (unsigned)n : 0;

		more = NLMSG_OK(&got.h, left);
		for (const struct nlmsghdr *h = &got.h; more && NLMSG_OK(h, left); h = NLMSG_NEXT(h, left))
			more = add_kind(s, h);
	}
	if (fd >= 0)
		close(fd);
}

/* The tools qdisc-KIND have the kind in their name, others in an option. */
static void note_queue(struct tool *t)
{
	char kind[256] = "", list[LIST_SIZE];
	struct names here = { .n = 0 };

	if (!strncmp(t->name, "qdisc-", 6))
		snprintf(kind, sizeof(kind), "%s", t->name + 6);
	else if (!value_of(t, "kind", kind, sizeof(kind)))
		return;
	kinds_here(&here);
	if (!here.n || names_have(&here, kind))
		return;
	message(&t->own, "no device in this network namespace has a queue of the kind %s; they have %s", kind,
		names_list(&here, list, sizeof(list)));
}

/* ---- containers -------------------------------------------------------------------------------------------------- */
struct looking {
	const char *for_what; /* a container, by name or first digits of its id; a pod, NAME or NAMESPACE/NAME */
	bool pod, found;
	struct names here;
};

static void look(void *ctx, const struct dwire_container_names *c)
{
	struct looking *l = ctx;
	const char *slash = strchr(l->for_what, '/'), *id = l->for_what;
	size_t n = strlen(id) < strlen(c->id) ? strlen(id) : strlen(c->id);

	if (!l->pod) {
		names_add(&l->here, *c->name ? c->name : c->id);
		l->found |= !strcmp(c->name, l->for_what) || !strncmp(c->id, id, n);
	} else if (*c->pod) {
		names_add(&l->here, c->pod);
		l->found |= !strcmp(c->pod, slash ? slash + 1 : l->for_what) &&
			(!slash ||
				(strlen(c->pod_namespace) == (size_t)(slash - l->for_what) &&
					!strncmp(c->pod_namespace, l->for_what, (size_t)(slash - l->for_what))));
	}
}

/* Reports each container or pod of an option that is not running. It may start later. */
static void note_containers(struct tool *t, const char *option, bool pod)
{
	const struct param *p = tool_param(t, option);
	struct list_item item;
	char running[LIST_SIZE];

	for (const char *rest = p && p->given ? p->value : NULL; rest;) {
		struct looking l = { .for_what = item.text, .pod = pod };

		rest = list_next(rest, &item);
		if (!item.text[0])
			continue;
		dwire_containers(look, &l);
		if (!l.found)
			message(&t->own, "no %s %s is running yet%s%s", pod ? "pod" : "container", item.text,
				l.here.n ? "; running: " : "", names_list(&l.here, running, sizeof(running)));
	}
}

/* Without /sys/module (a container) nothing is known, and the module counts as loaded. */
static bool module_missing(const struct tool *t)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/module/%s", t->module);
	return t->module[0] && !access("/sys/module", F_OK) && access(path, F_OK);
}

bool tool_note(struct tool *t)
{
	const struct param *p = tool_param(t, "tool_netns");

	if (module_missing(t)) {
		message(&t->own,
			"nothing to trace: the kernel's module %s is not loaded; load it with a device's driver or "
			"with "
			"modprobe %s",
			t->module, t->module);
		return false;
	}
	note_containers(t, "tool_container", false);
	note_containers(t, "tool_pod", true);
	if (p && p->given)
		return true;
	note_device(t);
	note_queue(t);
	return true;
}
