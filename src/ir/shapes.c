/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shapes: facts about the functions of the library, for those who declare them to the kernel or print them.
 * Input: the lists of ir.h. Output: constant tables. */
#include "abi/abi.h"
#include "abi/notes.h"
#include "abi/words.h"
#include "ir/ir.h"

#define NARGS(...) (sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))
const struct lib_shape lib_shapes[LIB_COUNT] = {
#define X(n, ...) [LIB_##n] = { NARGS(__VA_ARGS__), { __VA_ARGS__ } },
	LIB_SHAPES(X)
#undef X
};

const char *lib_name(enum bpflib fn)
{
	static const char *const names[] = {
#define X(n, a) #n,
		BPFLIB(X)
#undef X
	};

	return names[fn];
}
