/* SPDX-License-Identifier: GPL-2.0-or-later */
/* getent: asks getent(1) for users and hosts. A program that is linked statically has no name services. */
#ifndef DWIRE_CLI_TOOL_GETENT_H
#define DWIRE_CLI_TOOL_GETENT_H
#include <stdbool.h>
#include <stddef.h>

/* Writes what getent prints for a key of a database ("passwd", "ahosts") to out. False: no such key, or no getent. */
bool tool_getent(const char *database, const char *key, char *out, size_t size);
#endif
