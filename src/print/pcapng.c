/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng: see pcapng.h.
 * Input: packets. Output: blocks of pcapng in the byte order of this machine.
 * Invariants: a block is complete in memory before it is written; no text of a packet can end an option early, and all
 * text is valid UTF-8. Source: draft-ietf-opsawg-pcapng. */
#include "print/pcapng.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_STATISTICS 5u
#define BLOCK_PACKET 6u
#define BYTE_ORDER_MAGIC 0x1a2b3c4du
/* What "tcpdump -i any" writes: a head with device and direction, then the IP header. libpcap 1.10 refuses a second
 * interface of LINKTYPE_RAW, as it compares the file's number (101) with its own (12). */
#define LINKTYPE_LINUX_SLL2 276u
#define SLL2_LEN 20u
#define OPTION_MAX 4096u /* bytes of a text; longer ones are cut */

enum option { OPT_END, OPT_COMMENT, OPT_IF_NAME, OPT_IF_DESCRIPTION, OPT_IF_TSRESOL = 9, OPT_SHB_USERAPPL = 4 };
enum packet_option { OPT_FLAGS = 2, OPT_DROPCOUNT = 4, OPT_PACKETID = 5, OPT_PROCESS = 8 };
enum stats_option { OPT_ISB_IFRECV = 4, OPT_ISB_IFDROP = 5 };

struct interface {
	uint32_t index, netns;
	char name[16];
	uint64_t packets, lost, last;
};

struct pcapng {
	FILE *f; /* borrowed */
	uint32_t snaplen;
	int err;
	uint64_t size;
	struct interface *interfaces;
	size_t n, cap;
	FILE *block; /* collects the block into buf */
	char *buf;
	size_t len;
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
static void put(struct pcapng *p, const void *data, size_t n)
{
	fwrite(data, 1, n, p->block);
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

/* "key: text", escaped. Escaping makes ASCII of bytes that are no UTF-8, and a cut falls between characters. */
static void put_text(struct pcapng *p, unsigned code, const char *key, const char *s, size_t len)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f) {
		p->err = p->err ? p->err : -ENOMEM;
		return;
	}
	if (key)
		fprintf(f, "%s: ", key);
	escape_print(f, s, len < OPTION_MAX / 4 ? len : OPTION_MAX / 4, ESCAPE_ALL);
	if (fclose(f))
		p->err = p->err ? p->err : -ENOMEM;
	else
		put_option(p, code, text, n);
	free(text);
}

/* The length, which stands before and behind a block, is filled in at its end. */
static void block_begin(struct pcapng *p, uint32_t type)
{
	rewind(p->block);
	put32(p, type);
	put32(p, 0);
}

static void block_end(struct pcapng *p)
{
	uint32_t len;

	put32(p, OPT_END);
	put32(p, 0);
	if (fflush(p->block) || ferror(p->block)) {
		p->err = p->err ? p->err : -ENOMEM;
		return;
	}
	len = (uint32_t)ftell(p->block);
	memcpy(p->buf + 4, &len, sizeof(len));
	memcpy(p->buf + len - 4, &len, sizeof(len));
	if (p->err)
		return;
	errno = 0;
	if (fwrite(p->buf, 1, len, p->f) != len)
		p->err = errno ? -errno : -EIO;
	else
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
	block_end(p);
}

static void interface_block(struct pcapng *p, const struct pcapng_device *dev)
{
	const uint16_t link[2] = { LINKTYPE_LINUX_SLL2, 0 };
	const uint8_t nanoseconds = 9;

	block_begin(p, BLOCK_INTERFACE);
	put(p, link, sizeof(link));
	put32(p, p->snaplen + SLL2_LEN);
	put_text(p, OPT_IF_NAME, NULL, dev->name, strlen(dev->name));
	put_text(p, OPT_IF_DESCRIPTION, "netns", dev->netns_name, strlen(dev->netns_name));
	put_option(p, OPT_IF_TSRESOL, &nanoseconds, 1);
	block_end(p);
}

/* ---- interfaces -------------------------------------------------------------------------------------------------- */
/* A device that was renamed, or another that took its number, is a new interface. NULL: no memory. */
static struct interface *interface_of(struct pcapng *p, const struct pcapng_device *dev)
{
	struct interface *i;

	for (size_t k = 0; k < p->n; k++) {
		i = &p->interfaces[k];
		if (i->index == dev->index && i->netns == dev->netns &&
			!strncmp(i->name, dev->name, sizeof(i->name) - 1))
			return i;
	}
	if (p->n == p->cap) {
		struct interface *more = reallocarray(p->interfaces, p->cap * 2 + 8, sizeof(*more));

		if (!more)
			return NULL;
		p->interfaces = more;
		p->cap = p->cap * 2 + 8;
	}
	i = &p->interfaces[p->n++];
	*i = (struct interface){ .index = dev->index, .netns = dev->netns };
	strncpy(i->name, dev->name, sizeof(i->name) - 1);
	interface_block(p, dev);
	return i;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */
static void packet_options(struct pcapng *p, const struct pcapng_packet *k)
{
	const uint32_t flags = (uint32_t)k->way, process[2] = { k->pid, k->tid };

	for (size_t i = 0; i < k->ncomments; i++)
		if (k->comments[i].s)
			put_text(p, OPT_COMMENT, k->comments[i].key, k->comments[i].s, k->comments[i].len);
	if (flags)
		put_option(p, OPT_FLAGS, &flags, sizeof(flags));
	if (k->lost)
		put_option64(p, OPT_DROPCOUNT, k->lost);
	if (k->id)
		put_option64(p, OPT_PACKETID, k->id);
	if (k->pid)
		put_option(p, OPT_PROCESS, process, sizeof(process));
}

/* The head that stands before the IP header; a packet without data has protocol 0. */
static void put_sll2(struct pcapng *p, const struct pcapng_packet *k)
{
	unsigned version = k->caplen ? k->data[0] >> 4 : 0;
	const uint16_t protocol[2] = { htons(version == 4 ? ETH_P_IP : version == 6 ? ETH_P_IPV6 : 0), 0 };
	const uint16_t type = htons(ARPHRD_NONE);
	const uint8_t way[10] = { k->way == PCAPNG_WAY_OUT ? PACKET_OUTGOING : PACKET_HOST };

	put(p, protocol, sizeof(protocol));
	put32(p, htonl(k->dev.index));
	put(p, &type, sizeof(type));
	put(p, way, sizeof(way)); /* and an address of no bytes */
}

int pcapng_write(struct pcapng *p, const struct pcapng_packet *k)
{
	struct interface *i = interface_of(p, &k->dev);
	uint32_t caplen = k->caplen < p->snaplen ? k->caplen : p->snaplen;

	if (!i)
		p->err = p->err ? p->err : -ENOMEM;
	if (p->err)
		return p->err;
	i->packets++;
	i->lost += k->lost;
	i->last = k->time;
	block_begin(p, BLOCK_PACKET);
	put32(p, (uint32_t)(i - p->interfaces));
	put_time(p, k->time);
	put32(p, SLL2_LEN + caplen);
	put32(p, SLL2_LEN + (k->len > caplen ? k->len : caplen));
	put_sll2(p, k);
	put(p, k->data, caplen);
	pad(p, caplen);
	packet_options(p, k);
	block_end(p);
	return p->err;
}

int pcapng_end(struct pcapng *p, uint64_t lost)
{
	for (size_t k = 0; k < p->n; k++) {
		const struct interface *i = &p->interfaces[k];

		block_begin(p, BLOCK_STATISTICS);
		put32(p, (uint32_t)k);
		put_time(p, i->last);
		put_option64(p, OPT_ISB_IFRECV, i->packets + i->lost);
		put_option64(p, OPT_ISB_IFDROP, i->lost + (k ? 0 : lost));
		block_end(p);
	}
	if (!p->err && fflush(p->f))
		p->err = -errno;
	return p->err;
}

uint64_t pcapng_size(const struct pcapng *p)
{
	return p->size;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
struct pcapng *pcapng_new(FILE *f, uint32_t snaplen)
{
	struct pcapng *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->f = f;
	p->snaplen = snaplen < PCAPNG_SNAP_MAX ? snaplen : PCAPNG_SNAP_MAX;
	p->block = open_memstream(&p->buf, &p->len);
	if (!p->block) {
		free(p);
		return NULL;
	}
	section(p);
	return p;
}

void pcapng_free(struct pcapng *p)
{
	if (!p)
		return;
	fclose(p->block);
	free(p->buf);
	free(p->interfaces);
	free(p);
}
