#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py [COMMAND]: what was printed, on the standard input, as an SVG of a terminal; with the command above it if one
is given. Colours and other attributes are those of the escape sequences that `tmux capture-pane -pe` writes."""
import re
import sys
import unicodedata
from xml.sax.saxutils import escape

ADVANCE, HEIGHT, MARGIN = 8.4, 18, 14  # of a character of 14 px, in px
GROUND, TEXT = "#1c1f24", "#d8dee6"
NORMAL = ["#3b414a", "#e07a7a", "#8fd18f", "#d9bf73", "#7fa6e0", "#c08fd6", "#74c5c5", TEXT]
BRIGHT = ["#6b7480", "#f29a9a", "#a9e5a9", "#f0d68a", "#9dbff2", "#d9aced", "#93dede", "#ffffff"]


def colour(n):
    """The n-th of 256 colours, as xterm has them."""
    if n < 16:
        return (NORMAL + BRIGHT)[n]
    if n >= 232:
        return "#" + f"{8 + 10 * (n - 232):02x}" * 3
    return "#" + "".join(f"{55 + 40 * v if v else 0:02x}" for v in ((n - 16) // 36, (n - 16) // 6 % 6, (n - 16) % 6))


class Look:
    def __init__(self):
        self.fore = self.back = None
        self.bold = self.dim = self.reverse = False

    def apply(self, numbers):
        """Takes the numbers of one sequence `ESC [ 1;38;5;74 m`."""
        numbers = iter(numbers or [0])
        for n in numbers:
            if n == 0:
                self.__init__()
            elif n in (1, 2, 7):
                setattr(self, {1: "bold", 2: "dim", 7: "reverse"}[n], True)
            elif n == 22:
                self.bold = self.dim = False
            elif n == 27:
                self.reverse = False
            elif n in (38, 48) and next(numbers) == 5:
                setattr(self, "fore" if n == 38 else "back", colour(next(numbers)))
            elif n in (39, 49):
                setattr(self, "fore" if n == 39 else "back", None)
            elif 30 <= n <= 37 or 90 <= n <= 97:
                self.fore = colour(n - 30 if n < 90 else n - 82)
            elif 40 <= n <= 47 or 100 <= n <= 107:
                self.back = colour(n - 40 if n < 100 else n - 92)

    def drawn(self):
        """(fill, background or None, further attributes of a text)"""
        fore, back = self.fore or TEXT, self.back
        if self.reverse:
            fore, back = back or GROUND, fore
        return fore, back, (' font-weight="bold"' if self.bold else "") + (' opacity="0.65"' if self.dim else "")


def width_of(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text if not unicodedata.combining(c))


def pieces(line, look):
    """(column, text, what Look.drawn says) of each stretch of one look; look goes on in the next line."""
    at = 0
    for part in re.split("(\x1b\\[[0-9;]*m|\x0f|\x0e)", line):
        if part.startswith("\x1b"):
            look.apply([int(n or 0) for n in part[2:-1].split(";")])
        elif part and part not in "\x0e\x0f":
            yield at, part, look.drawn()
            at += width_of(part)


def words(text):
    """(columns before it, word) of each word; browsers differ in what they do with more than one space. Bars are words."""
    for m in re.finditer("[^ \u2581-\u2588]+(?: [^ \u2581-\u2588]+)*|[\u2581-\u2588]", text):
        yield width_of(text[:m.start()]), m[0]


def drawn_word(x, y, word, style):
    """A word as a text, a bar of so many eighths as a rectangle: fonts leave gaps between them."""
    if "\u2581" <= word <= "\u2588":
        high = (ord(word) - 0x2580) * HEIGHT / 8
        return f'<rect x="{x:.1f}" y="{y + HEIGHT - high:.1f}" width="{ADVANCE}" height="{high:.1f}"{style}/>'
    # textLength: columns stay where they are whatever the font.
    return f'<text x="{x:.1f}" y="{y + 13}" textLength="{width_of(word) * ADVANCE:.1f}"{style}>{escape(word)}</text>'


def main():
    lines = sys.stdin.read().expandtabs().splitlines()
    if len(sys.argv) > 1:  # the command green, the titles below it blue
        lines = [f"\x1b[32m# {sys.argv[1]}\x1b[m", f"\x1b[34m{lines[0]}\x1b[m"] + lines[1:]
    look = Look()
    rows = [list(pieces(line, look)) for line in lines]
    columns = max([80] + [at + width_of(text) for row in rows for at, text, _ in row])
    width = columns * ADVANCE + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{len(rows) * HEIGHT + 2 * MARGIN}">')
    print("<!-- SPDX-License-Identifier: GPL-2.0-or-later; made by docs/pictures/make -->")
    print(f'<rect width="100%" height="100%" rx="6" fill="{GROUND}"/>')
    print(f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="{TEXT}">')
    for i, row in enumerate(rows):
        for at, text, (fill, back, more) in row:
            x, size = MARGIN + at * ADVANCE, width_of(text) * ADVANCE
            if back:
                print(f'<rect x="{x:.1f}" y="{MARGIN + i * HEIGHT}" width="{size:.1f}" height="{HEIGHT}" fill="{back}"/>')
            fill = "" if fill == TEXT else f' fill="{fill}"'
            for start, word in words(text):
                print(drawn_word(x + start * ADVANCE, MARGIN + i * HEIGHT, word, fill + more))
    print("</g>\n</svg>")


if __name__ == "__main__":
    main()
