/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zone: maps the inode number of a network namespace to its name, D's zonename. */
#ifndef DWIRE_NAMESPACES_ZONE_H
#define DWIRE_NAMESPACES_ZONE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zones;

/* global: inode number of the machine's first network namespace. NULL: no memory. */
struct zones *zone_new(uint32_t global);
void zone_free(struct zones *z);
/* "global"; the name under /run/netns that somebody gave it; "@" and the short id, or LXC's name, of the container
 * whose processes live in it; the name under /run/netns that a program made (netns-UUID, cni-UUID); else the number as
 * text. 0, a namespace that is not known, is "". A name out of a cgroup path, which a user may choose, has the "@"; no
 * other name begins so, is "global" or all digits. A name stays until another namespace has its number. A number
 * without a name is searched for when it is seen first, and then once a second. Never NULL; owned by z, valid until
 * zone_free(). */
const char *zone_name(struct zones *z, uint32_t netns);
/* The length of the prefix that does not help to distinguish names when they are cut: the first digits of a number,
 * "netns-". */
size_t zone_dull(const char *name, size_t len, size_t room);
/* The name of the container that a process is in, cut to size: the id's first 12 digits, or LXC's name. proc is a
 * descriptor of /proc. False: it is in none. */
bool zone_container(int proc, const char *pid, char *name, size_t size);
/* The namespace whose zone_name() this is, or whose name a narrow column cuts to this. 0: at present there is none, or
 * several. A number stands for itself unless it is the end of another's. */
uint32_t zone_number(struct zones *z, const char *name);
/* A descriptor of that namespace; -1: it does not exist or has no file that can be opened. */
int zone_open(struct zones *z, const char *name);
/* A descriptor of the network namespace that a file below dir (or AT_FDCWD) stands for, and its number; -errno,
 * -ENOTTY: it is another file. */
int zone_open_file(int dir, const char *path, uint32_t *netns);
#endif
