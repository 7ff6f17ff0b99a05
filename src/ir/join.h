/* join: programs at one function of the kernel, so many that it does not take them. Linux lets 38 programs of fentry
 * and fexit be at a function; others may have some there. */
#ifndef DWIRE_IR_JOIN_H
#define DWIRE_IR_JOIN_H
#include "ir/image.h"

/* Where there are more than a function may take, neighbours of one kind become one program, which calls them one after
 * the other; no more of them than must: the kernel leaves out a program that interrupts itself. */
void join_functions(struct arena *a, struct image *im);
#endif
