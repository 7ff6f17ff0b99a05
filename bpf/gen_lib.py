#!/usr/bin/env python3
"""gen_lib: the functions of lib.bpf.o as C arrays for src/ir/emit.c.

Input: lib.bpf.o, made by
    clang -O2 -target bpf -mcpu=v3 -D__BPF__ -g0 -I src -c bpf/lib.bpf.c -o lib.bpf.o
Output: lib_code.h, by
    python3 bpf/gen_lib.py lib.bpf.o lib_code.h
Invariant: each function is a piece of code that runs wherever it is put. Data, calls of anything but helpers,
relocations and jumps out of a function end the build.
"""
import struct
import sys

SHT_PROGBITS, SHT_SYMTAB, SHT_REL, SHT_RELA, SHT_NOBITS = 1, 2, 9, 4, 8
SHF_ALLOC, SHF_EXECINSTR = 2, 4
STT_FUNC = 2
CLASS_LDX, CLASS_ST, CLASS_STX, CLASS_JMP, CLASS_JMP32, CLASS_ALU64 = 1, 2, 3, 5, 6, 7
FRAME = 10


def fail(why):
    sys.exit(f"gen_lib: {why}")


def name_at(table, off):
    return table[off:table.index(b"\0", off)].decode()


def read_elf(path):
    """Sections as (name, type, flags, link, info, data), and the byte order."""
    elf = open(path, "rb").read()
    if elf[:5] != b"\x7fELF\x02":
        fail(f"{path} is no 64-bit ELF file")
    end = "<" if elf[5] == 1 else ">"
    shoff, = struct.unpack_from(end + "Q", elf, 40)
    shentsize, shnum, shstrndx = struct.unpack_from(end + "HHH", elf, 58)
    heads = [struct.unpack_from(end + "IIQQQQIIQQ", elf, shoff + i * shentsize) for i in range(shnum)]
    data = [b"" if h[1] == SHT_NOBITS else elf[h[4]:h[4] + h[5]] for h in heads]
    return end, [(name_at(data[shstrndx], h[0]), h[1], h[2], h[6], h[7], d) for h, d in zip(heads, data)], heads


def decode(end, code):
    insns = []
    for op, regs, off, imm in struct.iter_unpack(end + "BBhi", code):
        dst, src = (regs & 15, regs >> 4) if end == "<" else (regs >> 4, regs & 15)
        insns.append((op, dst, src, off, imm))
    return insns


def frame_of(name, insns):
    """Bytes of stack that the function uses. Only plain accesses through R10 can be judged."""
    depth = 0
    for i, (op, dst, src, off, imm) in enumerate(insns):
        cls = op & 7
        if cls == CLASS_LDX and src == FRAME or cls in (CLASS_ST, CLASS_STX) and dst == FRAME:
            depth = max(depth, -off)
        elif cls in (CLASS_STX, CLASS_ALU64) and src == FRAME and op & 8:
            fail(f"{name}: takes the address of its stack at instruction {i}")
    return depth


def check_jumps(name, insns):
    for i, (op, dst, src, off, imm) in enumerate(insns):
        cls, kind = op & 7, op & 0xf0
        if cls == CLASS_JMP and kind == 0x80 and src:
            fail(f"{name}: calls something at instruction {i}; inline it")
        if cls not in (CLASS_JMP, CLASS_JMP32) or kind in (0x80, 0x90):
            continue
        if not 0 <= i + 1 + off < len(insns):
            fail(f"{name}: jumps out of itself at instruction {i}")
    op = insns[-1][0]
    if op not in (0x95, 0x05):
        fail(f"{name}: falls off its end")


def read_functions(path):
    end, sections, heads = read_elf(path)
    functions = {}
    for name, kind, flags, link, info, data in sections:
        if kind in (SHT_REL, SHT_RELA) and data:
            fail(f"{path} has relocations ({name}): no data and no calls are possible here")
        if flags & SHF_ALLOC and not flags & SHF_EXECINSTR and (data or kind == SHT_NOBITS) and \
                not name.startswith(".eh_frame"):
            fail(f"{path} has data ({name})")
    for i, (name, kind, flags, link, info, data) in enumerate(sections):
        if kind != SHT_SYMTAB:
            continue
        strings = sections[link][5]
        for sym, what, other, shndx, value, size in struct.iter_unpack(end + "IBBHQQ", data):
            if what & 15 != STT_FUNC:
                continue
            insns = decode(end, sections[shndx][5][value:value + size])
            functions[name_at(strings, sym)] = insns
    return functions


def main():
    if len(sys.argv) != 3:
        fail("usage: gen_lib.py lib.bpf.o lib_code.h")
    functions = read_functions(sys.argv[1])
    if not functions:
        fail(f"{sys.argv[1]} has no functions")
    text = ["/* Made by bpf/gen_lib.py from bpf/lib.bpf.c. Do not edit. */\n", "#include <linux/bpf.h>\n",
            "#include <stdint.h>\n\n",
            "static const struct bpf_insn lib_insns[] = {\n"]
    index, at = [], 0
    for name, insns in functions.items():
        check_jumps(name, insns)
        index.append(f"\t[LIB_{name}] = {{ {at}, {len(insns)}, {frame_of(name, insns)} }},\n")
        text.append(f"\t/* {name} */\n")
        text += [f"\t{{ 0x{op:02x}, {dst}, {src}, {off}, {imm} }},\n" if imm != -2**31 else
                 f"\t{{ 0x{op:02x}, {dst}, {src}, {off}, INT32_MIN }},\n" for op, dst, src, off, imm in insns]
        at += len(insns)
    text.append("};\n\n/* First instruction, number of instructions, bytes of stack. */\n")
    text.append("static const struct lib_func {\n\tuint32_t start, n;\n\tint32_t stack;\n} lib_funcs[LIB_COUNT] = {\n")
    text += index
    text.append("};\n\n")
    text.append(f"_Static_assert(LIB_COUNT == {len(functions)}, \"bpf/lib.bpf.c and BPFLIB differ\");\n")
    open(sys.argv[2], "w").write("".join(text))


main()
