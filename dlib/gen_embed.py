#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts text files into a C table.

Usage: gen_embed.py dlib|tool|export|record|report OUTPUT.c FILE...
Output: the arrays KIND_files and KIND_nfiles, in order of the files' names; HEADERS names the header that declares
them. Texts end with a NUL that len does not count. For dlib also the index of its declarations (src/lang/dlib.h): what each
defines and which others it needs.
"""
import os
import re
import sys

HEADERS = {"dlib": "lang/dlib.h", "tool": "cli/tool/table.h", "export": "export/script.h",
	"record": "cli/record/record.h", "report": "cli/report/report.h"}
TYPES = {"dlib": "dlib_file", "export": "export_file"}  # those of the command: struct embedded (src/cli/embedded.h)


def c_string(line):
    """One line of the text as a C string literal; the escapes are octal, so no digit can join them."""
    out = []
    for byte in line:
        char = chr(byte)
        if char in '"\\?':  # a ? could begin a trigraph
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append("\\%03o" % byte)
    return '"' + "".join(out) + '"'


# ---- the index of the declarations ------------------------------------------------------------------------------------
TOKEN = re.compile(rb"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d\w*|->|\s+|.""", re.S)


def squeeze(data):
    """The D text without comments and indentation; the lines keep their numbers."""
    text = TOKEN.sub(lambda m: b"\n" * m.group().count(b"\n") if m.group()[:2] in (b"/*", b"//") else m.group(), data)
    return b"".join(line.strip() + b"\n" for line in text.splitlines())


def read(path, kind):
    """What is embedded: comments of dlib and the licence line of a tool stay out of the binary."""
    with open(path, "rb") as f:
        data = f.read()
    return squeeze(data) if kind == "dlib" else re.sub(rb"\A// SPDX-[^\n]*\n", b"", data)


def declarations(data):
    """The top-level declarations of a D text: (from, to, [(word or mark, depth)])."""
    depth, start, words, out = 0, None, [], []
    for m in TOKEN.finditer(data):
        t = m.group()
        if t.isspace() or t.startswith((b"/*", b"//")):
            continue
        if start is None:
            start = m.start()
        if t in (b"{", b"(", b"["):
            depth += 1
        words.append((t.decode(), depth))
        if t in (b"}", b")", b"]"):
            depth -= 1
        if t == b";" and depth == 0:
            out.append((start, m.end(), words))
            start, words = None, []
    if start is not None:
        sys.exit("a declaration has no end: %s" % data[start : start + 60])
    return out


def is_word(t):
    return re.match(r"[A-Za-z_]\w*$", t) is not None


def defines(words):
    """The names that a declaration defines; a translator defines none."""
    first, names = words[0][0], []
    top = [t for t, depth in words if depth == 0]
    if first == "translator":
        return []
    for i, (t, _) in enumerate(words[:-2]):
        if t in ("struct", "union", "enum") and is_word(words[i + 1][0]) and words[i + 2][0] == "{":
            names.append(words[i + 1][0])
        if t == "{" and i and "enum" in (words[i - 1][0], words[i - 2][0]):
            depth = words[i][1]
            for k in range(i + 1, len(words)):
                if words[k] == ("}", depth):
                    break
                if is_word(words[k][0]) and words[k - 1][0] in ("{", ","):
                    names.append(words[k][0])
    if first == "inline":
        end = next(i for i, (t, _) in enumerate(words) if t in ("=", "[", "("))
        names.append(words[end - 1][0])
    else:  # typedef, or a structure alone: then its last word is its tag
        names += [t for t in top if is_word(t)][-1:]
    # f(x) stands for __fn_f[x], `x for __sym_x
    return names + [n.split("_", 3)[3] for n in names if n.startswith(("__fn_", "__sym_"))]


def index(paths):
    """C text of dlib_decls, dlib_names and dlib_refs."""
    # net.d first: the others are made of its types, and names are declared in this order.
    order = sorted(range(len(paths)), key=lambda i: (os.path.basename(paths[i]) != "net.d", i))
    decls, by_name = [], {}
    for f in order:
        for start, end, words in declarations(read(paths[f], "dlib")):
            for name in defines(words):
                by_name.setdefault(name, []).append(len(decls))
            decls.append((f, start, end, words))
    refs, out = [], ["const struct dlib_decl dlib_decls[] = {"]

    def put(ids):
        refs.extend(sorted(set(ids)) + ["DLIB_END"])
        return len(refs) - len(set(ids)) - 1

    for i, (f, start, end, words) in enumerate(decls):
        needs = {d for t, _ in words for d in by_name.get(t, ()) if d != i}
        waits = set()
        if words[0][0] == "translator":
            head = words[: next(k for k, (t, _) in enumerate(words) if t == ">")]
            waits = {by_name[t][0] for t, _ in head if t in by_name}
        out.append("\t{%d, %d, %d, %d, %d}," % (f, start, end, put(needs), put(waits)))
    out += ["};", "const size_t dlib_ndecls = %d;" % len(decls), "const struct dlib_name dlib_names[] = {"]
    out += ['\t{"%s", %d},' % (name, put(by_name[name])) for name in sorted(by_name)]
    out += ["};", "const size_t dlib_nnames = %d;" % len(by_name)]
    return out + ["const uint16_t dlib_refs[] = {", "\t" + ", ".join(map(str, refs)), "};"]


def main():
    kind, output, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    paths.sort(key=os.path.basename)
    lines = ["/* Made by gen_embed.py. */", '#include "%s"' % HEADERS[kind], ""]
    lines.append("const struct %s %s_files[] = {" % (TYPES.get(kind, "embedded"), kind))
    for path in paths:
        data = read(path, kind)
        if b"\0" in data:
            sys.exit("%s: a NUL byte in a text file" % path)
        lines.append('\t{"%s",' % os.path.basename(path))
        lines += ["\t " + c_string(line) for line in data.splitlines(keepends=True)] or ['\t ""']
        lines[-1] += ","
        lines.append("\t %d}," % len(data))
    # A table may be empty, an array in C may not: the last entry is no file.
    lines += ["\t{0, 0, 0},", "};", "const size_t %s_nfiles = %d;" % (kind, len(paths))]
    if kind == "dlib":
        lines += index(paths)
    with open(output, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


main()
