/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jail: takes all privileges and resources from a process, so that it can only compute. */
#ifndef DWIRE_SYMBOLS_SANDBOX_JAIL_H
#define DWIRE_SYMBOLS_SANDBOX_JAIL_H
#include <stddef.h>

/* 1: built with a sanitizer. It maps terabytes and makes system calls itself, so memory is not limited and all system
 * calls are allowed. */
#if defined(__SANITIZE_ADDRESS__)
#define JAIL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define JAIL_SANITIZED 1
#endif
#endif
#ifndef JAIL_SANITIZED
#define JAIL_SANITIZED 0
#endif

/* Call it in a fork. Closes all descriptors but *keep, which gets another number; drops user and capabilities; limits
 * further allocations to `memory` bytes; forbids all system calls except those that read, write, map memory and exit.
 * The process is killed when its parent dies. 0 or -errno: then the caller must exit. */
int jail_enter(int *keep, size_t memory) __attribute__((warn_unused_result));
#endif
