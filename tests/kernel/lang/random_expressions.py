# SPDX-License-Identifier: GPL-2.0-or-later
"""Random D programs whose output a model in C knows. random_expressions.py SEED COUNT D-FILE C-FILE writes the same
expressions and statements twice: as a D script for BEGIN and as a C program; both print the same lines. In the model
every value is an int64_t: operators work on 64 bits, and only a cast, a member and an element narrow. A type decides
whether division, right shift and comparison are signed: of two operands the larger type wins, of equal sizes the
unsigned one. A constant of type int that takes more than 32 bits has 64. (gcc -fwrapv)"""
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
PRELUDE = """#include <stdio.h>
#include <stdint.h>
typedef int64_t s;
typedef uint64_t u;
static s sdiv(s a, s b) { return a / b; }
static s udiv(s a, s b) { return (u)a / (u)b; }
static s smod(s a, s b) { return a % b; }
static s umod(s a, s b) { return (u)a % (u)b; }
static s sshr(s a, s b) { return a >> (b & 63); }
static s ushr(s a, s b) { return (u)a >> (b & 63); }
static s shl(s a, s b) { return (u)a << (b & 63); }
static s slt(s a, s b) { return a < b; }
static s ult(s a, s b) { return (u)a < (u)b; }"""
M64 = (1 << 64) - 1


def wrap(v, bits=64, signed=True):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


def usual(a, b):
    """The type (bits, signed) of an operator with operands of the types a and b."""
    return (a[0], a[1] and b[1]) if a[0] == b[0] else max(a, b)


class Expr:
    """d, c: the text in both languages; type: (bits, signed); v: the value of a constant, as int64_t, else None."""

    def __init__(self, d, c, kind, v=None):
        self.d, self.c, self.type, self.v = d, c, kind, v


def divide(x, y, signed, mod):
    if not signed:
        x, y = x & M64, y & M64
        return wrap(x % y if mod else x // y)
    q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return wrap(x - q * y if mod else q)


def compute(op, x, y, signed):
    if op in ("/", "%"):
        return divide(x, y, signed, op == "%")
    if op == "<<":
        return wrap(x << (y & 63))
    if op == ">>":
        return wrap((x if signed else x & M64) >> (y & 63))
    return wrap({"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[op])


def c_operator(op, a, b, signed):
    if op in ("/", "%", ">>"):
        return f"{'s' if signed else 'u'}{ {'/': 'div', '%': 'mod', '>>': 'shr'}[op]}({a}, {b})"
    return f"shl({a}, {b})" if op == "<<" else f"({a} {op} {b})"


def operator(op, a, b):
    kind, v = usual(a.type, b.type), None
    if a.v is not None and b.v is not None:
        v = compute(op, a.v, b.v, kind[1])
        if kind[0] == 32 and not -1 << 31 <= v < 1 << 32 and (kind[1] or v >= 0):
            kind = (64, kind[1])
    return Expr(f"({a.d} {op} {b.d})", c_operator(op, a.c, b.c, usual(a.type, b.type)[1]), kind, v)


def compare(op, a, b):
    signed = usual(a.type, b.type)[1]
    x, y, less = a.c, b.c, "slt" if signed else "ult"
    c = {"==": f"((s){x} == (s){y})", "!=": f"((s){x} != (s){y})", "<": f"{less}({x}, {y})", ">": f"{less}({y}, {x})",
         "<=": f"!{less}({y}, {x})", ">=": f"!{less}({x}, {y})"}[op]
    v = None
    if a.v is not None and b.v is not None:
        x, y = (a.v, b.v) if signed else (a.v & M64, b.v & M64)
        v = int({"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[op])
    return Expr(f"({a.d} {op} {b.d})", f"(s)({c})", (32, True), v)


def logic(op, a, b):
    v = None
    if a.v is not None and b.v is not None:
        v = int({"&&": a.v and b.v, "||": a.v or b.v, "^^": (not a.v) != (not b.v)}[op] != 0)
    c = f"(!{a.c} != !{b.c})" if op == "^^" else f"({a.c} {op} {b.c})"
    return Expr(f"({a.d} {op} {b.d})", f"(s){c}", (32, True), v)


def choice(c, a, b):
    """c ? a : b: a constant condition leaves one of them."""
    d, text = f"({c.d} ? {a.d} : {b.d})", f"({c.c} ? {a.c} : {b.c})"
    if c.v is not None:
        a = a if c.v else b
        return Expr(d, text, a.type, a.v)
    return Expr(d, text, usual(a.type, b.type))


def number(n):
    return Expr(f"({n})", f"((s){n})", (32, True), n)


class Var:
    def __init__(self, number, ctype, bits, signed, where):
        self.c = f"v{number}"
        self.type, self.bits, self.signed, self.where = ctype, bits, signed, where
        self.number, self.field = number, ""
        self.type_bits = bits
        if where in BLOCKS:
            name = BLOCK_NAMES[where]
            if number % 3 == 0:  # a bit-field
                self.type, self.signed = BASES[number % 2]
                self.type_bits = 32
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
        self.vars = [Var(i, *self.r.choice(TYPES), self.r.choice(wheres)) for i in range(34)]

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

    def leaf(self, const):
        r = self.r
        if const or r.random() < 0.25:
            t = r.choice(TYPES)
            v = self.value(t[1], t[2])
            text = self.literal(v, *t)
            return Expr(text, f"((s){text})", (t[1], t[2]), wrap(v))
        return self.of_var(r.choice(self.vars))

    @staticmethod
    def of_var(v):
        return Expr(v.d, f"((s){v.c})", (v.type_bits, v.signed))

    def expr(self, depth, const=False):
        r = self.r
        if depth == 0 or r.random() < 0.1:
            return self.leaf(const)
        kind = r.randrange(13)
        a = self.expr(depth - 1, const)
        if kind == 0:
            op = r.choice(["-", "~", "+"])
            v = None if a.v is None else wrap({"-": -a.v, "~": ~a.v, "+": a.v}[op])
            return Expr(f"({op} {a.d})", f"({op} {a.c})", a.type, v)
        if kind == 1:
            return Expr(f"(!{a.d})", f"(s)(!{a.c})", (32, True), None if a.v is None else int(not a.v))
        if kind == 2:
            t = r.choice(TYPES)
            v = None if a.v is None else wrap(wrap(a.v, t[1], t[2]))
            return Expr(f"(({t[0]}){a.d})", f"((s)({t[0]}){a.c})", (t[1], t[2]), v)
        b = self.expr(depth - 1, const)
        if kind < 7:
            return operator(r.choice(["+", "-", "*", "&", "|", "^"]), a, b)
        if kind == 7:
            return operator(r.choice(["<<", ">>"]), a, operator("&", b, number(63)))
        if kind < 10:
            op = r.choice(["/", "%"])
            if const or r.random() < 0.3:
                return operator(op, a, number(r.choice([2, 3, 7, 8, 10, 16, 1000, 65535, -2, -3, -7])))
            bad = logic("||", compare("==", b, number(0)), compare("==", b, number(-1)))
            return operator(op, a, choice(bad, number(5), b))
        if kind == 10:
            return compare(r.choice(["==", "!=", "<", "<=", ">", ">="]), a, b)
        if kind == 11:
            return logic(r.choice(["&&", "||", "^^"]), a, b)
        return choice(self.expr(depth - 1, const), a, b)

    def step(self, v, op, e):
        """v op= e: (d, c)."""
        was = self.of_var(v)
        return f"{v.d} {op}= {e.d}", f"{v.c} = {c_operator(op, was.c, e.c, usual(was.type, e.type)[1])}"

    def effect(self):
        """A statement with side effects: (d, c, variables that it may change)."""
        r = self.r
        v, w, x = r.sample(self.vars, 3)
        e = self.expr(2)
        kind = r.randrange(8)
        if kind == 0:
            return f"{v.d} = {e.d}", f"{v.c} = {e.c}", [v]
        if kind == 1:
            return *self.step(v, r.choice(["+", "-", "*", "&", "|", "^"]), e), [v]
        if kind == 2:
            return *self.step(v, r.choice(["<<", ">>"]), operator("&", e, number(63))), [v]
        if kind == 3:
            return *self.step(v, r.choice(["/", "%"]), number(r.choice([2, 3, 10, -3, 4096]))), [v]
        step = r.choice(["++", "--"])
        one = r.choice([(f"{v.d}{step}", f"{v.c}{step}"), (f"{step}{v.d}", f"{step}{v.c}")])
        if kind == 4:
            return *one, [v]
        if kind == 5:
            return f"{w.d} = {one[0]}", f"{w.c} = {one[1]}", [v, w]
        if kind == 6:
            op = r.choice(["&&", "||"])
            return f"{w.d} = ({e.d} {op} {one[0]})", f"{w.c} = ({e.c} {op} {one[1]})", [v, w]
        three = self.step(x, "+", number(3))
        return (f"{w.d} = ({e.d} ? {one[0]} : ({three[0]}))",
                f"{w.c} = ({e.c} ? (s)({one[1]}) : (s)({three[1]}))", [v, w, x])


def main():
    seed, count, dpath, cpath = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    g = Gen(seed)
    d, c = ["#pragma D option quiet"], [PRELUDE]
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
        c.append(f"{v.c} = {init};" if v.where in BLOCKS or v.where == "elem" else f"s {v.c} = {init};")

    def show(label, values):
        spec = " ".join(["%d"] * len(values))
        body.append(f'\tprintf("{label} {spec}\\n", ' + ", ".join(f"(int64_t)({x.d})" for x in values) + ");")
        c.append(f'printf("{label} {spec}\\n", '.replace("%d", "%lld") +
                 ", ".join(f"(long long)({x.c})" for x in values) + ");")

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
            show(f"s{i}", [g.of_var(v) for v in changed])
    d += ["BEGIN {"] + body + ["\texit(0);", "}"]
    c += ["return 0;", "}"]
    with open(dpath, "w") as f:
        f.write("\n".join(d) + "\n")
    with open(cpath, "w") as f:
        f.write("\n".join(c) + "\n")


main()
