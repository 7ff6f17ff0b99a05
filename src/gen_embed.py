#!/usr/bin/env python3
"""Puts text files into a C table.

Usage: gen_embed.py dlib|tool OUTPUT.c FILE...
Output: the arrays dlib_files and dlib_nfiles (src/lang/dlib.h) or tool_files and tool_nfiles (src/cli/tools.h), in
order of the files' names. Texts end with a NUL that len does not count.
"""
import os
import sys

HEADERS = {"dlib": "lang/dlib.h", "tool": "cli/tools.h"}


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


def main():
    kind, output, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    paths.sort(key=os.path.basename)
    lines = ["/* Made by gen_embed.py. */", '#include "%s"' % HEADERS[kind], ""]
    lines.append("const struct dlib_file %s_files[] = {" % kind)
    for path in paths:
        with open(path, "rb") as f:
            data = f.read()
        if b"\0" in data:
            sys.exit("%s: a NUL byte in a text file" % path)
        lines.append('\t{"%s",' % os.path.basename(path))
        lines += ["\t " + c_string(line) for line in data.splitlines(keepends=True)] or ['\t ""']
        lines[-1] += ","
        lines.append("\t %d}," % len(data))
    # A table may be empty, an array in C may not: the last entry is no file.
    lines += ["\t{0, 0, 0},", "};", "const size_t %s_nfiles = %d;" % (kind, len(paths))]
    with open(output, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


main()
