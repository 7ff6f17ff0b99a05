# SPDX-License-Identifier: GPL-2.0-or-later
"""members.py DWIRE ROOT NETNS PROVIDER: a D script that prints every member of every argument of every probe of a provider,
in a network namespace; which these are is what docs/providers says. On the standard error: where dlib's structures and the
documents differ."""
import glob
import re
import subprocess
import sys


def documented(root):
    """{structure: {member: type}}, as all the documents say together."""
    structs = {}
    for name in glob.glob(root + "/docs/providers/*.md"):
        struct = None
        for line in open(name):
            if line.startswith("#"):
                struct = line[4:].strip() if re.match(r"### \w+_t$", line) else None
            row = re.match(r"\| (`.*?`) \| `(.*?)` \|", line)
            if struct and row:
                for member in re.findall(r"`(\w+)`", row[1]):
                    structs.setdefault(struct, {})[member] = row[2]
    return structs


def declared(root):
    """{structure: {member}}, of dlib."""
    structs = {}
    for name in glob.glob(root + "/dlib/**/*.d", recursive=True):
        text = re.sub(r"/\*.*?\*/", "", open(name).read(), flags=re.S)
        for body, struct in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, re.S):
            structs[struct] = set(re.findall(r"(\w+)(?:\[\w+\])?;", body))
    return structs


def probes(dwire, provider):
    """[(name, [structure of each argument])], as dwire -lv tells."""
    found = []
    for line in subprocess.run([dwire, "-lvn", provider + ":::"], capture_output=True, text=True).stdout.splitlines():
        row = re.match(r" *\d+ +%s .* (\S+)$" % provider, line)
        argument = re.match(r"\t\targs\[\d\]: (\w+)", line)
        if row:
            found.append((row[1], []))
        elif argument:
            found[-1][1].append(argument[1])
    return found


dwire, root, netns, provider, *without = sys.argv[1:]
docs, code = documented(root), declared(root)
for name, structs in probes(dwire, provider):
    if name in without:
        continue
    for i, struct in enumerate(structs):
        members = list(docs.get(struct, {}).items())
        for missing in code[struct] ^ docs.get(struct, {}).keys():
            print(f"{provider}: {struct}.{missing} is only in one of dlib and docs", file=sys.stderr)
        for at in range(0, len(members), 10):
            part = members[at:at + 10]
            form = " ".join(f"{m}={'%s' if t == 'string' else '%p' if '*' in t else '%d'}" for m, t in part)
            # events without a namespace: the first of the machine
            here = "csinfo_t" in structs
            when = f"/args[{structs.index('csinfo_t')}]->cs_netns == {netns}/" if here else f"/seen_{provider}_{name} < 100/"
            count = "" if here else f"seen_{provider}_{name}++;"
            print(f'{provider}:::{name} {when} {{ {count} printf("{provider} {name} {form}\\n", {", ".join(f"args[{i}]->{m}" for m, _ in part)}); }}')
