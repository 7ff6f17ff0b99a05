#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen_owner OBJECT HEADER: the programs of src/owner/bpf/owner_old.bpf.c as C arrays for src/owner/owner_old.c.

Input:  the object that clang makes of it. Each section is one program, without data and calls of anything but helpers.
Output: old_insns[], old_codes[] (where each program is: OLD_SECTION), old_names[] (the symbols whose addresses are
offsets, "TAG\\0MEMBER", and maps, "\\0NAME") and old_refs[]: which instruction loads which name.
"""
import struct
import sys

sys.dont_write_bytecode = True
from gen_lib import R_BPF_64_64, SHF_EXECINSTR, SHT_PROGBITS, SHT_REL, check_jumps, decode, name_at, read_elf


def fail(why):
    sys.exit(f"gen_owner: {why}")


def text_of(symbol):
    if symbol.startswith("map_"):
        return '{ NULL, "%s" }' % symbol[4:]
    tag, found, member = symbol[3:].partition("__")
    if not symbol.startswith("at_") or not found:
        fail(f"{symbol} is neither at_TAG__MEMBER nor map_NAME")
    return '{ "%s", "%s" }' % (tag, member)


def main():
    end, sections, heads = read_elf(sys.argv[1])
    codes, names, refs, at = [], [], [], 0
    out = ["/* Made by bpf/gen_owner.py from src/owner/bpf/owner_old.bpf.c. Do not edit. */\n",
           "#include <linux/bpf.h>\n#include <stdint.h>\n\nstatic const struct bpf_insn old_insns[] = {\n"]
    relocations = {info: (link, data) for name, kind, flags, link, info, data in sections if kind == SHT_REL}
    for i, (section, kind, flags, link, info, code) in enumerate(sections):
        if kind != SHT_PROGBITS or not flags & SHF_EXECINSTR or not code:
            continue
        insns = decode(end, code)
        check_jumps(section, insns, ())
        symtab, data = relocations.get(i, (0, b""))
        for off, what in struct.iter_unpack(end + "QQ", data):
            strings = sections[sections[symtab][3]][5]
            symbol = text_of(name_at(strings, struct.unpack_from(end + "I", sections[symtab][5], (what >> 32) * 24)[0]))
            if what & 0xffffffff != R_BPF_64_64:
                fail(f"{section} has a relocation of an unknown kind")
            if symbol not in names:
                names.append(symbol)
            refs.append(f"\t{{ {at + off // 8}, {names.index(symbol)} }},\n")
        codes.append((section, at, len(insns)))
        out += [f"\t{{ 0x{op:02x}, {dst}, {src}, {off}, {imm if imm != -2**31 else 'INT32_MIN'} }},\n"
                for op, dst, src, off, imm in insns]
        at += len(insns)
    if not codes:
        fail("there is no program")
    out.append("};\n\nenum old_code { " + ", ".join("OLD_" + c[0].upper() for c in codes) + " };\n")
    out.append("static const struct old_range {\n\tuint32_t start, n;\n} old_codes[] = {\n")
    out += [f"\t{{ {start}, {n} }},\n" for section, start, n in codes]
    out.append("};\n\nstatic const struct old_name {\n\tconst char *tag, *name;\n} old_names[] = {\n")
    out += [f"\t{n},\n" for n in names]
    out.append("};\n\nstatic const struct old_ref {\n\tuint32_t insn, name;\n} old_refs[] = {\n")
    out += refs + ["};\n"]
    open(sys.argv[2], "w").write("".join(out))


main()
