#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""nojit.py VMLINUX: makes of Debian's uncompressed x86-64 kernel (6.4 or later) one as if built without
CONFIG_BPF_JIT, in place: what the source has instead of the JIT's functions without that option. Debian has no
such kernel, and to build one takes an hour.

- Programs are interpreted, no function of the kernel can be called, net.core.bpf_jit_enable has another name.
- Trampolines, so fentry and fexit, are refused as there: bpf_trampoline_get() gives NULL.

The kernel's functions are found by its own table of symbols (kallsyms). A function that does not begin with
endbr64 and the call of ftrace is none that this knows: the status is 1, and the file is as it was.
"""
import re
import struct
import sys

ZERO = bytes.fromhex("31c0c3")  # xor %eax, %eax; ret
FIRST_ARGUMENT = bytes.fromhex("4889f8c3")  # mov %rdi, %rax; ret
NOT_SUPPORTED = bytes.fromhex("b8f4fdffffc3")  # mov $-ENOTSUPP, %eax; ret
RETURN = bytes.fromhex("c3")
BODIES = {
    "bpf_jit_supports_kfunc_call": ZERO,
    "bpf_jit_supports_subprog_tailcalls": ZERO,
    "bpf_jit_supports_percpu_insn": ZERO,
    "bpf_jit_supports_exceptions": ZERO,
    "bpf_jit_supports_arena": ZERO,
    "bpf_jit_supports_insn": ZERO,
    "bpf_jit_supports_ptr_xchg": ZERO,
    "bpf_int_jit_compile": FIRST_ARGUMENT,
    "bpf_trampoline_get": ZERO,
    "bpf_trampoline_put": RETURN,
    "bpf_trampoline_link_prog": NOT_SUPPORTED,
    "arch_prepare_bpf_trampoline": NOT_SUPPORTED,
    "arch_bpf_trampoline_size": NOT_SUPPORTED,
    "arch_prepare_bpf_dispatcher": NOT_SUPPORTED,
}
PROLOGUE = bytes.fromhex("f30f1efae8")  # endbr64; call __fentry__, which ftrace wants to find there
PROLOGUE_SIZE = 9


def die(why):
    sys.exit(f"nojit.py: {why}")


def u32(image, at):
    return struct.unpack_from("<I", image, at)[0]


def token_table(image):
    """(offset of the 256 strings that names are made of, the strings, offset behind their index)."""
    digits = b"\0".join(b"%d" % n for n in range(10)) + b"\0"
    for found in re.finditer(re.escape(digits), image):
        start = found.start()
        for _ in range(ord("0")):
            start = image.rfind(b"\0", 0, start - 1) + 1
        tokens = image[start:start + 65536].split(b"\0")[:256]
        index, at = [], 0
        for t in tokens:
            index.append(at & 0xffff)
            at += len(t) + 1
        where = image.find(struct.pack("<256H", *index), start, start + 65536)
        if where >= 0:
            return start, tokens, where + 512
    die("no table of the parts of symbols")


def names_at(image, at, count, markers, tokens):
    """The names of `count` symbols, each with its kind as first letter; None: there are none at this place."""
    names, start = [], at
    for n in range(count):
        if n % 256 == 0 and at - start != u32(image, markers + n // 256 * 4):
            return None
        length = image[at]
        at += 1
        if length & 0x80:
            length = (length & 0x7f) | image[at] << 7
            at += 1
        names.append(b"".join(tokens[b] for b in image[at:at + length]))
        at += length
    return names


def symbols(image):
    """name -> address. The tables in their order: number, names, markers, tokens, their index, offsets, base."""
    end, tokens, offsets = token_table(image)
    while not u32(image, end - 4):
        end -= 4
    markers = end - 4
    while u32(image, markers):
        markers -= 4
    pieces, last = (end - markers) // 4, u32(image, end - 4)
    for at in range((markers - last - 256 * 64) & ~3, markers - last + 8, 4):
        count = u32(image, at)
        if not (pieces - 1) * 256 < count <= pieces * 256:
            continue
        for start in (at + 4, at + 8):
            names = names_at(image, start, count, markers, tokens)
            if names:
                base = struct.unpack_from("<Q", image, (offsets + count * 4 + 7) & ~7)[0]
                found = {}
                for n, name in enumerate(names):
                    offset = struct.unpack_from("<i", image, offsets + n * 4)[0]
                    found.setdefault(name[1:].decode("latin1"), offset if offset >= 0 else base - 1 - offset)
                return found
    die("no table of symbols")


def place(image, address):
    """Where an address is in the file."""
    headers, size, count = struct.unpack_from("<Q", image, 32)[0], *struct.unpack_from("<HH", image, 54)
    for n in range(count):
        kind, _, at, virtual, _, length = struct.unpack_from("<IIQQQQ", image, headers + n * size)
        if kind == 1 and virtual <= address < virtual + length:
            return at + address - virtual
    die(f"{address:#x} is not in the file")


def main(path):
    image = bytearray(open(path, "rb").read())
    known = symbols(bytes(image))
    for name, body in BODIES.items():
        at = place(image, known[name])
        if image[at:at + len(PROLOGUE)] != PROLOGUE:
            die(f"{name}() begins otherwise")
        image[at + PROLOGUE_SIZE:at + PROLOGUE_SIZE + len(body)] = body
    at = place(image, known["bpf_jit_enable"])
    image[at:at + 4] = bytes(4)
    name = image.find(b"\0bpf_jit_enable\0")
    if name < 0:
        die("no sysctl bpf_jit_enable")
    image[name + 1:name + 4] = b"not"
    open(path, "wb").write(image)


main(sys.argv[1])
