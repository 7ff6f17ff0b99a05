/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng: see pcapng.h.
 * Input: packets. Output: blocks of pcapng in the byte order of this machine.
 * Invariants: a block is complete in memory before it is written; no text of a packet can end an option early, and all
 * text is valid UTF-8. Without memory for a block, it is left out and counted as lost.
 * Source: draft-ietf-opsawg-pcapng; for the log entries https://systemd.io/JOURNAL_EXPORT_FORMATS. */
#include "print/capture/pcapng.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_arp.h>
#include <linux/if_packet.h>
#include <stdlib.h>

#include "base/escape.h"
#include "image/image.h"

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_STATISTICS 5u
#define BLOCK_PACKET 6u
#define BLOCK_JOURNAL 9u
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
/* What "tcpdump -i any" writes: a head with device and direction, then the IP header. libpcap 1.10 refuses a second
 * interface of LINKTYPE_RAW, as it compares the file's number (101) with its own (12). */
#define LINKTYPE_LINUX_SLL2 276u
#define SLL2_LEN 20u
#define TEXT_MAX 2048u /* bytes of an untrusted text; longer ones are cut. Escaped, they fit an option (64 KiB) */
#define NAME_ROOM 16   /* of a device */
#define LEAN_MAX 1024u /* interfaces, of which one is looked for at most ten times a second */

enum option { OPT_END, OPT_COMMENT, OPT_IF_NAME, OPT_IF_DESCRIPTION, OPT_SHB_USERAPPL, OPT_IF_TSRESOL = 9 };
enum packet_option { OPT_FLAGS = 2, OPT_DROPCOUNT = 4, OPT_PACKETID = 5, OPT_PROCESS = 8 };
enum stats_option { OPT_ISB_IFRECV = 4, OPT_ISB_IFDROP = 5 };

struct interface {
	uint32_t index, netns;
	char name[NAME_ROOM];
	char *about; /* owned: comments of all its packets, a line each; NULL: each packet has its own */
	uint64_t packets, lost, last;
};

struct pcapng {
	struct out *out; /* borrowed */
	uint64_t size;
	struct interface *interfaces;
	size_t n, cap;
	uint8_t *buf; /* the block */
	size_t len, room;
	bool failed;        /* no memory for this block */
	bool lean;          /* interfaces have the comments of their packets */
	uint64_t section;   /* a number; pcapng_begin() begins another */
	uint32_t interface; /* of the block, if it is a packet's; else UINT32_MAX */
	size_t tail, id;    /* likewise: where its options begin, and where the packet id is; 0: it has none */
	uint64_t left_out;
	FILE *esc; /* escapes texts into esc_buf */
	char *esc_buf;
	size_t esc_len;
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
static void put(struct pcapng *p, const void *data, size_t n)
{
	if (p->len + n > p->room) {
		size_t room = (p->len + n) * 2 + 256;
		uint8_t *more = p->failed ? NULL : realloc(p->buf, room);

		p->failed |= !more;
		if (!more)
			return;
		p->buf = more;
		p->room = room;
	}
	if (n)
		memcpy(p->buf + p->len, data, n);
	p->len += n;
}

static void put32(struct pcapng *p, uint32_t v)
{
	put(p, &v, sizeof(v));
}

/* Blocks and options are padded to multiples of 4 bytes. */
static void pad(struct pcapng *p, size_t n)
{
	put(p, "\0\0\0", (4 - n % 4) % 4);
}

static void put_time(struct pcapng *p, uint64_t ns)
{
	put32(p, (uint32_t)(ns >> 32));
	put32(p, (uint32_t)ns);
}

static void put_option(struct pcapng *p, unsigned code, const void *data, size_t n)
{
	const uint16_t head[2] = { (uint16_t)code, (uint16_t)n };

	put(p, head, sizeof(head));
	put(p, data, n);
	pad(p, n);
}

static void put_option64(struct pcapng *p, unsigned code, uint64_t v)
{
	put_option(p, code, &v, sizeof(v));
}

static bool is_plain(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < ' ' || s[i] > '~')
			return false;
	return true;
}

/* Escapes a text, if need be: bytes that are no UTF-8 become ASCII. A long one is cut. */
static const char *safe_text(struct pcapng *p, const char *s, size_t *len)
{
	long end;

	*len = *len < TEXT_MAX ? *len : TEXT_MAX;
	if (is_plain(s, *len))
		return s;
	rewind(p->esc);
	escape_print(p->esc, s, *len, ESCAPE_ALL);
	end = ftell(p->esc);
	*len = end > 0 && !fflush(p->esc) ? (size_t)end : 0;
	return p->esc_buf;
}

/* "key: text" */
static void put_text(struct pcapng *p, unsigned code, const char *key, const char *s, size_t len)
{
	size_t nkey = key ? strlen(key) : 0, n;
	const char *text = safe_text(p, s, &len);
	uint16_t head[2];

	n = len + (key ? nkey + 2 : 0);
	head[0] = (uint16_t)code;
	head[1] = (uint16_t)n;
	put(p, head, sizeof(head));
	if (key) {
		put(p, key, nkey);
		put(p, ": ", 2);
	}
	put(p, text, len);
	pad(p, n);
}

/* The length, which stands before and behind a block, is filled in at its end. */
static void block_begin(struct pcapng *p, uint32_t type)
{
	p->len = 0;
	p->interface = UINT32_MAX;
	p->id = 0;
	p->failed = false;
	put32(p, type);
	put32(p, 0);
}

/* A block that the buffer of the out has no room for begins a new one: a write that fails has cut no block. */
static void block_end(struct pcapng *p)
{
	uint32_t len;

	put32(p, 0);
	if (p->failed) {
		p->left_out++;
		return;
	}
	len = (uint32_t)p->len;
	memcpy(p->buf + 4, &len, sizeof(len));
	memcpy(p->buf + len - 4, &len, sizeof(len));
	if (p->out->n + len > OUT_SIZE)
		(void)!out_flush(p->out); /* an error stays in the out */
	out_bytes(p->out, (const char *)p->buf, len);
	p->size += len;
}

static void section(struct pcapng *p)
{
	const uint16_t version[2] = { 1, 0 };

	block_begin(p, BLOCK_SECTION);
	put32(p, BYTE_ORDER_MAGIC);
	put(p, version, sizeof(version));
	put32(p, UINT32_MAX); /* the section's length is not known */
	put32(p, UINT32_MAX);
	put_option(p, OPT_SHB_USERAPPL, "dwire", 5);
	put32(p, OPT_END);
	block_end(p);
}

/* "eth0" in the machine's first namespace, "eth0@web" in another. */
static void put_name(struct pcapng *p, const struct pcapng_device *dev)
{
	char name[300];
	size_t skip = dev->zone_len && *dev->zone == '@';
	bool first = !dev->zone_len || (dev->zone_len == 6 && !memcmp(dev->zone, "global", 6));
	int n = snprintf(name, sizeof(name), "%.*s%s%.*s", (int)dev->name_len, dev->name, first ? "" : "@",
		first ? 0 : (int)(dev->zone_len - skip), dev->zone + skip);

	put_text(p, OPT_IF_NAME, NULL, name, n > 0 && (size_t)n < sizeof(name) ? (size_t)n : sizeof(name) - 1);
}

/* "netns: NAME", then the comments. */
static void put_description(struct pcapng *p, const struct pcapng_device *dev, const char *about)
{
	const size_t from = p->len;
	uint16_t len;

	put_text(p, OPT_IF_DESCRIPTION, "netns", dev->zone, dev->zone_len);
	if (p->failed || !about || !*about)
		return;
	memcpy(&len, p->buf + from + 2, sizeof(len));
	p->len = from + 4 + len;
	put(p, "\n", 1);
	put(p, about, strlen(about));
	len = (uint16_t)(p->len - from - 4);
	pad(p, len);
	if (!p->failed)
		memcpy(p->buf + from + 2, &len, sizeof(len));
}

/* One snap length for all interfaces: readers that know only one take the first. */
static void interface_block(struct pcapng *p, const struct pcapng_device *dev, const char *about)
{
	const uint16_t link[2] = { LINKTYPE_LINUX_SLL2, 0 };
	const uint8_t nanoseconds = 9;

	block_begin(p, BLOCK_INTERFACE);
	put(p, link, sizeof(link));
	put32(p, CAPTURE_MAX + SLL2_LEN);
	put_name(p, dev);
	put_description(p, dev, about);
	put_option(p, OPT_IF_TSRESOL, &nanoseconds, 1);
	put32(p, OPT_END);
	block_end(p);
}

/* ---- interfaces -------------------------------------------------------------------------------------------------- */
static bool same_interface(const struct interface *i, const struct pcapng_device *dev, const char *about)
{
	return i->index == dev->index && i->netns == dev->netns && strlen(i->name) == dev->name_len &&
		!memcmp(i->name, dev->name, dev->name_len) && !i->about == !about &&
		(!about || !strcmp(i->about, about));
}

static bool more_interfaces(struct pcapng *p)
{
	struct interface *more;

	if (p->n < p->cap)
		return true;
	more = reallocarray(p->interfaces, p->cap * 2 + 8, sizeof(*more));
	if (!more)
		return false;
	p->interfaces = more;
	p->cap = p->cap * 2 + 8;
	return true;
}

/* A device that was renamed, or another that took its number, is a new interface. about is kept, or freed. NULL: no
 * memory. */
static struct interface *interface_of(struct pcapng *p, struct pcapng_device *dev, char *about)
{
	struct interface *i;

	if (dev->name_len >= NAME_ROOM)
		dev->name_len = NAME_ROOM - 1;
	for (size_t k = 0; k < p->n; k++)
		if (same_interface(&p->interfaces[k], dev, about)) {
			free(about);
			return &p->interfaces[k];
		}
	if (!more_interfaces(p)) {
		free(about);
		return NULL;
	}
	i = &p->interfaces[p->n++];
	*i = (struct interface){ .index = dev->index, .netns = dev->netns, .about = about };
	memcpy(i->name, dev->name, dev->name_len);
	interface_block(p, dev, about);
	return i;
}

/* The comments as lines; escaped, no text has a line break. NULL: no memory, or too many interfaces: the packet has
 * them itself. */
static char *about_of(struct pcapng *p, const struct pcapng_packet *k)
{
	char *about = NULL;
	size_t size = 0;
	FILE *f = p->n < LEAN_MAX ? open_memstream(&about, &size) : NULL;

	for (size_t i = 0; f && i < k->ncomments; i++) {
		const struct pcapng_comment *c = &k->comments[i];
		size_t len = c->len;
		const char *s = safe_text(p, c->s, &len);

		if (len)
			fprintf(f, "%s%s: %.*s", ftell(f) ? "\n" : "", c->key, (int)len, s);
	}
	if (f && fclose(f)) {
		free(about);
		about = NULL;
	}
	return about;
}

static void forget_interfaces(struct pcapng *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->interfaces[i].about);
	p->n = 0;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */
static void packet_options(struct pcapng *p, const struct pcapng_packet *k, bool bare)
{
	const uint32_t flags = (uint32_t)k->way, process[2] = { k->pid, k->tid };

	for (size_t i = 0; !bare && i < k->ncomments; i++)
		if (k->comments[i].len)
			put_text(p, OPT_COMMENT, k->comments[i].key, k->comments[i].s, k->comments[i].len);
	if (flags)
		put_option(p, OPT_FLAGS, &flags, sizeof(flags));
	if (k->lost)
		put_option64(p, OPT_DROPCOUNT, k->lost);
	p->id = k->id && !k->lost ? p->len + 4 : 0;
	if (k->id)
		put_option64(p, OPT_PACKETID, k->id);
	if (k->pid && !bare)
		put_option(p, OPT_PROCESS, process, sizeof(process));
	put32(p, OPT_END);
}

/* The head that stands before the IP header. */
static void put_sll2(struct pcapng *p, const struct pcapng_packet *k)
{
	const uint16_t protocol[2] = { htons(k->protocol), 0 };
	const uint16_t type = htons(ARPHRD_NONE);
	const uint8_t way[10] = { k->way == PCAPNG_WAY_OUT ? PACKET_OUTGOING : PACKET_HOST };

	put(p, protocol, sizeof(protocol));
	put32(p, htonl(k->dev.index));
	put(p, &type, sizeof(type));
	put(p, way, sizeof(way)); /* and an address of no bytes */
}

void pcapng_write(struct pcapng *p, const struct pcapng_packet *k)
{
	struct pcapng_device dev = k->dev;
	struct interface *i = interface_of(p, &dev, p->lean ? about_of(p, k) : NULL);
	size_t len = k->len > k->caplen ? k->len : k->caplen;

	if (!i) {
		p->left_out++;
		return;
	}
	i->packets++;
	i->lost += k->lost;
	i->last = k->time;
	block_begin(p, BLOCK_PACKET);
	put32(p, (uint32_t)(i - p->interfaces));
	put_time(p, k->time);
	put32(p, SLL2_LEN + (uint32_t)k->caplen);
	put32(p, SLL2_LEN + (uint32_t)len);
	put_sll2(p, k);
	put(p, k->data, k->caplen);
	pad(p, k->caplen);
	p->tail = p->len;
	packet_options(p, k, i->about);
	block_end(p);
	p->interface = (uint32_t)(i - p->interfaces);
}

bool pcapng_mould(const struct pcapng *p, struct pcapng_mould *m)
{
	size_t len = p->len - p->tail;

	if (p->interface == UINT32_MAX || p->failed || !p->id)
		return false;
	if (len > m->room) {
		uint8_t *more = realloc(m->tail, len);

		if (!more)
			return false;
		m->tail = more;
		m->room = len;
	}
	memcpy(m->head, p->buf, sizeof(m->head));
	memcpy(m->tail, p->buf + p->tail, len);
	m->len = len;
	m->id = p->id - p->tail;
	m->section = p->section;
	m->interface = p->interface;
	return true;
}

/* Written straight into the buffer of the out. */
bool pcapng_again(struct pcapng *p, const struct pcapng_mould *m, const struct pcapng_like *k)
{
	const size_t padded = (k->caplen + 3) & ~(size_t)3, size = PCAPNG_HEAD + padded + m->len;
	const uint32_t numbers[] = { (uint32_t)size, m->interface, (uint32_t)(k->time >> 32), (uint32_t)k->time,
		SLL2_LEN + (uint32_t)k->caplen, SLL2_LEN + (uint32_t)(k->len > k->caplen ? k->len : k->caplen) };
	struct interface *i = &p->interfaces[m->interface];
	char *to;

	if (m->section != p->section || size > OUT_SIZE)
		return false;
	to = out_room(p->out, size);
	memcpy(to, m->head, PCAPNG_HEAD);
	memcpy(to + 4, numbers, sizeof(numbers));
	memset(to + PCAPNG_HEAD + padded - 4, 0, padded ? 4 : 0);
	memcpy(to + PCAPNG_HEAD, k->data, k->caplen);
	to += PCAPNG_HEAD + padded;
	memcpy(to, m->tail, m->len);
	memcpy(to + m->id, &k->id, sizeof(k->id));
	memcpy(to + m->len - 4, numbers, 4);
	out_upto(p->out, to + m->len);
	p->size += size;
	i->packets++;
	i->last = k->time;
	return true;
}

/* Fields of the journal's export format, a line each; the text is escaped, so that it has no line break. */
void pcapng_log(struct pcapng *p, uint64_t time, const char *probe, const char *s, size_t len)
{
	char head[256];
	const char *text;
	int n = snprintf(head, sizeof(head),
		"__REALTIME_TIMESTAMP=%" PRIu64 "\nSYSLOG_IDENTIFIER=dwire\nPRIORITY=6\nDWIRE_PROBE=%.100s\nMESSAGE=",
		time / 1000, probe);
	size_t from;

	block_begin(p, BLOCK_JOURNAL);
	from = p->len;
	put(p, head, (size_t)n);
	text = safe_text(p, s, &len);
	put(p, text, len);
	put(p, "\n", 1);
	pad(p, p->len - from);
	block_end(p);
}

void pcapng_end(struct pcapng *p, uint64_t lost)
{
	for (size_t k = 0; k < p->n; k++) {
		const struct interface *i = &p->interfaces[k];
		uint64_t more = k ? 0 : lost + p->left_out;

		block_begin(p, BLOCK_STATISTICS);
		put32(p, (uint32_t)k);
		put_time(p, i->last);
		put_option64(p, OPT_ISB_IFRECV, i->packets + i->lost + more);
		put_option64(p, OPT_ISB_IFDROP, i->lost + more);
		put32(p, OPT_END);
		block_end(p);
	}
}

uint64_t pcapng_size(const struct pcapng *p)
{
	return p->size;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
void pcapng_begin(struct pcapng *p, struct out *out)
{
	p->out = out;
	p->size = 0;
	p->lean = out->options->capturelean;
	forget_interfaces(p);
	p->left_out = 0;
	p->section++;
	section(p);
}

struct pcapng *pcapng_new(void)
{
	struct pcapng *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->esc = open_memstream(&p->esc_buf, &p->esc_len);
	if (p->esc)
		return p;
	free(p);
	return NULL;
}

void pcapng_free(struct pcapng *p)
{
	if (!p)
		return;
	fclose(p->esc);
	free(p->esc_buf);
	free(p->buf);
	forget_interfaces(p);
	free(p->interfaces);
	free(p);
}
