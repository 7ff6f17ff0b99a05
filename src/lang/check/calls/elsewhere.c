/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elsewhere: maps names of other tracers, of other systems' DTrace and of C to their equivalents in D.
 * Input: a name that D does not have. Output: a hint, as static text, or NULL.
 * Invariant: consulted only after a lookup failed, so an entry never hides a name of D. */
#include <string.h>

#include "lang/check/calls/calls.h"

struct other_name {
	const char *name, *hint;
};

/* Sorted by name, for the reader: the search is linear, since it runs only after an error. */
static const struct other_name functions[] = {
	{ "atoi", "strtoll()" },
	{ "buf", "tracemem() shows bytes" },
	{ "ddi_pathname", "Linux has no tree of Solaris devices: getmajor() and getminor() identify a device" },
	{ "delete", "0 frees it: a[k] = 0; trunc(@a) empties an aggregation" },
	{ "hist", "quantize()" },
	{ "histogram", "quantize()" },
	{ "kaddr", "`name is the kernel's variable, &`name its address" },
	{ "kstack", "stack()" },
	{ "ksym", "sym()" },
	{ "lhist", "lquantize()" },
	{ "major", "getmajor()" },
	{ "makedev", "getmajor() and getminor() take a device apart" },
	{ "malloc", "alloca()" },
	{ "memcpy", "bcopy()" },
	{ "memref", "read a probe's argument through the pointer itself, or with stringof()" },
	{ "memstr", "stringof() makes a string of memory" },
	{ "minor", "getminor()" },
	{ "msgdsize", "Linux has no STREAMS messages: a struct sk_buff has its bytes in len" },
	{ "msgsize", "Linux has no STREAMS messages: a struct sk_buff has its bytes in len" },
	{ "ntop", "inet_ntop(), or a member such as ip_saddr" },
	{ "signal", "raise()" },
	{ "sprintf", "strjoin() and lltostr() make strings" },
	{ "str", "copyinstr() of a process's memory, stringof() of the kernel's" },
	{ "strcat", "strjoin()" },
	{ "strcmp", "strings are compared by == and <" },
	{ "strcpy", "strings are assigned by =" },
	{ "strftime", "printf(\"%Y\", walltimestamp)" },
	{ "strncmp", "substr(), and ==" },
	{ "time", "printf(\"%Y\", walltimestamp)" },
	{ "unroll", "D has no loops" },
	{ "zero", "clear()" },
};

/* Also sorted by name. */
static const struct other_name variables[] = {
	{ "comm", "execname" },
	{ "cpid", "$target" },
	{ "curtask", "curthread" },
	{ "elapsed", "timestamp" },
	{ "kstack", "stack()" },
	{ "nsecs", "timestamp" },
	{ "retval", "arg1 at a return" },
	{ "username", "uid" },
};

/* The hint for a name; NULL: there is none. */
static const char *find(const struct other_name *v, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].name, name))
			return v[i].hint;
	return NULL;
}

const char *elsewhere_func(const char *name)
{
	return find(functions, sizeof(functions) / sizeof(functions[0]), name);
}

const char *elsewhere_var(const char *name)
{
	return find(variables, sizeof(variables) / sizeof(variables[0]), name);
}
