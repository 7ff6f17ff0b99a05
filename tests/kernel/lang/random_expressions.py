# SPDX-License-Identifier: GPL-2.0-or-later
"""Random D programs whose output gcc knows. gen_expr.py SEED COUNT D-FILE C-FILE writes the same expressions and
statements twice: as a D script for BEGIN and as a C program; both print the same lines. Side effects are placed where
C orders them, shifts and divisions where C defines them (gcc -fwrapv)."""
import random
import sys

TYPES = [("int8_t", 8, True), ("uint8_t", 8, False), ("short", 16, True), ("unsigned short", 16, False),
         ("int", 32, True), ("unsigned int", 32, False), ("long", 64, True), ("unsigned long", 64, False),
         ("char", 8, True), ("long long", 64, True), ("unsigned long long", 64, False), ("uint16_t", 16, False)]
PER_CLAUSE = 12
# Members of structures in variables of each kind: how D names the structure, and how it declares it.
BLOCKS = {"member": ("gm", "struct gm gm;"), "tmember": ("this->tm", "this struct tm tm;"),
          "smember": ("self->sm", "self struct sm sm;"), "amember": ('am["x", 7]', "struct am am[string, int];")}
BLOCK_NAMES = {"member": "gm", "tmember": "tm", "smember": "sm", "amember": "am"}
BASES = [("int", True), ("unsigned int", False)]


class Var:
    def __init__(self, number, ctype, bits, signed, where):
        self.c = f"v{number}"
        self.type, self.bits, self.signed, self.where = ctype, bits, signed, where
        self.number, self.field = number, ""
        if where in BLOCKS:
            name = BLOCK_NAMES[where]
            if number % 3 == 0:  # a bit-field
                self.type, self.signed = BASES[number % 2]
                self.bits = number % 31 + 1
                self.field = f" : {self.bits}"
            self.d, self.c = f"{BLOCKS[where][0]}.m{number}", f"{name}.m{number}"
            return
        if where == "elem":
            self.d, self.c = f"e{number}[{number % 4}]", f"e{number}[{number % 4}]"
            return
        self.d = {"global": f"g{number}", "this": f"this->t{number}", "self": f"self->s{number}",
                  "assoc": f'a{number}[{number}, "k"]', "selfassoc": f"self->b{number}[{number}]"}[where]

    def declaration(self):
        if self.where in BLOCKS:
            return f"{self.type} m{self.number}{self.field};"
        if self.where == "elem":
            return f"{self.type} e{self.number}[4];"
        return {"global": f"{self.type} {self.d};", "this": f"this {self.type} t{self.c[1:]};",
                "self": f"self {self.type} s{self.c[1:]};", "assoc": f"{self.type} a{self.c[1:]}[int, string];",
                "selfassoc": f"self {self.type} b{self.c[1:]}[int];"}[self.where]


class Gen:
    def __init__(self, seed):
        self.r = random.Random(seed)
        wheres = ["global", "this", "self", "assoc", "selfassoc", "member", "tmember", "smember", "amember", "elem"]
        # Arrays of int are left out: they keep 64-bit values whole, as DTrace's do.
        self.vars = [v for v in (Var(i, *self.r.choice(TYPES), self.r.choice(wheres)) for i in range(34))
                     if v.type not in ("int", "unsigned int") or v.where not in ("assoc", "selfassoc")]
        self.values = {}

    def value(self, bits, signed):
        r, lo = self.r, -(1 << (bits - 1)) if signed else 0
        hi = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
        pick = r.randrange(6)
        if pick == 0:
            return r.choice([lo, hi, 0, 1, hi - 1, lo + 1])
        if pick == 1 and signed:
            return r.choice([-1, -2, -128 if bits == 8 else -129])
        if pick < 4:
            return max(lo, min(hi, r.randrange(-40 if signed else 0, 90)))
        return r.randrange(lo, hi + 1)

    @staticmethod
    def literal(v, ctype, bits, signed):
        if bits < 32 or (v < 0 and bits == 32):
            return f"(({ctype}){v})"
        suffix = ("" if signed else "U") + ("LL" if bits == 64 else "")
        if v == -(1 << 63):
            return "(-9223372036854775807LL - 1)"
        return f"({v}{suffix})" if v < 0 else f"{v}{suffix}"

    # An expression is (d, c, bits, signed): bits and signedness after C's promotion.
    def leaf(self, const):
        r = self.r
        if const or r.random() < 0.25:
            t = r.choice(TYPES)
            text = self.literal(self.value(t[1], t[2]), *t)
            return text, text, max(t[1], 32), t[2] or t[1] < 32
        v = r.choice(self.vars)
        return v.d, v.c, max(v.bits, 32), v.signed or v.bits < 32

    def expr(self, depth, const=False):
        r = self.r
        if depth == 0 or r.random() < 0.1:
            return self.leaf(const)
        kind = r.randrange(13)
        a = self.expr(depth - 1, const)
        if kind == 0:
            op = r.choice(["-", "~", "+"])
            return f"({op} {a[0]})", f"({op} {a[1]})", a[2], a[3]
        if kind == 1:
            return f"(!{a[0]})", f"(!{a[1]})", 32, True
        if kind == 2:
            t = r.choice(TYPES)
            return f"(({t[0]}){a[0]})", f"(({t[0]}){a[1]})", max(t[1], 32), t[2] or t[1] < 32
        b = self.expr(depth - 1, const)
        bits = max(a[2], b[2])
        signed = a[3] and b[3] if a[2] == b[2] else (a[3] if a[2] > b[2] else b[3])
        if kind < 7:
            op = r.choice(["+", "-", "*", "&", "|", "^"])
            return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})", bits, signed
        if kind == 7:
            op = r.choice(["<<", ">>"])
            m = a[2] - 1
            return f"({a[0]} {op} ({b[0]} & {m}))", f"({a[1]} {op} ({b[1]} & {m}))", a[2], a[3]
        if kind < 10:
            op = r.choice(["/", "%"])
            if const or r.random() < 0.3:
                n = r.choice([2, 3, 7, 8, 10, 16, 1000, 65535, -2, -3, -7])
                n = f"({n})"
                return f"({a[0]} {op} {n})", f"({a[1]} {op} {n})", a[2], a[3]
            q = [f"({x} == 0 || {x} == -1 ? 5 : {x})" for x in (b[0], b[1])]
            return f"({a[0]} {op} {q[0]})", f"({a[1]} {op} {q[1]})", bits, signed
        if kind == 10:
            op = r.choice(["==", "!=", "<", "<=", ">", ">="])
            return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})", 32, True
        if kind == 11:
            op = r.choice(["&&", "||", "^^"])
            if op == "^^":
                return f"({a[0]} ^^ {b[0]})", f"(!{a[1]} != !{b[1]})", 32, True
            return f"({a[0]} {op} {b[0]})", f"({a[1]} {op} {b[1]})", 32, True
        c = self.expr(depth - 1, const)
        return f"({c[0]} ? {a[0]} : {b[0]})", f"({c[1]} ? {a[1]} : {b[1]})", bits, signed

    def effect(self):
        """A statement with side effects: (d, c, variables that it may change, value or None)."""
        r = self.r
        v, w, x = r.sample(self.vars, 3)
        e = self.expr(2)
        kind = r.randrange(8)
        if kind == 0:
            return f"{v.d} = {e[0]}", f"{v.c} = {e[1]}", [v]
        if kind == 1:
            op = r.choice(["+=", "-=", "*=", "&=", "|=", "^="])
            return f"{v.d} {op} {e[0]}", f"{v.c} {op} {e[1]}", [v]
        if kind == 2:
            op, m = r.choice(["<<=", ">>="]), max(v.bits, 32) - 1
            return f"{v.d} {op} ({e[0]} & {m})", f"{v.c} {op} ({e[1]} & {m})", [v]
        if kind == 3:
            op, n = r.choice(["/=", "%="]), r.choice([2, 3, 10, -3, 4096])
            return f"{v.d} {op} {n}", f"{v.c} {op} {n}", [v]
        step = r.choice(["++", "--"])
        one = r.choice([(f"{v.d}{step}", f"{v.c}{step}"), (f"{step}{v.d}", f"{step}{v.c}")])
        if kind == 4:
            return *one, [v]
        if kind == 5:
            return f"{w.d} = {one[0]}", f"{w.c} = {one[1]}", [v, w]
        if kind == 6:
            op = r.choice(["&&", "||"])
            return (f"{w.d} = ({e[0]} {op} {one[0]})", f"{w.c} = ({e[1]} {op} {one[1]})", [v, w])
        return (f"{w.d} = ({e[0]} ? {one[0]} : ({x.d} += 3))", f"{w.c} = ({e[1]} ? {one[1]} : ({x.c} += 3))", [v, w, x])


def main():
    seed, count, dpath, cpath = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    g = Gen(seed)
    d, c = ["#pragma D option quiet"], ["#include <stdio.h>", "#include <stdint.h>"]
    for where, (_, declared) in BLOCKS.items():
        name = BLOCK_NAMES[where]
        body = " ".join(v.declaration() for v in g.vars if v.where == where) or "int none;"
        d += [f"struct {name} {{ {body} }};", declared]
        c.append(f"struct {name} {{ {body} }} {name};")
    d += [v.declaration() for v in g.vars if v.where not in BLOCKS]
    c += [v.declaration() for v in g.vars if v.where == "elem"] + ["int main(void) {"]
    body = []
    for v in g.vars:
        init = g.literal(g.value(v.bits, v.signed), v.type, v.bits, v.signed)
        body.append(f"\t{v.d} = {init};")
        c.append(f"{v.c} = {init};" if v.where in BLOCKS or v.where == "elem" else f"{v.type} {v.c} = {init};")

    def show(label, values):
        spec = " ".join(["%d"] * len(values))
        body.append(f'\tprintf("{label} {spec}\\n", ' + ", ".join(f"(int64_t)({x[0]})" for x in values) + ");")
        c.append(f'printf("{label} {spec}\\n", '.replace("%d", "%lld") +
                 ", ".join(f"(long long)({x[1]})" for x in values) + ");")

    for i in range(count):
        if i % PER_CLAUSE == 0:
            d += ["BEGIN {"] + body + ["}"]
            body = []
        kind = g.r.randrange(10)
        if kind < 3:
            show(f"c{i}", [g.expr(3, const=True)])
        elif kind < 7:
            show(f"e{i}", [g.expr(g.r.choice([2, 3, 4]))])
        else:
            ds, cs, changed = g.effect()
            body.append(f"\t{ds};")
            c.append(f"{cs};")
            show(f"s{i}", [(v.d, v.c) for v in changed])
    d += ["BEGIN {"] + body + ["\texit(0);", "}"]
    c += ["return 0;", "}"]
    with open(dpath, "w") as f:
        f.write("\n".join(d) + "\n")
    with open(cpath, "w") as f:
        f.write("\n".join(c) + "\n")


main()
