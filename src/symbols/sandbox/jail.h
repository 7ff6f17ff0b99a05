/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jail: takes from a process everything but computing. */
#ifndef DWIRE_SYMBOLS_SANDBOX_JAIL_H
#define DWIRE_SYMBOLS_SANDBOX_JAIL_H
#include <stddef.h>

/* 1: built with a sanitizer, which maps terabytes and makes system calls itself: there are no limits of memory, and all
 * system calls are allowed. */
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

/* In a fork: closes all descriptors but *keep, which gets another number; gives up user and capabilities; allows no
 * more than memory bytes of allocations beyond those inherited, and no system call but those that read, write, map and
 * end. The process ends with its parent. 0 or -errno: then it must not go on. */
int jail_enter(int *keep, size_t memory) __attribute__((warn_unused_result));
#endif
