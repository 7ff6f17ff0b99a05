#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""layers: the arrows of the tree. Usage: layers.py ROOT BUILD

Input: the includes of the sources below ROOT, and the symbols of the objects in BUILD. Output: a line for each arrow
that points upwards (an include, or a call of a function that a higher layer defines), and for each circle of files
that call each other. No output: the tree is sound.
"""
import collections
import json
import os
import re
import subprocess
import sys

# The layers, the lowest first. A file may use its own layer and those before it.
LAYERS = """abi base image lang ir kernel symbols probes prov lower options namespaces process load attach owner compile record agg consume
print stream recording session api cli export live""".split()

# In these, files call each other because a tree is walked: an expression holds expressions.
RECURSIVE = ("src/lang/parse/", "src/lang/check/", "src/lower/")


# What src/cli may include of the library: its face, and plain utilities that know nothing of tracing.
FACE = ("src/api/dwire.h", "src/base/clock.h", "src/base/escape.h", "src/base/lines.h", "src/base/inet.h", "src/base/utf8.h",
    "src/base/diag/nearest.h")


def layer(path):
    """The layer of a file: its folder below src; what is compiled for the kernel shares with user space only abi."""
    return path.split("/")[1] if path.startswith("src/") else "abi"


def above(path, other):
    """Does an arrow from path to other point upwards?"""
    return LAYERS.index(layer(other)) > LAYERS.index(layer(path))


def includes(root):
    """(file, included file), both below root."""
    for folder in ("src", "bpf"):
        for where, _, names in os.walk(os.path.join(root, folder)):
            for name in names:
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.relpath(os.path.join(where, name), root)
                with open(os.path.join(root, path), encoding="utf-8") as text:
                    for line in text:
                        m = re.match(r'#include "(.*)"', line)
                        if m and os.path.exists(os.path.join(root, "src", m[1])):
                            yield path, "src/" + m[1]


def objects(root, build):
    """(source, object) of the library and the command."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as text:
        for c in json.load(text):
            source = os.path.relpath(os.path.join(c["directory"], c["file"]), root)
            if source.startswith("src/"):
                yield source, os.path.join(c["directory"], c["output"])


def calls(root, build):
    """(file, file that defines what it uses, the name)."""
    defined, used = {}, collections.defaultdict(set)
    for source, obj in objects(root, build):
        out = subprocess.run(["nm", obj], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            kind, name = line.split()[-2:]
            if kind == "U":
                used[source].add(name)
            elif kind in "TDRBV":
                defined[name] = source
    for source, names in used.items():
        for name in names:
            if defined.get(name, source) != source:
                yield source, defined[name], name


def circles(arrows):
    """Groups of files that call each other (Tarjan's strongly connected components)."""
    graph = collections.defaultdict(set)
    for a, b, _ in arrows:
        graph[a].add(b)
        graph[b]
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in graph[v]:
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            group = [stack.pop()]
            while group[-1] != v:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10000)
    for v in list(graph):
        if v not in index:
            visit(v)
    return found


def main(root, build):
    """Prints what is wrong."""
    for folder in sorted(os.listdir(os.path.join(root, "src"))):
        if os.path.isdir(os.path.join(root, "src", folder)) and folder not in LAYERS:
            print(f"src/{folder}: no layer of tests/lint/layers.py")
            return
    for a, b in sorted(includes(root)):
        if above(a, b):
            print(f"{a}: includes {b}, which is above it")
        if layer(a) == "cli" and layer(b) != "cli" and b not in FACE:
            print(f"{a}: includes {b}; the command uses only the library's face")
    arrows = sorted(calls(root, build))
    for a, b, name in arrows:
        if above(a, b):
            print(f"{a}: uses {name}() of {b}, which is above it")
    for group in circles(arrows):
        if not any(all(f.startswith(r) for f in group) for r in RECURSIVE):
            print("these files call each other: " + " ".join(group))


if __name__ == "__main__":
    main(os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2]))
