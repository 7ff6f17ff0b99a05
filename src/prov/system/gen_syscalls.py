#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes syscalls_x86_64.def and syscalls_aarch64.def: names, numbers and argument types of the system calls; and
syscalls_ia32.def and syscalls_arm.def: the numbers that 32-bit programs have for those of x86-64 and of arm64.

usage: gen_syscalls.py FORMATS ARCH <preprocessed-numbers >syscalls_ARCH.def
   or: gen_syscalls.py ia32 syscalls_x86_64.def <numbers-of-asm/unistd_32.h >syscalls_ia32.def
   or: gen_syscalls.py arm syscalls_aarch64.def <numbers-of-arm's-asm/unistd.h >syscalls_arm.def
FORMATS: of each /sys/kernel/tracing/events/syscalls/sys_enter_NAME a line "== NAME" and its format's argument lines.
Standard input: "#define __NR_name number" lines, as `cc -E -dM -include asm/unistd.h` prints them (for aarch64 with
asm-generic/unistd.h). Calls that are newer than the headers stand below; their numbers are the same everywhere.
"""
import re
import sys

NEWER = """cachestat 451 fchmodat2 452 map_shadow_stack 453 futex_wake 454 futex_wait 455 futex_requeue 456 statmount 457
listmount 458 lsm_get_self_attr 459 lsm_set_self_attr 460 lsm_list_modules 461 mseal 462 setxattrat 463 getxattrat 464
listxattrat 465 removexattrat 466 open_tree_attr 467 file_getattr 468 file_setattr 469""".split()
X86 = ["uretprobe", "335", "uprobe", "336"]
# what the kernel's source calls them
DEFINED = {"stat": "newstat", "fstat": "newfstat", "lstat": "newlstat", "uname": "newuname", "umount2": "umount",
    "sendfile": "sendfile64", "fstatat": "newfstatat", "fadvise64": "fadvise64"}
# calls that a machine defines itself, or that a kernel may lack
KNOWN = {"mmap": "UUUUiU", "munmap": "pU", "clone": "Uppip", "clone3": "pz", "arch_prctl": "iU", "iopl": "u",
    "ioperm": "UUi", "modify_ldt": "ipU", "rt_sigreturn": "", "riscv_flush_icache": "", "fork": "", "vfork": "",
    "seccomp": "uup", "fadvise64": "iozi", "readahead": "ioz", "fallocate": "iioo", "pread64": "iszo",
    "pwrite64": "iszo", "sync_file_range": "iooU", "truncate": "sl", "ftruncate": "il", "lseek": "iou",
    "init_module": "pUs", "finit_module": "isi", "delete_module": "su", "kexec_load": "UUpU", "kexec_file_load": "iiUsU"}
TYPES = {"int": "i", "unsigned int": "u", "unsigned": "u", "long": "l", "unsigned long": "U", "size_t": "z",
    "pid_t": "d", "uid_t": "a", "gid_t": "g", "umode_t": "m", "loff_t": "o", "off_t": "o", "u32": "u", "__u32": "u",
    "u64": "U", "__u64": "U", "clockid_t": "i", "rwf_t": "i", "key_t": "i", "qid_t": "u", "key_serial_t": "i",
    "mqd_t": "i", "timer_t": "i", "aio_context_t": "U", "__s32": "i"}


# 32-bit calls by another name; those that end in 32 or _time64 are found
IA32 = {"mmap2": "mmap", "_llseek": "lseek", "stat64": "stat", "lstat64": "lstat", "fstat64": "fstat",
    "fstatat64": "newfstatat", "fcntl64": "fcntl", "sendfile64": "sendfile", "truncate64": "truncate",
    "ftruncate64": "ftruncate", "fadvise64_64": "fadvise64", "statfs64": "statfs", "fstatfs64": "fstatfs",
    "ugetrlimit": "getrlimit", "umount": "umount2", "_newselect": "select", "sigaction": "rt_sigaction",
    "sigprocmask": "rt_sigprocmask", "sigreturn": "rt_sigreturn", "sigpending": "rt_sigpending",
    "sigsuspend": "rt_sigsuspend", "waitpid": "wait4", "clock_gettime64": "clock_gettime",
    "clock_settime64": "clock_settime", "clock_adjtime64": "clock_adjtime", "timer_gettime64": "timer_gettime",
    "timer_settime64": "timer_settime", "timerfd_gettime64": "timerfd_gettime",
    "timerfd_settime64": "timerfd_settime", "clock_getres_time64": "clock_getres",
    "arm_fadvise64_64": "fadvise64", "arm_sync_file_range": "sync_file_range", "sync_file_range2": "sync_file_range"}


MACHINES = {"ia32": ("x86", "x86-64"), "arm": ("arm", "arm64")}


def foreign(arch, path):
    native = dict(re.findall(r"^X\((\d+), (\w+),", open(path).read(), re.M))
    native = {n: v for v, n in native.items()}
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    old, new = MACHINES[arch]
    print(f"/* syscalls_{arch}: the numbers that 32-bit programs of {old} have for system calls of {new}: theirs, {new}'s. Made")
    print(" * by gen_syscalls.py. */")
    calls = re.findall(r"#define __NR_(\w+) \(?(?:__NR_SYSCALL_BASE ?\+ ?)?(\d+)\)?$", sys.stdin.read(), re.M)
    calls += [n for n in zip(NEWER[::2], NEWER[1::2]) if arch == "arm" and n[0] not in dict(calls)]
    for name, number in sorted(calls, key=lambda c: int(c[1])):
        plain = re.sub(r"(_time64|32)$", "", name)
        to = native.get(IA32.get(name, name), native.get(plain))
        if to is not None:
            print(f"X({number}, {to})")


def letter(text):
    text = text.replace("const ", "").strip()
    if text.endswith("*"):
        return "s" if re.fullmatch(r"char ?\*", text) else "p"
    return TYPES.get(text, "U" if not text.endswith("_t") else "p")


def argument(call, type, name):
    """The kernel declares some descriptors unsigned. They are int in every C library, and programs pass -1."""
    descriptor = re.fullmatch(r"(old|new)?fd|fildes", name) and call != "close_range"
    return "i" if descriptor and letter(type) in "uU" else letter(type)


def formats(path):
    found, name = {}, None
    for line in open(path):
        if line.startswith("== "):
            name = line[3:].strip()
            found[name] = ""
        else:
            m = re.search(r"field:(.*?)(\w+);\toffset", line)
            if m and m.group(2) != "__syscall_nr":
                found[name] += argument(name, m.group(1), m.group(2))
    return found


def main():
    if sys.argv[1] in MACHINES:
        foreign(sys.argv[1], sys.argv[2])
        return
    known, arch = formats(sys.argv[1]), sys.argv[2]
    calls = dict(re.findall(r"#define __NR_(\w+) (\d+)$", sys.stdin.read(), re.M))
    if arch == "aarch64":
        calls = {DEFINED.get(n, n) if n == "fstatat" else n: v for n, v in calls.items()}
    more = NEWER + (X86 if arch == "x86_64" else [])
    calls.update(zip(more[::2], more[1::2]))
    for bad in ("syscalls", "arch_specific_syscall"):
        calls.pop(bad, None)
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print(f"/* syscalls_{arch}: the system calls: number, name, types of the arguments. Made by gen_syscalls.py.")
    print(" * i int, u unsigned int, l long, U unsigned long, z size_t, o off_t, s char *, p void *, d pid_t, a uid_t,")
    print(" * g gid_t, m mode_t. */")
    for name, number in sorted(calls.items(), key=lambda c: int(c[1])):
        args = known.get(DEFINED.get(name, name), known.get(name, KNOWN.get(name)))
        print(f'X({number}, {name}, "{"UUUUUU" if args is None else args}")')


main()
