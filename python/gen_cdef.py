#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen_cdef.py HEADER OUTPUT: makes of dwire.h what cffi reads, as a Python module with one text."""
import re
import sys

HEAD = "typedef struct _IO_FILE FILE;\ntypedef int pid_t;\n"


def declarations(header):
    """The header without comments, the preprocessor's lines, attributes and C++."""
    stages = re.findall(r'X\((\w+), "', re.search(r"#define DWIRE_STAGES\(X\).*", header)[0])
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    text = text.replace("\tDWIRE_STAGES(X)\n", "".join(f"\tDWIRE_STAGE_{s},\n" for s in stages))
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    text = re.sub(r"\s*__attribute__\(\(\w+\)\)", "", text)
    return HEAD + re.sub(r"\n\s*\n+", "\n", text)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        text = declarations(f.read())
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write(f'"""What libdwire declares. Made by gen_cdef.py."""\nCDEF = """\n{text}"""\n')


main()
