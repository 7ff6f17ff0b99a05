# SPDX-License-Identifier: GPL-2.0-or-later
"""hand: compiles the programs by hand that the benches compare with. Needs bpftool, clang, gcc and libbpf."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PATH = os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin"


def bpf(tmp, *sources):
    """Compiles BPF programs, with the kernel's types, to objects in tmp. A source is NAME.bpf.c beside this file or a path."""
    types, machine = os.path.join(tmp, "vmlinux.h"), os.uname().machine
    if not os.path.exists(types):
        with open(types, "w") as f:
            subprocess.run(["bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "c"], check=True, stdout=f,
                           env={"PATH": PATH})
    for source in sources:
        name = os.path.basename(source).split(".")[0]
        subprocess.run(["clang", "-O2", "-g", "-target", "bpf", "-mcpu=v3", "-Wall", "-D__BPF__",
                        "-D__TARGET_ARCH_" + {"x86_64": "x86", "aarch64": "arm64"}[machine], "-I", tmp,
                        "-I", os.path.join(ROOT, "src"), "-idirafter", f"/usr/include/{machine}-linux-gnu",
                        "-c", source if "/" in source else f"{HERE}/{source}.bpf.c", "-o", f"{tmp}/{name}.o"], check=True)


def host(tmp, *names):
    """Compiles NAME.c beside this file to commands in tmp."""
    for name in names:
        subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", "-o", f"{tmp}/{name}", f"{HERE}/{name}.c", "-lbpf"], check=True)


def cgroup():
    """Where the root of cgroup2 is mounted."""
    with open("/proc/self/mountinfo") as f:
        found = [line.split()[4] for line in f if " - cgroup2 " in line]
    return found[0] if found else sys.exit("cgroup2 is not mounted")
