# SPDX-License-Identifier: GPL-2.0-or-later
"""tables: what matrix.py and survey.py share: tables in a page that are made from data.

Input: the arguments [--check] FOLDER PAGE, and a function that makes the tables of the folder's data. Output: the page with
them between the lines <!-- NAME --> and <!-- end of NAME -->; with --check only an exit status.
"""
import sys


def main(name, make):
    check = sys.argv[1] == "--check"
    folder, path = sys.argv[1 + check:]
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    text = open(path, encoding="utf-8").read()
    before, found, rest = text.partition(begin)
    after = rest.partition(end)
    if not found or not after[1]:
        sys.exit(f"{name}.py: {path} has no place for the tables")
    new = f"{before}{begin}\n{make(folder)}\n{end}{after[2]}"
    if not check:
        open(path, "w", encoding="utf-8").write(new)
    elif new != text:
        sys.exit(f"{name}.py: the tables in {path} are not those of {folder}: run {name}.py {folder} {path}")
