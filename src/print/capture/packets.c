/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packets: see packets.h.
 * Input: values of pcap(), which may come from a stream and then be anything. Output: a packet with its comments.
 * Invariant: no value is trusted to be of the kind that pcap() records. */
#include "print/capture/packets.h"

#include <stdio.h>
#include <string.h>

#include "kernel/features.h"

#define MIX_FACTOR 0xbf58476d1ce4e5b9ull
#define COMMENTS 10
#define CLOCK_NS 100000000u

/* ---- values ------------------------------------------------------------------------------------------------------ */
static uint64_t number(const struct value *v)
{
	return v->kind == VALUE_INT ? v->i : 0;
}

/* The text of a member, without the NULs that follow it. */
static struct pcapng_comment text(const char *key, const struct value *v)
{
	bool is_text = v->kind == VALUE_TEXT;

	return (struct pcapng_comment){ key, v->s, is_text ? strnlen(v->s, v->len) : 0 };
}

static struct pcapng_comment plain(const char *key, const char *s)
{
	return (struct pcapng_comment){ key, s, strlen(s) };
}

uint64_t packets_time(struct packets *p, const struct record *r)
{
	if (!p->read || r->time > p->read + CLOCK_NS) {
		p->ahead = (uint64_t)features_walltime_offset();
		p->read = r->time;
	}
	return r->time + p->ahead;
}

void packets_probe(const struct record *r, char *buf, size_t size)
{
	const struct image_probe *p = r->probe;

	snprintf(buf, size, "%s:%s:%s:%s", p->prov, *p->func ? p->mod : "", p->func, p->name);
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */
/* Mixes n bytes, 8 at most, into h. */
static uint64_t mix(uint64_t h, const void *data, size_t n)
{
	uint64_t v = 0;

	memcpy(&v, data, n);
	h = (h ^ v) * MIX_FACTOR;
	return h ^ h >> 29;
}

/* A number that the packet has at each probe and in each of its clones: they share the buffer, whose memory is used
 * again for other packets, so that headers which no router changes count too: IPv4's id and the length, and what the
 * transport protocol begins with, but not ports and checksums, which address translation changes. */
uint64_t packets_id(uint64_t buffer, const uint8_t *d, size_t len, size_t whole)
{
	unsigned version = len ? d[0] >> 4 : 0;
	size_t th = version == 4 ? (size_t)(d[0] & 15) * 4 : 40;
	uint64_t h = mix(buffer * MIX_FACTOR, &whole, sizeof(whole));

	if (version == 4 && len >= 20)
		h = mix(h, d + 4, 2);
	if ((version == 4 || version == 6) && len >= th + 16) {
		h = mix(h, d + th + 4, 8); /* TCP: sequence numbers, flags, window; ICMP: id and number */
		h = mix(h, d + th + 12, 4);
	}
	return h ? h : 1;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */
static void describe(struct pcapng_packet *k, const struct value *v)
{
	struct pcapng_comment name = text(NULL, &v[CAPTURE_IFNAME]), zone = text(NULL, &v[CAPTURE_ZONE]);

	k->dev = (struct pcapng_device){ .index = (uint32_t)number(&v[CAPTURE_IFINDEX]),
		.netns = (uint32_t)number(&v[CAPTURE_NETNS]),
		.name = name.len ? name.s : "?",
		.name_len = name.len ? name.len : 1,
		.zone = zone.s,
		.zone_len = zone.len };
	k->way = number(&v[CAPTURE_RECV]) ? PCAPNG_WAY_IN : PCAPNG_WAY_OUT;
	k->protocol = (uint16_t)number(&v[CAPTURE_PROTOCOL]);
	k->data = (const uint8_t *)v[CAPTURE_BYTES].s;
	k->caplen = v[CAPTURE_BYTES].len < CAPTURE_MAX ? v[CAPTURE_BYTES].len : CAPTURE_MAX;
	k->len = (uint32_t)number(&v[CAPTURE_LEN]);
	k->id = packets_id(number(&v[CAPTURE_BUFFER]), k->data, k->caplen, k->len);
}

static int32_t owner_of(const struct value *v)
{
	return (int32_t)number(&v[CAPTURE_PID]);
}

const struct process_info *packets_owner(struct processes *p, const struct value *v)
{
	const struct pcapng_comment execname = text(NULL, &v[CAPTURE_EXECNAME]);
	const int32_t owner = owner_of(v);

	return owner > 0 ? process_find(p, (uint32_t)owner, execname.s, execname.len) : NULL;
}

/* Key names as ptcpdump has them, and some that it does not have. Without an owner there is no process to name. */
static size_t comments(
	struct processes *p, const struct value *v, size_t nvalues, char pid[16], struct pcapng_comment *c)
{
	const bool told = nvalues > CAPTURE_COUNT;
	const struct process_info *info = told ? NULL : packets_owner(p, v);
	size_t n = 0;

	if (owner_of(v) > 0) {
		snprintf(pid, 16, "%u", (unsigned)owner_of(v));
		c[n++] = plain("PID", pid);
		c[n++] = text("Cmd", &v[CAPTURE_EXECNAME]);
		c[n++] = told ? text("Args", &v[CAPTURE_ARGS]) : plain("Args", info->args);
		c[n++] = told ? text("Pod", &v[CAPTURE_POD]) : plain("Pod", info->pod);
	}
	c[n++] = text("Container", &v[CAPTURE_CONTAINER]);
	c[n++] = text("Runtime", &v[CAPTURE_RUNTIME]);
	if (number(&v[CAPTURE_DROPPED]))
		c[n++] = plain("Verdict", "drop");
	c[n++] = text("Reason", &v[CAPTURE_REASON]);
	return n;
}

bool packets_write(
	struct packets *p, struct pcapng *to, const struct record *r, const struct value *v, size_t n, uint64_t lost)
{
	struct pcapng_comment c[COMMENTS];
	struct pcapng_packet k = { .time = packets_time(p, r), .lost = lost, .comments = c };
	char pid[16], probe[256];
	int32_t tid = (int32_t)number(&v[CAPTURE_TID]);

	if (v[CAPTURE_BYTES].kind != VALUE_BYTES || !number(&v[CAPTURE_LEN]))
		return false;
	describe(&k, v);
	k.ncomments = comments(p->processes, v, n, pid, c);
	packets_probe(r, probe, sizeof(probe));
	c[k.ncomments++] = plain("Probe", probe);
	if (tid > 0) {
		k.pid = (uint32_t)number(&v[CAPTURE_PID]);
		k.tid = (uint32_t)tid;
	}
	pcapng_write(to, &k);
	return true;
}
