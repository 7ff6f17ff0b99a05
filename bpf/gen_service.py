#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen_service OBJECT NAME HEADER: the programs and maps of an object file as tables for src/owner/service.c.

Input:  what clang -g makes of src/owner/bpf/owner.bpf.c, linked by bpftool: programs, functions in .text, maps in BTF,
        variables in .bss, CO-RE relocations (.BTF.ext).
Output: struct service NAME_service (src/owner/service.h). Each program has its functions behind it. Its instructions are
        compressed; what depends on the kernel or on descriptors is a list of places, which service.c fills in.
"""
import struct
import sys
import zlib

sys.dont_write_bytecode = True
from gen_lib import R_BPF_64_32, R_BPF_64_64, SHF_EXECINSTR, SHT_PROGBITS, SHT_REL, SHT_SYMTAB, decode, name_at, read_elf

CALL, LD_IMM64, PSEUDO_CALL, PSEUDO_FUNC = 0x85, 0x18, 1, 4
INT, PTR, ARRAY, STRUCT, UNION, ENUM, TYPEDEF, VOLATILE, CONST, RESTRICT, VAR, DATASEC = 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 14, 15
FUNC_PROTO, DECL_TAG, ENUM64, SCALARS = 13, 17, 19, (1, 2, 6, 19)
# By number in struct bpf_core_relo; None: not used by our programs.
KINDS = ["OFFSET", "SIZE", "EXISTS", "SIGNED", "LSHIFT", "RSHIFT", None, "TYPE_ID", "TYPE_EXISTS", "TYPE_SIZE", None, None, None]
SECTIONS = {
    "cgroup/sock_create": ("CGROUP_SOCK", "CGROUP_INET_SOCK_CREATE"),
    "cgroup/sock_release": ("CGROUP_SOCK", "CGROUP_INET_SOCK_RELEASE"),
    "cgroup_skb/egress": ("CGROUP_SKB", "CGROUP_INET_EGRESS"),
    "cgroup/getpeername4": ("CGROUP_SOCK_ADDR", "CGROUP_INET4_GETPEERNAME"),
    "cgroup/getpeername6": ("CGROUP_SOCK_ADDR", "CGROUP_INET6_GETPEERNAME"),
    "tp_btf": ("TRACING", "TRACE_RAW_TP"), "fentry": ("TRACING", "TRACE_FENTRY"), "fexit": ("TRACING", "TRACE_FEXIT"),
    "kprobe.multi": ("KPROBE", "TRACE_KPROBE_MULTI"), "iter": ("TRACING", "TRACE_ITER"), "raw_tp": ("RAW_TRACEPOINT", None),
}


def fail(why):
    sys.exit(f"gen_service: {why}")


class Types:
    """The object's BTF: (kind, name, size or type, members or such) by id."""
    def __init__(self, end, data):
        head, = struct.unpack_from(end + "I", data, 4)
        types_at, types_len, names_at, names_len = struct.unpack_from(end + "4I", data, 8)
        self.names = data[head + names_at:head + names_at + names_len]
        self.v, at = [(0, "", 0, [])], head + types_at
        stop = at + types_len
        while at < stop:
            name, info, size = struct.unpack_from(end + "3I", data, at)
            at += 12
            kind, n, more = info >> 24 & 31, info & 0xffff, []
            if kind in (STRUCT, UNION, DATASEC):
                more = [struct.unpack_from(end + "3I", data, at + 12 * i) for i in range(n)]
                at += 12 * n
            elif kind in (ENUM, FUNC_PROTO):
                more = [None] * n
                at += 8 * n
            elif kind == ARRAY:
                more = struct.unpack_from(end + "3I", data, at)
                at += 12
            elif kind in (INT, VAR, DECL_TAG):
                at += 4
            elif kind == ENUM64:
                at += 12 * n
            self.v.append((kind, self.text(name), size, more))

    def text(self, off):
        return name_at(self.names, off)

    def plain(self, id):
        """Behind typedefs and qualifiers."""
        while self.v[id][0] in (TYPEDEF, VOLATILE, CONST, RESTRICT):
            id = self.v[id][2]
        return id

    def size(self, id):
        kind, name, size, more = self.v[self.plain(id)]
        return 8 if kind == PTR else self.size(more[0]) * more[2] if kind == ARRAY else size

    def path(self, id, access):
        """The members that an access string "0:1:0" names, and the size of the last one; 0: it is no number."""
        first, *rest = map(int, access.split(":"))
        if first:
            fail(f"an access beyond a structure: {access}")
        names = []
        for index in rest:
            id = self.plain(id)
            kind, name, size, more = self.v[id]
            if kind == ARRAY:
                if index: # the first one's place is the array's
                    names.append(str(index))
                id = more[0]
                continue
            names.append(self.text(more[index][0]))
            id = more[index][1]
        return ".".join(n for n in names if n), self.size(id) if self.v[self.plain(id)][0] in SCALARS else 0

    def maps(self):
        """name -> (type, key size, value size, entries, flags)"""
        found = {}
        for kind, name, size, more in self.v:
            if kind != DATASEC or name != ".maps":
                continue
            for var, off, length in more:
                _, title, of, _ = self.v[var]
                given = {self.text(m[0]): m[1] for m in self.v[self.plain(of)][3]}
                number = lambda k: self.v[self.plain(self.v[given[k]][2])][3][2] if k in given else 0
                sized = lambda k: self.size(self.v[given[k]][2])
                found[title] = (number("type"), sized("key"), sized("value"), number("max_entries"), number("map_flags"))
        return found


class Object:
    def __init__(self, path):
        self.end, self.sections, heads = read_elf(path)
        self.index = {s[0]: i for i, s in enumerate(self.sections)}
        self.types = Types(self.end, self.sections[self.index[".BTF"]][5])
        self.symbols, self.rels = [], {}
        for i, (name, kind, flags, link, info, data) in enumerate(self.sections):
            if kind == SHT_SYMTAB:
                strings = self.sections[link][5]
                self.symbols = [(name_at(strings, s), what & 15, shndx, value, size) for s, what, other, shndx, value, size
                                in struct.iter_unpack(self.end + "IBBHQQ", data)]
            elif kind == SHT_REL and not self.sections[info][0].startswith(".BTF"):
                self.rels[info] = {off // 8: (what >> 32, what & 0xffffffff)
                                   for off, what in struct.iter_unpack(self.end + "QQ", data)}
        self.bss = next((h[5] for s, h in zip(self.sections, heads) if s[0] == ".bss"), 0)
        self.core = self.read_core()

    def read_core(self):
        """section -> {instruction: (kind, tag, path, size)}"""
        data, end = self.sections[self.index[".BTF.ext"]][5], self.end
        head, = struct.unpack_from(end + "I", data, 4)
        at, length = struct.unpack_from(end + "2I", data, 24)
        at += head
        stop, (each,) = at + length, struct.unpack_from(end + "I", data, at)
        at, found = at + 4, {}
        while at < stop:
            name, n = struct.unpack_from(end + "2I", data, at)
            at += 8
            of = found.setdefault(self.types.text(name), {})
            for i in range(n):
                off, type_id, access, kind = struct.unpack_from(end + "4I", data, at + i * each)
                of[off // 8] = self.core_of(type_id, self.types.text(access), kind)
            at += n * each
        return found

    def core_of(self, type_id, access, kind):
        what = KINDS[kind]
        type_kind, tag, of, more = self.types.v[type_id]
        tag = tag.split("___")[0]
        if what == "TYPE_EXISTS" and type_kind == TYPEDEF and tag.startswith("btf_trace_"):
            proto = self.types.v[self.types.plain(of)][2] # a pointer to it
            return "TRACEPOINT", tag[len("btf_trace_"):], "", len(self.types.v[proto][3]) - 1
        if not what or type_kind not in (STRUCT, UNION):
            fail(f"a relocation of kind {kind} of {tag}")
        if what.startswith("TYPE_"):
            return what, tag, "", 0
        return what, tag, *self.types.path(type_id, access)


def functions(o):
    """The functions of .text: first instruction -> (name, instructions)."""
    text = o.index.get(".text")
    code = decode(o.end, o.sections[text][5]) if text is not None else []
    return {value // 8: (name, code[value // 8:(value + size) // 8])
            for name, kind, shndx, value, size in o.symbols if kind == 2 and shndx == text}


class Program:
    """A program with the functions that it needs behind it; places: (instruction, kind, argument)."""
    def __init__(self, o, section, name, code, subs, maps, cores, kfuncs):
        self.o, self.subs, self.maps, self.cores, self.kfuncs = o, subs, maps, cores, kfuncs
        self.name, self.insns, self.places, self.starts, self.put = name, [], [], [0], {}
        todo = []
        self.add(section, 0, code, todo)
        for sub in todo:
            if sub not in self.put:
                self.put[sub] = len(self.insns)
                self.starts.append(len(self.insns))
                self.add(".text", sub, subs[sub][1], todo)
        for at, sub in self.named:
            op, dst, src, off, imm = self.insns[at]
            self.insns[at] = op, dst, PSEUDO_CALL if op == CALL else PSEUDO_FUNC, off, self.put[sub] - at - 1
        self.places.sort()

    named = ()

    def add(self, section, first, code, todo):
        """first: the place of the code in its section."""
        base, rels, core = len(self.insns), self.o.rels.get(self.o.index[section], {}), self.o.core.get(section, {})
        self.insns += code
        for i, (op, dst, src, off, imm) in enumerate(code):
            if first + i in core:
                self.places.append((base + i, "CORE", number_of(self.cores, core[first + i])))
            if first + i in rels:
                self.refer(base + i, *rels[first + i], todo)
            elif op == CALL and src == PSEUDO_CALL:
                self.name_sub(base + i, first + i + 1 + imm, todo)

    def name_sub(self, at, sub, todo):
        if sub not in self.subs:
            fail(f"{self.name} names something that is no function")
        todo.append(sub)
        self.named = (*self.named, (at, sub))

    def refer(self, at, symbol, kind, todo):
        name, what, shndx, value, size = self.o.symbols[symbol]
        op, dst, src, off, imm = self.insns[at]
        section = self.o.sections[shndx][0] if shndx < len(self.o.sections) else ""
        if op == CALL and not shndx:
            self.places.append((at, "KFUNC", number_of(self.kfuncs, name)))
        elif op == CALL and section == ".text":
            self.name_sub(at, value // 8 + imm + 1, todo)
        elif op == LD_IMM64 and section == ".text":
            self.name_sub(at, (value + imm) // 8, todo)
        elif op == LD_IMM64 and section == ".maps":
            self.places.append((at, "MAP", list(self.maps).index(name)))
        elif op == LD_IMM64 and section == ".bss":
            self.places.append((at, "VALUE", value + imm))
        else:
            fail(f"{self.name} has a relocation to {name or section}")


def number_of(table, what):
    if what not in table:
        table.append(what)
    return table.index(what)


def read_programs(o, cores, kfuncs, maps):
    subs, programs = functions(o), []
    for i, (section, kind, flags, link, info, data) in enumerate(o.sections):
        if kind != SHT_PROGBITS or not flags & SHF_EXECINSTR or section == ".text" or not data:
            continue
        entry = [s for s in o.symbols if s[1] == 2 and s[2] == i]
        if len(entry) != 1:
            fail(f"{section} has {len(entry)} programs")
        head, _, at = section.partition("/")
        types = SECTIONS.get(section) or SECTIONS.get(head)
        if not types:
            fail(f"what is {section}?")
        p = Program(o, section, entry[0][0], decode(o.end, data), subs, maps, cores, kfuncs)
        at = "" if section in SECTIONS else "bpf_iter_" + at if head == "iter" else at
        programs.append((p, types, at))
    return programs


def c_string(s):
    return f'"{s}"' if s else "NULL"


def main():
    path, name, header = sys.argv[1:]
    o, cores, kfuncs = Object(path), [], []
    maps = o.types.maps()
    programs = read_programs(o, cores, kfuncs, maps)
    code, places, starts, rows = [], [], [], []
    for p, (prog_type, attach), at in programs:
        rows.append(f"\t{{ {c_string(p.name)}, {c_string(at)}, BPF_PROG_TYPE_{prog_type}, "
                    f"{'BPF_' + attach if attach else 0}, {len(code)}, {len(p.insns)}, {len(places)}, {len(p.places)}, "
                    f"{len(starts)}, {len(p.starts)} }},\n")
        code += p.insns
        places += p.places
        starts += p.starts
    raw = b"".join(struct.pack(o.end + "BBhi", op, dst | src << 4 if o.end == "<" else dst << 4 | src, off, imm)
                   for op, dst, src, off, imm in code)
    packed = zlib.compress(raw, 9)
    out = [f"/* Made by bpf/gen_service.py from {name}.bpf.o. Do not edit. */\n",
           f"static const unsigned char {name}_packed[] = {{\n"]
    out += [",".join(map(str, packed[i:i + 40])) + ",\n" for i in range(0, len(packed), 40)]
    out += ["};\n", f"static const struct service_prog {name}_progs[] = {{\n", *rows, "};\n"]
    out += [f"static const struct service_place {name}_places[] = {{\n"]
    out += [f"\t{{ {at}, PLACE_{kind}, {arg} }},\n" for at, kind, arg in places] + ["};\n"]
    out += [f"static const uint16_t {name}_starts[] = {{ {', '.join(map(str, starts))} }};\n"]
    out += [f"static const struct service_core {name}_cores[] = {{\n"]
    out += [f"\t{{ CORE_{kind}, {c_string(tag)}, {c_string(members) if members else 'NULL'}, {size} }},\n" for kind, tag, members, size in cores]
    out += ["};\n", f"static const char *const {name}_kfuncs[] = {{ {', '.join([c_string(k) for k in kfuncs] + ['NULL'])} }};\n"]
    out += [f"static const struct service_map {name}_maps[] = {{\n"]
    out += [f'\t{{ "{title}", {", ".join(map(str, numbers))} }},\n' for title, numbers in maps.items()] + ["};\n"]
    variables = [(s[0], s[3]) for s in o.symbols if s[1] == 1 and s[2] == o.index.get(".bss")]
    out += [f"static const struct service_var {name}_vars[] = {{\n", *[f'\t{{ "{v}", {at} }},\n' for v, at in variables], "};\n"]
    count = lambda what: f"sizeof({name}_{what}) / sizeof({name}_{what}[0])"
    out += [f"static const struct service {name}_service = {{\n\t{name}_packed, sizeof({name}_packed), {len(code)}, {o.bss},\n",
            *[f"\t{name}_{what}, {count(what)},\n" for what in ("progs", "maps", "vars", "cores")],
            f"\t{name}_kfuncs, {len(kfuncs)}, {name}_places, {name}_starts,\n}};\n"]
    open(header, "w").write("".join(out))


main()
