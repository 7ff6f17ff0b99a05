#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gen_meanings.py SCHEMA OUTPUT.c: the descriptions of docs/rows.schema.json, for -h (src/cli/tool/meanings.h)."""
import json
import sys

with open(sys.argv[1], encoding="ascii") as f:
    members = json.load(f)["anyOf"][0]["properties"]
with open(sys.argv[2], "w", encoding="ascii") as f:
    f.write('/* Made by gen_meanings.py. */\n#include "cli/tool/meanings.h"\n\nconst struct meaning column_meanings[] = {\n')
    for name, member in members.items():
        f.write("\t{%s, %s},\n" % (json.dumps(name), json.dumps(member["description"])))
    f.write("};\nconst size_t column_nmeanings = %d;\n" % len(members))
