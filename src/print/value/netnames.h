/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netnames: the names that this machine gives to ports and addresses, for printf's %P and %I. Only /etc/services and
 * /etc/hosts are read: a query to a name server would be traffic of the trace itself, and would make the output
 * wait. */
#ifndef DWIRE_PRINT_VALUE_NETNAMES_H
#define DWIRE_PRINT_VALUE_NETNAMES_H
#include <stddef.h>
#include <stdint.h>

#define NETNAME_MAX 256 /* bytes of a name, its NUL included */

/* The name of a port in host order, or its number. */
void netname_port(uint16_t port, char name[NETNAME_MAX]);
/* The name of an address as text, or its first len bytes as they are. */
void netname_host(const char *address, size_t len, char name[NETNAME_MAX]);
#endif
