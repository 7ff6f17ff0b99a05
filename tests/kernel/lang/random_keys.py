# SPDX-License-Identifier: GPL-2.0-or-later
"""Random keys of aggregations and random texts, and what D makes of them. random_keys.py SEED D-FILE WANT-FILE writes a
script, with its options of sorting, and the output that it must have, computed here in plain Python. A key keeps the
bits of its type. Rows sort by value and, if values are equal, by keys; with aggsortkey by keys. Keys are compared
without a sign, from aggsortkeypos on and around; texts byte by byte. aggsortrev reverses all. Printed texts are escaped
unless they are literals."""
import random
import sys

seed, d_file, want_file = int(sys.argv[1]), sys.argv[2], sys.argv[3]
r = random.Random(seed)
TYPES = [("char", 8, True), ("uint8_t", 8, False), ("short", 16, True), ("uint16_t", 16, False), ("int", 32, True),
         ("uint32_t", 32, False), ("int64_t", 64, True), ("uint64_t", 64, False)]


def average(v):
    """Division towards zero."""
    return abs(sum(v)) // len(v) * (1 if sum(v) > 0 else -1)


FUNCS = {"count": len, "sum": sum, "min": min, "max": max, "avg": average}


def narrow(v, bits, signed):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


def letters(most):
    """Bytes above 127 are negative characters, but come after all others in a comparison of texts."""
    return bytes(r.choice(b"ab\xffZ ") for _ in range(r.randrange(most + 1)))


def quoted(s):
    return '"' + "".join(chr(c) if c < 127 else f"\\x{c:02x}" for c in s) + '"'


class Aggregation:
    def __init__(self, n, keypos, by_key, rev):
        self.name, self.func = f"@a{n}", r.choice(list(FUNCS))
        self.types = [r.choice(TYPES + [("string", 0, False)] * 2) for _ in range(r.randrange(1, 4))]
        self.keypos, self.by_key, self.rev, self.rows = keypos, by_key, rev, {}

    def record(self):
        """A statement that records a value under keys that variables hold, some of them seen before."""
        keys, texts = [], []
        for t, bits, signed in self.types:
            if not bits:
                keys.append(r.choice([b"", b"a", b"ab", b"\xff", b"b", b"a\xff"]))
                texts.append(quoted(keys[-1]))
                continue
            v = r.choice([0, 1, -1, 2, -2, 127, 128, 255, 256, -129, 32768, 65535, 65536, 1 << 31, (1 << 32) - 1,
                          1 << 32, (1 << 63) - 1, r.randrange(-300, 300)])
            keys.append(narrow(v, bits, signed))
            texts.append(f"({t})(zero + {v}LL)")
        value = r.choice([0, 1, -1, 5, -5, 1 << 40, -(1 << 40), r.randrange(-9, 9)])
        self.rows.setdefault(tuple(keys), []).append(value)
        argument = "" if self.func == "count" else f"zero + {value}LL"
        return f"{self.name}[{', '.join(texts)}] = {self.func}({argument});"

    def order(self, row):
        keys = [k if isinstance(k, bytes) else k & (1 << bits) - 1 for k, (_, bits, _) in zip(row[0], self.types)]
        at = self.keypos if self.keypos < len(keys) else 0
        keys = keys[at:] + keys[:at]
        return (keys, row[1]) if self.by_key else (row[1], keys)

    def print_statement(self):
        formats = " ".join("%d" if bits else "[%s]" for _, bits, _ in self.types)
        return f'printf("{self.name}\\n"); printa("{formats} %@d\\n", {self.name});'

    def want(self):
        rows = [(keys, FUNCS[self.func](values)) for keys, values in self.rows.items()]
        lines = [self.name.encode()]
        for keys, value in sorted(rows, key=self.order, reverse=self.rev):
            shown = [b"[%s]" % k if isinstance(k, bytes) else b"%d" % k for k in keys]
            lines.append(b" ".join(shown + [b"%d" % value]))
        return lines


def string_lines(n):
    """Comparisons, characters, rests of texts and stores into them, in a variable of each kind: (D, what it prints)."""
    s, t = letters(6), letters(6)
    if r.random() < 0.3:
        t = s[:r.randrange(len(s) + 1)] + letters(1)
    var, other = r.sample(["g", "self->s", "this->t", f"a[{n}]", f'b["k", {n}]'], 2)
    char = [c - 256 if c > 127 else c for c in s] + [0]
    at, rest = r.randrange(len(s) + 1), r.randrange(len(s) + 1)
    inner = r.randrange(len(s) - rest + 1)
    d = [f"{var} = {quoted(s)}; {other} = {quoted(t)}; i = {at}; k = {rest};"]
    want = [int(s < t), int(s <= t), int(s == t), int(s != t), int(s >= t), int(s > t), char[at], char[rest + inner],
            len(s) - rest, int(s[rest:] == t), int(s[rest:] < t), char[at] * 1000, int(char[at] < 0)]
    spec = " ".join(["%d"] * len(want))
    d.append(f'printf("{spec}\\n", {var} < {other}, {var} <= {other}, {var} == {other}, {var} != {other}, {var} >= '
             f"{other}, {var} > {other}, {var}[i], ({var} + k)[{inner}], strlen({var} + {rest}), k + {var} == {other}, "
             f"{var} + k < {other}, {var}[{at}] * 1000, {var}[i] < 0);")
    lines = [spec.encode() % tuple(want)]
    d.append(f"{other} = {var} > {quoted(t)} ? {var} : {quoted(t)}; printf(\"%d\\n\", strlen({other}));")
    lines.append(b"%d" % len(max(s, t)))
    if s:
        where, c = r.randrange(len(s)), r.choice(b"ab\0zZ")
        d.append(f'{var}[{where}] = {c}; printf("[%s]\\n", {var} + 0);')
        changed = (s[:where] + bytes([c]) + s[where + 1:]).split(b"\0")[0]
        lines.append(b"[%s]" % changed.replace(b"\xff", b"\\xff"))
    return d, lines


def main():
    keypos, by_key, rev = r.randrange(4), r.random() < 0.5, r.random() < 0.5
    options = [f"aggsortkeypos={keypos}"] + ["aggsortkey"] * by_key + ["aggsortrev"] * rev
    d = ["#pragma D option quiet"] + [f"#pragma D option {o}" for o in options]
    d += ["int64_t zero; int i, k;", "string g; self string s; this string t; string a[int], b[string, int];"]
    want = []
    for n in range(24):
        statements, lines = string_lines(n)
        d += ["BEGIN {"] + ["\t" + x for x in statements] + ["}"]
        want += lines
    for n in range(8):
        a = Aggregation(n, keypos, by_key, rev)
        for _ in range(2):
            d += ["BEGIN {"] + ["\t" + a.record() for _ in range(12)] + ["}"]
        d.append("BEGIN { " + a.print_statement() + f" clear({a.name}); trunc({a.name}); }}")
        want += a.want()
    d.append("BEGIN { exit(0); }")
    with open(d_file, "w") as f:
        f.write("\n".join(d) + "\n")
    with open(want_file, "wb") as f:
        f.write(b"\n".join(want) + b"\n")


main()
