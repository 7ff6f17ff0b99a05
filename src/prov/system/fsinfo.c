/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fsinfo: operations on files, as Solaris' file systems count them (fsstat), in the hooks tier. A probe fires when
 * the system call that requests the operation has succeeded; close fires when the call begins, while the file still
 * exists. args[0] is the file, args[1] a number of bytes or 0. */
#include "prov/provider.h"

static const char *const args[] = { "fileinfo_t *", "int", NULL };
static const char *const bytes[] = { "(uint64_t)P->file", "P->ret", NULL };
static const char *const none[] = { "(uint64_t)P->file", "0", NULL };

/* clang-format off */
#define CALLS(...) (const char *const[]){ __VA_ARGS__, NULL }
#define NR(call) "P->nr == __nr_" call
#define DONE " && P->ret >= 0 && P->file != 0"
#define SITE(nat, vals, cond, ...) \
	{ TP("sys_exit", 2, nat), .calls = CALLS(__VA_ARGS__), .values = vals, .when = cond, \
	  .sees = "the system calls" }
/* Sites of calls that name the file by a descriptor: one call, two calls. */
#define FD(vals, call) SITE("dw_fsfd", vals, NR(call) DONE, call)
#define FD2(vals, a, b) SITE("dw_fsfd", vals, "(" NR(a) " || " NR(b) ")" DONE, a, b)
/* ... by a path: the first argument, the second. */
#define PATH(call) SITE("dw_fspath", none, NR(call) " && P->ret >= 0", call)
#define PATH_AT(call) SITE("dw_fspathat", none, NR(call) " && P->ret >= 0", call)
#define OPEN(cond, ...) SITE("dw_fsopen", none, "(" cond ")" DONE, __VA_ARGS__)
#define OPENS NR("open") " || " NR("openat") " || " NR("openat2")
#define PROBE(name, meaning, ...) \
	{ name, args, (const struct site[]){ __VA_ARGS__ }, \
	  sizeof((const struct site[]){ __VA_ARGS__ }) / sizeof(struct site), meaning }

static const struct probe_def probes[] = {
	PROBE("access", "a process asks what it may do with a file", PATH("access"), PATH_AT("faccessat"),
		PATH_AT("faccessat2")),
	PROBE("close", "a descriptor is closed",
		{ TP("sys_enter", 2, "dw_fsclose"), .calls = CALLS("close"), .values = none,
		  .when = NR("close") " && P->file != 0", .sees = "the system call, as it begins" }),
	PROBE("create", "a file is opened that is made if it is not there",
		OPEN("(" OPENS " || " NR("creat") ") && (P->flags & DW_O_CREAT) != 0",
			"open", "openat", "openat2", "creat")),
	PROBE("frlock", "a file is locked or unlocked", FD(none, "flock")),
	PROBE("fsync", "a file is written to its disk", FD2(none, "fsync", "fdatasync")),
	PROBE("getattr", "a process asks for a file's attributes", FD(none, "fstat"), PATH("stat"), PATH("lstat"),
		SITE("dw_fsstat", none, "(" NR("newfstatat") " || " NR("statx") ") && P->ret >= 0 &&"
			" (P->path != 0 || P->file != 0)", "newfstatat", "statx")),
	PROBE("ioctl", "a file is controlled", FD(none, "ioctl")),
	PROBE("link", "a file gets another name: args[0] is the old one", PATH("link"), PATH_AT("linkat")),
	PROBE("map", "a file is mapped to memory",
		SITE("dw_fsmap", none, NR("mmap") " && (P->flags & DW_MAP_ANONYMOUS) == 0 && "
			"dw_sys_errno[P->ret] == 0 && P->file != 0", "mmap")),
	PROBE("mkdir", "a directory is made", PATH("mkdir"), PATH_AT("mkdirat")),
	PROBE("open", "a file is opened", OPEN(OPENS " || " NR("creat"), "open", "openat", "openat2", "creat")),
	PROBE("read", "a file is read: args[1] is how many bytes",
		SITE("dw_fsfd", bytes, "__is_read[P->nr]" DONE, "read", "pread64", "readv", "preadv", "preadv2")),
	PROBE("readdir", "a directory is read: args[1] is how many bytes", FD2(bytes, "getdents", "getdents64")),
	PROBE("readlink", "a symbolic link is read", PATH("readlink"), PATH_AT("readlinkat")),
	PROBE("remove", "a name of a file is removed", PATH("unlink"),
		SITE("dw_fspathat", none, NR("unlinkat") " && P->ret >= 0 && (P->flags & DW_AT_REMOVEDIR) == 0",
			"unlinkat")),
	PROBE("rename", "a file gets a new name: args[0] is the old one", PATH("rename"), PATH_AT("renameat"),
		PATH_AT("renameat2")),
	PROBE("rmdir", "a directory is removed", PATH("rmdir"),
		SITE("dw_fspathat", none, NR("unlinkat") " && P->ret >= 0 && (P->flags & DW_AT_REMOVEDIR) != 0",
			"unlinkat")),
	PROBE("seek", "the place in a file is changed", FD(none, "lseek")),
	PROBE("setattr", "a file's attributes are changed", FD2(none, "fchmod", "fchown"), PATH("chmod"), PATH("chown"),
		PATH("lchown"), PATH_AT("fchmodat"), PATH_AT("fchownat"), PATH_AT("utimensat"), PATH("truncate"),
		FD(none, "ftruncate")),
	PROBE("space", "a part of a file gets, or loses, its place on the disk", FD(none, "fallocate")),
	PROBE("symlink", "a symbolic link is made: args[0] is where it leads to", PATH("symlink"), PATH("symlinkat")),
	PROBE("write", "a file is written: args[1] is how many bytes",
		SITE("dw_fsfd", bytes, "__is_write[P->nr]" DONE, "write", "pwrite64", "writev", "pwritev", "pwritev2")),
};
/* clang-format on */

/* Solaris' probes that are missing, the general pattern last. */
static const struct refusal refused[] = {
	{ "lookup", "Linux looks names up in its cache, which no tracepoint shows: see syscall:::" },
	{ "poll", "a call of poll() names many files: see syscall::poll:entry" },
	{ "[agp]*page*",
		"Linux moves pages between files and disks elsewhere: see vminfo:::fspgin, fspgout, io:::start" },
	{ "*map", "Linux does not show single pages of mappings that come and go: see fsinfo:::map" },
	{ "*", "Linux has no such operation; -l -P fsinfo lists those that it has" },
};

static const char *refuses(const char *name)
{
	return refusal_of(refused, sizeof(refused) / sizeof(refused[0]), name);
}

static const struct prov_stability stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, COMMON),
	.module = STABILITY_PRIVATE,
	.function = STABILITY_PRIVATE,
	.name = STABILITY(EVOLVING, EVOLVING, COMMON),
	.args = STABILITY(EVOLVING, EVOLVING, COMMON),
};

const struct provider fsinfo_provider = { PROVIDER("fsinfo", "dw_fs", probes), .stability = &stability,
	.refuses = refuses };
