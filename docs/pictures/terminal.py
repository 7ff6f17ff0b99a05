#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py COMMAND: what was printed, on the standard input, as an SVG of a terminal with the command above it."""
import sys
from xml.sax.saxutils import escape

ADVANCE, HEIGHT, MARGIN = 8.4, 18, 14  # of a character of 14 px, in px
lines = ["# " + sys.argv[1]] + sys.stdin.read().expandtabs().splitlines()
width = max(80, *map(len, lines)) * ADVANCE + 2 * MARGIN
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{len(lines) * HEIGHT + 2 * MARGIN}">')
print("<!-- SPDX-License-Identifier: GPL-2.0-or-later; made by docs/pictures/make -->")
print('<rect width="100%" height="100%" rx="6" fill="#1c1f24"/>')
print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#d8dee6" xml:space="preserve">')
for i, line in enumerate(lines):
    # textLength: columns stay where they are whatever the font.
    style = ' fill="#8fd18f"' if i == 0 else ' fill="#8aa4c8"' if i == 1 else ""
    length = f' textLength="{len(line) * ADVANCE:.1f}"' if line else ""
    print(f'<text x="{MARGIN}" y="{MARGIN + 13 + i * HEIGHT}"{length}{style}>{escape(line)}</text>')
print("</g>\n</svg>")
