#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen_lib: the functions of lib.bpf.o as C arrays for src/ir/emit.c.

Input: lib.bpf.o, made by
    clang -O2 -target bpf -mcpu=v3 -D__BPF__ -g0 -I src -c bpf/lib.bpf.c -o lib.bpf.o
Output: lib_code.h, by
    python3 bpf/gen_lib.py lib.bpf.o lib_code.h
Invariant: each function is a piece of code that runs wherever it is put. Functions cb_* are bodies of loops: where one
is named, or a function is called, emit.c puts in how far away it is. Data, other calls but of helpers, other relocations
and jumps out of a function end the build.
"""
import struct
import sys

SHT_PROGBITS, SHT_SYMTAB, SHT_REL, SHT_RELA, SHT_NOBITS = 1, 2, 9, 4, 8
SHF_ALLOC, SHF_EXECINSTR = 2, 4
STT_FUNC = 2
CLASS_LDX, CLASS_ST, CLASS_STX, CLASS_JMP, CLASS_JMP32, CLASS_ALU64 = 1, 2, 3, 5, 6, 7
FRAME = 10
MOV_REG, ADD_IMM, LD_IMM64, PSEUDO_FUNC = 0xbf, 0x07, 0x18, 4
R_BPF_64_64, R_BPF_64_32 = 1, 10
CALL, PSEUDO_CALL = 0x85, 1


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
    """Bytes of stack that the function uses: plain accesses through R10, and objects whose address is R10 less a
    constant."""
    depth = 0
    for i, (op, dst, src, off, imm) in enumerate(insns):
        cls = op & 7
        if op == MOV_REG and src == FRAME:
            adds = [n for n in insns[i + 1:i + 8] if n[0] == ADD_IMM and n[1] == dst]
            if not adds or adds[0][4] >= 0:
                fail(f"{name}: takes the address of its stack at instruction {i}")
            depth = max(depth, -adds[0][4])
            continue
        if cls == CLASS_LDX and src == FRAME or cls in (CLASS_ST, CLASS_STX) and dst == FRAME:
            depth = max(depth, -off)
        elif cls in (CLASS_STX, CLASS_ALU64) and src == FRAME and op & 8:
            fail(f"{name}: takes the address of its stack at instruction {i}")
    return depth


def traces(name, functions, named):
    """What the function and those that it calls use of their own: bytes of the deepest frame, and R6 to R9 as bits."""
    insns = functions[name]
    frame = frame_of(name, insns)
    regs = sum({1 << r for op, dst, src, off, imm in insns for r in (dst, src) if 6 <= r <= 9})
    for i, callee in named[name]:
        inner, more = traces(callee, functions, named)
        frame, regs = max(frame, inner), regs | more
    return frame + 7 & ~7, regs


def stack_of(name, functions, named):
    """Bytes of stack of the deepest chain of calls that begins with the function. The kernel adds up the frames of a
    chain, in units of 32 bytes, and takes an empty frame for one byte."""
    inner = max([stack_of(n, functions, named) for i, n in named[name]], default=0)
    return ((frame_of(name, functions[name]) or 1) + 31 & ~31) + inner


def check_jumps(name, insns, calls):
    for i, (op, dst, src, off, imm) in enumerate(insns):
        cls, kind = op & 7, op & 0xf0
        if cls == CLASS_JMP and kind == 0x80 and src and i not in calls:
            fail(f"{name}: calls something unknown at instruction {i}")
        if cls not in (CLASS_JMP, CLASS_JMP32) or kind in (0x80, 0x90):
            continue
        if not 0 <= i + 1 + off < len(insns):
            fail(f"{name}: jumps out of itself at instruction {i}")
    op = insns[-1][0]
    if op not in (0x95, 0x05):
        fail(f"{name}: falls off its end")


def read_refs(end, sections, link, info, data):
    """What the relocations of a section name: (section, instruction) -> symbol."""
    symbols = sections[link][5]
    names = sections[sections[link][3]][5]
    refs = {}
    for off, what in struct.iter_unpack(end + "QQ", data):
        sym = name_at(names, struct.unpack_from(end + "I", symbols, (what >> 32) * 24)[0])
        kind = what & 0xffffffff
        if not sym or kind != R_BPF_64_32 and (kind != R_BPF_64_64 or not sym.startswith("cb_")):
            fail(f"a relocation names {sym or 'data'}: only functions that are called and the bodies of loops, cb_*, can be named")
        refs[info, off // 8] = sym
    return refs


def read_functions(path):
    """Functions as lists of instructions, and what each names: function -> [(instruction, function)]."""
    end, sections, heads = read_elf(path)
    functions, refs, named = {}, {}, {}
    for name, kind, flags, link, info, data in sections:
        if kind == SHT_RELA and data:
            fail(f"{path} has relocations of an unknown kind ({name})")
        if kind == SHT_REL and data:
            refs.update(read_refs(end, sections, link, info, data))
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
            named[name_at(strings, sym)] = [(i, refs[shndx, value // 8 + i]) for i in range(len(insns))
                                            if (shndx, value // 8 + i) in refs]
    return functions, named


def main():
    if len(sys.argv) != 3:
        fail("usage: gen_lib.py lib.bpf.o lib_code.h")
    functions, named = read_functions(sys.argv[1])
    if not functions:
        fail(f"{sys.argv[1]} has no functions")
    bodies = [n for n in functions if n.startswith("cb_")]

    def place_of(name):
        return f"LIB_COUNT + {bodies.index(name)}" if name in bodies else f"LIB_{name}"

    text = ["/* Made by bpf/gen_lib.py from bpf/lib.bpf.c. Do not edit. */\n", "#include <linux/bpf.h>\n",
            "#include <stdint.h>\n\n",
            "static const struct bpf_insn lib_insns[] = {\n"]
    index, refs, at = [], [], 0
    for name, insns in functions.items():
        check_jumps(name, insns, [i for i, n in named[name]])
        frame, regs = traces(name, functions, named)
        index.append(f"\t[{place_of(name)}] = {{ {at}, {len(insns)}, {stack_of(name, functions, named)}, {frame}, "
                     f"0x{regs:x} }},\n")
        refs += [f"\t{{ {at + i}, {place_of(n)} }},\n" for i, n in named[name]]
        text.append(f"\t/* {name} */\n")
        for i, (op, dst, src, off, imm) in enumerate(insns):
            if any(i == k for k, n in named[name]):
                src = PSEUDO_CALL if op == CALL else PSEUDO_FUNC
            imm = imm if imm != -2**31 else "INT32_MIN"
            text.append(f"\t{{ 0x{op:02x}, {dst}, {src}, {off}, {imm} }},\n")
        at += len(insns)
    text.append("};\n\n/* First instruction, number of instructions, bytes of stack; traces(). */\n")
    text.append(f"#define LIB_ALL (LIB_COUNT + {len(bodies)})\n")
    text.append("static const struct lib_func {\n\tuint32_t start, n;\n\tint32_t stack, frame;\n\tuint32_t regs;\n} lib_funcs[LIB_ALL] = {\n")
    text += index
    text.append("};\n\n/* Instructions that name a function. */\n")
    text.append("static const struct lib_ref {\n\tuint32_t insn, func;\n} lib_refs[] = {\n")
    text += refs
    text.append("};\n\n")
    text.append(f"_Static_assert(LIB_ALL == {len(functions)}, \"bpf/lib.bpf.c and BPFLIB differ\");\n")
    open(sys.argv[2], "w").write("".join(text))


if __name__ == "__main__":
    main()
