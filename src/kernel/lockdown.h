/* lockdown: how far the kernel is locked down against its own administrator. */
#ifndef DWIRE_KERNEL_LOCKDOWN_H
#define DWIRE_KERNEL_LOCKDOWN_H
#include <stddef.h>

/* "integrity", "confidentiality"; "" where it is not, or nobody can tell. */
void lockdown_read(char *buf, size_t len);
#endif
