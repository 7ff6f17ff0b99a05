#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pack_skel IN OUT: a light skeleton with its two blobs, the loader's instructions and data, compressed.

Input:  what `bpftool gen skeleton -L` writes.
Output: the same header, where the load function calls owner_run(&opts, LENGTHS) with blobs that zlib has compressed; the
sizes in opts stay those of the blobs themselves. A blob is some 100 KB of which most bytes are 0.
"""
import re
import sys
import zlib

# As `opts.data = (void *)"…";`, or from bpftool 7.5 on (Debian 13) `static const char opts_data[] … = "…";`, with opts_insn
# for opts.insns, and sizes as `sizeof(opts_data) - 1`.
BLOB = re.compile(r'(opts\.|static const char opts_)(data|insns?)(?:\[\][^=;]*)? = (?:\(void \*\))?"((?:[^"\\]|\\.)*)";', re.S)
ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|[0-7]{1,3}|.)", re.S)
RUN = "bpf_load_and_run(&opts)"
NAMED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}


def unescape(m):
    text = m.group(1)
    if text == "\n":
        return ""
    if text[0] == "x":
        return chr(int(text[1:], 16))
    return chr(int(text, 8)) if text[0] in "01234567" else NAMED[text]


def pack(m):
    form, name, text = m.groups()
    blob = ESCAPE.sub(unescape, text).encode("latin-1")
    packed = zlib.compress(blob, 9)
    lines = [",".join(map(str, packed[i : i + 40])) for i in range(0, len(packed), 40)]
    lengths[name[:4]] = len(packed)
    sizes[f"sizeof(opts_{name}) - 1"] = str(len(blob))
    array = f"static const unsigned char opts_{name}[] = {{\n" + ",\n".join(lines) + "\n};"
    return array + (f"\n\topts.{name} = (void *)opts_{name};" if form == "opts." else "")


lengths, sizes = {}, {}
source = open(sys.argv[1], encoding="latin-1").read()
result = BLOB.sub(pack, source)
if sorted(lengths) != ["data", "insn"] or result.count(RUN) != 1:
    sys.exit("pack_skel: this is not the skeleton that bpftool wrote until now")
result = result.replace(RUN, f"owner_run(&opts, {lengths['data']}, {lengths['insn']})")
for text, size in sizes.items():
    result = result.replace(text, size)
open(sys.argv[2], "w", encoding="latin-1").write(result)
