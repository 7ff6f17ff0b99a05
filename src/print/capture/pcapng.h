/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng: packets and log entries as blocks of pcapng (draft-ietf-opsawg-pcapng): times in ns, packets that begin at
 * the IP header. Each block is handed to the out whole, so what was flushed is readable up to its end. */
#ifndef DWIRE_PRINT_CAPTURE_PCAPNG_H
#define DWIRE_PRINT_CAPTURE_PCAPNG_H
#include <stddef.h>
#include <stdint.h>

#include "print/out.h"

struct pcapng;

#define PCAPNG_HEAD 48 /* bytes of a packet's block before the packet: its own head, and that of LINUX_SLL2 */

/* A device in a network namespace. Texts are untrusted; they need no NUL. */
struct pcapng_device {
	uint32_t index; /* 0: not known */
	uint32_t netns; /* inode number */
	const char *name, *zone;
	size_t name_len, zone_len;
};

enum pcapng_way { PCAPNG_WAY_UNKNOWN, PCAPNG_WAY_IN, PCAPNG_WAY_OUT };

/* Untrusted text. len 0: the comment is left out. */
struct pcapng_comment {
	const char *key; /* "PID" */
	const char *s;
	size_t len;
};

struct pcapng_packet {
	struct pcapng_device dev;
	enum pcapng_way way;
	uint64_t time; /* since 1970, ns */
	uint64_t id;   /* the same for a packet that was seen several times; 0: none */
	uint64_t lost; /* packets lost since the one before */
	uint32_t pid, tid;
	uint16_t protocol; /* ETH_P_IP, ... */
	const uint8_t *data;
	size_t caplen, len; /* bytes kept, bytes it had */
	const struct pcapng_comment *comments;
	size_t ncomments;
};

/* A block without what differs among the packets of an owner: the interface, and what stands behind the bytes. */
struct pcapng_mould {
	uint64_t section; /* which it belongs to */
	uint32_t interface;
	uint8_t head[PCAPNG_HEAD]; /* up to the packet's bytes */
	uint8_t *tail;             /* owned: options; NULL: none yet */
	size_t len, room;          /* of the tail */
	size_t id;                 /* where the tail has the packet id; 0: nowhere */
};
/* What a packet of a mould has of its own. */
struct pcapng_like {
	uint64_t time, id; /* as in struct pcapng_packet */
	const uint8_t *data;
	size_t caplen, len;
};

/* NULL: no memory. */
struct pcapng *pcapng_new(void);
/* NULL is fine. */
void pcapng_free(struct pcapng *p);
/* Begins a section, the first of a file, in the out, which is borrowed until the next call. */
void pcapng_begin(struct pcapng *p, struct out *out);
void pcapng_write(struct pcapng *p, const struct pcapng_packet *packet);
/* Makes a mould of the packet that was just written; m: zeroed before its first use. False: it makes none. */
bool pcapng_mould(const struct pcapng *p, struct pcapng_mould *m);
/* Writes a packet of the mould. False: the mould is of another section, nothing was written. */
bool pcapng_again(struct pcapng *p, const struct pcapng_mould *m, const struct pcapng_like *k);
/* An entry of a log, which Wireshark shows as a frame: a text, which is untrusted, and the probe that it comes from. */
void pcapng_log(struct pcapng *p, uint64_t time, const char *probe, const char *s, size_t len);
/* The counts of each interface end the section. lost: packets that no interface can be told of. */
void pcapng_end(struct pcapng *p, uint64_t lost);
/* Bytes of this section. */
uint64_t pcapng_size(const struct pcapng *p);
#endif
