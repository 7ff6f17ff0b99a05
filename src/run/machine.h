/* machine: the numbers of the machine that programs read (ir/abi.h, struct dw_machine). */
#ifndef DWIRE_RUN_MACHINE_H
#define DWIRE_RUN_MACHINE_H
#include "ir/image.h"

/* Writes them into the image's map for them, if it has one; maps are the descriptors by index. 0 or -errno. */
int machine_tell(const struct image *image, const int *maps) __attribute__((warn_unused_result));
#endif
