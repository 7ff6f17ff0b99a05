/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcapng: writes packets as a pcapng file (draft-ietf-opsawg-pcapng): times in ns, packets that begin at the IP header.
 * Each block is handed to the stream whole. A file that was cut off is readable up to its last whole block. */
#ifndef DWIRE_PRINT_PCAPNG_H
#define DWIRE_PRINT_PCAPNG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PCAPNG_SNAP_MAX 65535u

struct pcapng;

/* A device in a network namespace. Texts are untrusted. */
struct pcapng_device {
	uint32_t index; /* 0: not known */
	uint32_t netns; /* inode number */
	const char *name, *netns_name;
};

enum pcapng_way { PCAPNG_WAY_UNKNOWN, PCAPNG_WAY_IN, PCAPNG_WAY_OUT };

/* Untrusted text. s NULL: the comment is left out. */
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
	const uint8_t *data;
	uint32_t caplen, len; /* bytes kept, bytes it had */
	const struct pcapng_comment *comments;
	size_t ncomments;
};

/* Begins a file in the stream, which is borrowed. snaplen: of all interfaces. NULL: no memory. */
struct pcapng *pcapng_new(FILE *f, uint32_t snaplen);
/* 0 or -errno of the first failure; nothing is written after it. */
int pcapng_write(struct pcapng *p, const struct pcapng_packet *packet) __attribute__((warn_unused_result));
/* The counts of each interface end the file. lost: packets that no interface can be told of. 0 or -errno. */
int pcapng_end(struct pcapng *p, uint64_t lost) __attribute__((warn_unused_result));
/* Bytes written. */
uint64_t pcapng_size(const struct pcapng *p);
/* NULL is fine. */
void pcapng_free(struct pcapng *p);
#endif
