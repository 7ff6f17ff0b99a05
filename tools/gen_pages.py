#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen_pages.py OUTPUT.c PAGE...: puts man pages into the program, compressed (src/cli/man/pages.h)."""
import os
import sys
import zlib

text = b""
for path in sorted(sys.argv[2:], key=os.path.basename):
    with open(path, "rb") as f:
        text += b"\1" + os.path.basename(path).encode() + b"\n" + f.read()
packed = zlib.compress(text, 9) if text else b"\0"
with open(sys.argv[1], "w") as f:
    f.write('#include "cli/man/pages.h"\n')
    f.write(f"const size_t pages_packed_size = {len(packed)}, pages_size = {len(text)};\n")
    f.write("const unsigned char pages_packed[] = {\n")
    f.writelines(",".join(map(str, packed[i:i + 40])) + ",\n" for i in range(0, len(packed), 40))
    f.write("};\n")
