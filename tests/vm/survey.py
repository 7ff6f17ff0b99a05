#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""survey.py [--check] FOLDER PAGE: writes what tests/vm/survey has seen on each kernel as tables into the page, between the lines
<!-- survey --> and <!-- end of survey -->.

Input:  FOLDER/SERIES, as survey says. Output: for each provider its probes by the lowest kernel that has them, how many
of these fired on each kernel, and what older kernels lack; the same for tools. A kernel that was not run is left out.
--check: the page is read only; the status is 1 if its tables are not those of the data.
"""
import re
import sys
import textwrap

import tables

ORDER = ["5.10", "6.1", "6.12", "newest"]
HAS = ("fires", "attaches")


def read(path):
    lines = open(path, encoding="utf-8").read().splitlines()
    heads = [h for h in (re.fullmatch(r"release (\S+), dwire (\S+)", line) for line in lines) if h]
    if not heads or lines[0] != heads[0][0]:
        sys.exit(f"survey.py: {path} does not begin with a release")
    commits = " and ".join(dict.fromkeys(h[2] for h in heads))
    return heads[0][1], commits, {tuple(f[:2]): tuple(f[2:4]) for f in (line.split("\t") for line in lines) if len(f) == 4}


def reason(said):
    m = re.search(r"cannot be traced: (?:in the tier \w+: )?(?:it needs )?(.*?)(?:, which this kernel does not have)?$", said)
    said = m[1] if m else re.sub(r"^\S*?:\d+:\d+: (?:error\[\w+\]: )?", "", said)
    return said.replace("|", "\\|").replace("<", "&lt;")[:140]


def span(name, seen):
    """The first and the last kernel of those that have it without a gap, the newest such; None, None: none has it."""
    has = [s.get(name, ("",))[0] in HAS for s in seen]
    if True not in has:
        return None, None
    last = first = len(has) - 1 - has[::-1].index(True)
    while first > 0 and has[first - 1]:
        first -= 1
    return first, last


def lacks(names, low, seen):
    """What the kernel before says of them: one sentence for each, without repetition."""
    at = len(seen) - 1 if low is None else low - 1
    if at < 0:
        return ""
    said = [reason(seen[at][n][1]) if n in seen[at] else "not tried" for n in names]
    return "; ".join(dict.fromkeys(s for s in said if s))[:300]


def label(low, high, series):
    if low is None:
        return "none of these"
    return series[low] if high == len(series) - 1 else f"{series[low]} to {series[high]}"


def rows(kind, seen, series, group):
    """Names of the kind in groups (provider, kernels): [provider, names, from, fired on each, what is missing]."""
    found = {}
    for n in sorted({n for s in seen for n in s if n[0] == kind}):
        found.setdefault((group(n[1]), span(n, seen)), []).append(n)
    out = []
    for (provider, (low, high)), members in sorted(found.items(), key=lambda g: (g[0][0], -1 if g[0][1][0] is None else -g[0][1][0])):
        fired = [sum(s.get(n, ("",))[0] == "fires" for n in members) for s in seen]
        out.append((provider, members, label(low, high, series), fired, lacks(members, low, seen)))
    return out


def short(members, whole):
    texts = [re.sub(r"^[^:]*:+", "", n[1]) if n[0] == "probe" else n[1] for n in members]
    if len(texts) == whole:
        return f"all {whole}" if whole > 1 else f"`{texts[0]}`"
    return ", ".join(f"`{t}`" for t in texts[:24]) + (f" and {len(texts) - 24} more" if len(texts) > 24 else "")


def table(kind, seen, series, group, heads):
    found = rows(kind, seen, series, group)
    whole = {}
    for provider, members, *rest in found:
        whole[provider] = whole.get(provider, 0) + len(members)
    yield f"| {heads[0]} | from | {heads[1]} on {', '.join(series)} | what the kernel before lacks |"
    yield "| --- | --- | --- | --- |"
    for provider, members, low, fired, missing in found:
        name = short(members, whole[provider])
        name = f"`{provider}`: {name}" if provider else name
        yield f"| {name} | {low} | {', '.join(map(str, fired))} of {len(members)} | {missing} |"


def silent(seen):
    names = sorted({n for s in seen for n in s})
    return [n[1] for n in names if any(s.get(n, ("",))[0] in HAS for s in seen) and
            not any(s.get(n, ("",))[0] == "fires" for s in seen)]


def wrapped(text):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def page(folder):
    series, seen, heads = [], [], []
    for name in ORDER:
        try:
            release, commit, lines = read(f"{folder}/{name}")
        except FileNotFoundError:
            continue
        series.append(".".join(re.split(r"[.-]", release)[:2]))
        seen.append(lines)
        heads.append(f"Linux {release} with dwire {commit}")
    out = wrapped("Made by `tests/vm/survey` from a run of probes and tools on a known load: " + "; ".join(heads) +
                  " (+: and changes that were not committed). \"not tried\": the run ended before.") + [""]
    out += table("probe", seen, series, lambda n: n.split(":")[0], ("probes", "fired"))
    out += ["", *table("tool", seen, series, lambda n: "", ("tools", "showed something"))]
    out += ["", *wrapped("The load makes none of these fire; that they attach is all that is known here: " +
                         ", ".join(f"`{n}`" for n in silent(seen)) + ".")]
    return "\n".join(out)


tables.main("survey", page)
