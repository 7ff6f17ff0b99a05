#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""matrix.py [--check] FOLDER PAGE: writes the results of tests/vm/matrix as tables into the page, between the lines
<!-- matrix --> and <!-- end of matrix -->.

Input:  FOLDER/SERIES.TIER, as matrix says. Output: how many cells each kernel and tier has, with the commits that were
tested; a row for each test; the reasons of failures and skips. A cell that was not run is empty.
--check: the page is read only; the status is 1 if its tables are not those of the data, or if a line is malformed.
"""
import os
import re
import sys

import tables

COLUMNS = [(k, t) for k in ("5.10", "6.1", "6.12", "newest") for t in ("hooks", "functions", "kprobes") if (k, t) != ("5.10", "hooks")]
MARKS = {"ok": "ok", "skip": "–", "FAIL": "**fails**", "died": "**dies**"}


def read(path):
    """The cells of a column: test -> (result, commit, why)."""
    cells = {}
    for number, line in enumerate(open(path, encoding="utf-8").read().splitlines(), 1):
        fields = line.split("\t")
        if len(fields) != 5 or fields[1] not in MARKS:
            sys.exit(f"matrix.py: {path}:{number} is no result")
        cells[fields[0]] = (fields[1], fields[2], fields[4])
    return cells


def escaped(text):
    return re.sub(r"([|<>*_`])", r"\\\1", text)


def totals(columns):
    yield "| kernel | tier | run | passed | skipped | failed | dwire |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for (kernel, tier), cells in columns.items():
        n = {m: sum(c[0] == m for c in cells.values()) for m in MARKS}
        commits = ", ".join(sorted({c[1] for c in cells.values()}))
        yield f"| {kernel} | {tier} | {len(cells)} | {n['ok']} | {n['skip']} | {n['FAIL'] + n['died']} | {commits} |"


def rows(columns):
    yield "| test | " + " | ".join(f"{k} {t}" for k, t in columns) + " |"
    yield "| --- " * (len(columns) + 1) + "|"
    for test in sorted({t for cells in columns.values() for t in cells}):
        marks = [MARKS[cells[test][0]] if test in cells else "" for cells in columns.values()]
        yield f"| `{test.removesuffix('.sh')}` | " + " | ".join(marks) + " |"


def reasons(columns, results):
    """Each reason once, with the cells that have it."""
    found = {}
    for (kernel, tier), cells in columns.items():
        for test, (result, _, why) in sorted(cells.items()):
            if result in results:
                found.setdefault(why, {}).setdefault(test.removesuffix(".sh"), []).append(f"{kernel} {tier}")
    for why, tests in sorted(found.items(), key=lambda f: list(f[1])):
        where = "; ".join(f"`{t}` ({', '.join(places)})" for t, places in tests.items())
        yield f"- {escaped(why)}: {where}"


def page(folder):
    columns = {c: read(f"{folder}/{c[0]}.{c[1]}") for c in COLUMNS if os.path.exists(f"{folder}/{c[0]}.{c[1]}")}
    out = ["Made by `tests/vm/matrix`. –: the test skips; empty: not run yet. (+: and changes that were not committed.)", ""]
    out += [*totals(columns), "", *rows(columns)]
    failed, skipped = list(reasons(columns, ("FAIL", "died"))), list(reasons(columns, ("skip",)))
    out += ["", "What failed:", "", *failed] if failed else ["", "No cell failed."]
    out += ["", "Why tests skip:", "", *skipped] if skipped else []
    return "\n".join(out)


tables.main("matrix", page)
