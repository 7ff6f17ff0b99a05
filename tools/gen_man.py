#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the man pages.

Usage: gen_man.py DWIRE VERSION OUTPUT-FOLDER PAGE...
PAGE is NAME.8 in roff. @VERSION@ becomes the version. A page that has a title (.TH), or stands for another (.so), is
complete. Of a tool's page the sections DESCRIPTION, EXAMPLE, COST, WHAT IT CANNOT SEE and SEE ALSO are written by hand;
NAME, SYNOPSIS, OPTIONS and COLUMNS are made of what `DWIRE NAME -h` prints, so that they cannot differ from the tool. A page may
have OPTIONS for those that need more words than -h has; each replaces the text of the option of its name.
DWIRE "-" is for a build whose programs do not run here: OPTIONS then refers to -h.
"""
import os
import re
import subprocess
import sys

ORDER = ["DESCRIPTION", "OPTIONS", "COLUMNS", "EXAMPLE", "COST", "WHAT IT CANNOT SEE", "SEE ALSO"]


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def synopsis(name, usage):
    """'tcplife [-tT] [-p PID,...] [interval [count]]' with options in bold and values in italics."""
    text = roff(" ".join(usage.split())[len(name):])
    text = re.sub(r"(?<![\w.-])((?:\\-){1,2}[\w]+(?:\\-\w+)*)", r"\\fB\1\\fR", text)
    text = re.sub(r"(?<![\w\\-])([A-Z]{2,}|[a-z]+(?=[],. [|]))(?![\w\\])", r"\\fI\1\\fR", text)
    lines, line = [], f"\\fBdwire {roff(name)}\\fR"
    for token in re.findall(r" \[[^][]*(?:\[[^][]*\][^][]*)*\]| \S+", text):
        if len(re.sub(r"\\f[BIR]|\\(?=-)", "", line + token)) > 100:
            lines.append(line)
            line = token.lstrip()
        else:
            line += token
    return "\n".join(lines + [line]) + "\n"


def entries(help_text):
    """[(head in roff, key, text)] of the options and arguments that -h lists."""
    out = []
    for line in help_text.split("\n"):
        m = re.match(r"  (-{1,2}[\w-]+(?:, --[\w-]+)?|\w+)((?: [A-Z]+[A-Z,.]*)?) +(\S.*)$", line)
        if m:
            names = m[1].split(", ")
            head = ", ".join(f"\\f{'B' if n[0] == '-' else 'I'}{roff(n)}\\fR" for n in names)
            if m[2]:
                head += f" \\fI{m[2].strip().lower()}\\fR"
            text = "The options." if "--help" in names else m[3][0].upper() + m[3][1:]
            out.append((head, names[0], roff(text)))
        elif line.startswith("   ") and line.strip() and out:
            head, key, text = out[-1]
            out[-1] = (head, key, text + " " + roff(line.strip()))
    return [(head, key, text if text.endswith(".") else text + ".") for head, key, text in out]


def options(name, help_text, own):
    """The OPTIONS section; own has the texts of the page, by option."""
    out = []
    for head, key, text in entries(help_text.split("\ncolumns:\n")[0]):
        out.append(f".TP\n{head}\n{own.pop(key, text)}\n")
    if own:
        sys.exit(f"{name}.8 describes options that {name} does not have: {' '.join(own)}")
    return "".join(out)


def columns(name, help_text):
    """The COLUMNS section."""
    out = []
    for line in help_text.partition("\ncolumns:\n")[2].split("\n"):
        if line.startswith("   "):
            out[-1] = out[-1][:-1] + " " + roff(line.strip()) + "\n"
        elif line.startswith("  "):
            title, _, text = line.strip().partition(" ")
            text = text.strip()
            out.append(f".TP\n\\fB{roff(title)}\\fR\n{roff(text[:1].upper() + text[1:])}\n")
        elif line:
            out.append(f".PP\n{roff(line[:1].upper() + line[1:])}\n")
    return "".join(out) or f"\\fBdwire {roff(name)} \\-h\\fR shows them.\n"


def title_of(path):
    """The first line of a tool's head."""
    with open(path[:-2] + ".d", encoding="utf-8") as f:
        return re.search(r"/\* \S+: (.*?)\.?\n", f.read())[1]


def page(dwire, version, path, source):
    name = os.path.basename(path).rsplit(".", 1)[0]
    source = source.replace("@VERSION@", version)
    if re.search(r"^\.(TH|so) ", source, re.M):
        return source
    parts = re.split(r"^\.SH (.*)\n", source, flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))
    wrong = [s for s in sections if s not in ORDER] or [s for s in ORDER if s not in sections and s not in ("OPTIONS", "COLUMNS")]
    if wrong:
        sys.exit(f"{name}.8: {wrong[0]} is not one of its sections, or is missing")
    own = {}
    for block in sections.get("OPTIONS", "").split(".TP\n")[1:]:
        head, _, text = block.partition("\n")
        own[re.split(r"[ ,]", re.sub(r"\\f.", "", head).replace("\\-", "-"))[0]] = text.strip()
    if dwire == "-":
        title, usage = title_of(path), f"{name} [options]"
        sections["OPTIONS"] = sections["COLUMNS"] = f"\\fBdwire {roff(name)} \\-h\\fR shows them.\n"
    else:
        said = subprocess.run([dwire, name, "-h"], check=True, stdout=subprocess.PIPE, text=True).stdout
        title, usage = re.match(r"\S+: (.*?)\.?\nusage: (.*?)\n(?=  \S|\Z)", said, re.S).groups()
        sections["OPTIONS"] = options(name, said, own)
        sections["COLUMNS"] = columns(name, said)
    out = [f'.\\" SPDX-License-Identifier: GPL-2.0-or-later\n.TH {name.upper()} 8 "" "dwire {version}"\n',
           f".SH NAME\n{roff(name)} \\- {roff(title)}\n.SH SYNOPSIS\n{synopsis(name, usage)}"]
    return "".join(out + [f".SH {s}\n{sections[s]}" for s in ORDER])


def main():
    dwire, version, folder = sys.argv[1:4]
    for path in sys.argv[4:]:
        base = os.path.basename(path)
        with open(path, encoding="utf-8") as f:
            text = page(dwire, version, path, f.read())
        with open(os.path.join(folder, base), "w", encoding="utf-8") as f:
            f.write(text)


main()
