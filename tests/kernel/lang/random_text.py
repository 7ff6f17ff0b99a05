# SPDX-License-Identifier: GPL-2.0-or-later
"""Random texts for D's subroutines on characters, and what they make of them. gen_text.py SEED COUNT STRSIZE D-FILE
WANT-FILE writes a D script that runs every subroutine on COUNT sets of arguments, one set a tick, and the output that
it must have, reckoned here by plain Python. Numbers and texts come out of variables, so the kernel does the work."""
import random
import sys

seed, count, strsize, d_file, want_file = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:6]
r = random.Random(seed)


def cut(s):
    return s[:strsize - 1]


def c_index(s, sub, pos, last):
    """Perl's index() and rindex()."""
    if last:
        if pos < 0:
            return -1 if sub else 0
        return s.rfind(sub, 0, min(pos, len(s)) + len(sub))
    return s.find(sub, max(0, min(pos, len(s))))


def c_substr(s, at, n=None):
    """Perl's substr(), outside of the text empty."""
    if at < 0:
        at += len(s)
        if at < 0:
            if n is None:
                at = 0
            elif n > -at:
                n, at = n + at, 0
    if at < 0 or at >= len(s):
        return ""
    end = len(s) if n is None else at + n if n >= 0 else len(s) + n
    return s[at:max(end, at)]


def c_basename(s):
    if not s:
        return "."
    t = s.rstrip("/")
    return t[t.rfind("/") + 1:] if t else "/"


def c_dirname(s):
    if not s:
        return "."
    t = s.rstrip("/")
    if not t:
        return "/"
    if "/" not in t:
        return "."
    return t[:t.rfind("/")].rstrip("/") or "/"


def c_cleanpath(s):
    """Character by character: "//" and "/./" lose a part, "/x/../" two."""
    out, i = "", 0
    while i < len(s):
        if s.startswith("//", i):
            i += 1
        elif s.startswith("/./", i):
            i += 2
        elif s.startswith("/../", i) or s[i:] == "/..":
            i += 3
            out = out[:max(out.rfind("/"), 0)] + ("/" if i == len(s) else "")
        else:
            out += s[i]
            i += 1
    return out


def c_tokens(s, delims):
    """The first three results of strtok()."""
    out, i = [], 0
    for _ in range(3):
        while i < len(s) and s[i] in delims:
            i += 1
        if i >= len(s):
            out.append(None)
            continue
        end = i
        while end < len(s) and s[end] not in delims:
            end += 1
        out.append(s[i:end])
        i = end + 1
    return out


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def c_strtoll(s, base):
    i, value, sign = 0, 0, 1
    while i < len(s) and s[i] in " \t":
        i += 1
    if i < len(s) and s[i] in "+-":
        sign = -1 if s[i] == "-" else 1
        i += 1
    if base == 16 and s[i:i + 2].lower() == "0x":
        i += 2
    while i < len(s) and s[i].lower() in DIGITS[:base]:
        value = value * base + DIGITS.index(s[i].lower())
        i += 1
    return sign * value


def signed(v):
    v &= (1 << 64) - 1
    return v - (1 << 64) if v >> 63 else v


def c_lltostr(n, base):
    v, out = (abs(n) if base == 10 else n & ((1 << 64) - 1)), ""
    while v:
        v, digit = divmod(v, base)
        out = DIGITS[digit] + out
    out = out or "0"
    return {16: "0x", 8: "0" if n else ""}.get(base, "-" if base == 10 and n < 0 else "") + out


def text(alphabet, most):
    return "".join(r.choice(alphabet) for _ in range(r.randrange(most + 1)))


def make(kind, most):
    if kind == 0:
        return "".join(r.choice(["/", "//", "/./", "/../", "a", "bc", ".", "..", "/.."]) for _ in range(r.randrange(9)))[:most]
    if kind == 1:
        return r.choice(["", " ", "-", "+", "0x", " -0x"]) + text("0123456789abfzXx", 12)
    return text(r.choice(["ab", "abc/", "aAbBzZ[{@`", "a,b;c "]), most)


def null(s):
    return "(null)" if not s else s


most = min(strsize + 10, 90)
cases = []
for _ in range(count):
    s = make(r.randrange(4), most)
    t = r.choice([text("ab", 4), text("abc/,", 12), s[r.randrange(len(s) + 1):][:r.randrange(1, 20)]])
    cases.append((s, t, r.randrange(-most, most), r.randrange(-most, most), r.choice(s or "a"), r.randrange(2, 37),
                  r.choice([0, 1, -1, 1 << 63, (1 << 63) - 1, r.getrandbits(64), r.getrandbits(20)])))

with open(d_file, "w") as d:
    d.write(f"#pragma D option quiet\n#pragma D option strsize={strsize}\n"
            "string s[int], t[int]; int64_t i[int], n[int], v[int]; int c[int], b[int]; int k;\n")
    for k in range(0, count, 10):
        d.write("BEGIN {\n")
        for at, (s, t, i, n, c, b, v) in list(enumerate(cases))[k:k + 10]:
            d.write(f'\ts[{at}] = "{s}"; t[{at}] = "{t}"; i[{at}] = {i}; n[{at}] = {n}; c[{at}] = {ord(c)}; b[{at}] = {b}; '
                    f"v[{at}] = (int64_t){hex(v & (1 << 64) - 1)};\n")
        d.write("}\n")
    d.write('''tick-1ms /k >= %d/ { exit(0); }
tick-1ms { this->s = s[k]; this->t = t[k];
	printf("%%d [%%s] [%%s] [%%s] [%%s]\\n", strlen(this->s), strjoin(this->s, this->t), substr(this->s, i[k]), substr(this->s, i[k], n[k]), tolower(this->s));
	printf("[%%s] %%d %%d %%d %%d [%%s] [%%s]\\n", toupper(this->s), index(this->s, this->t), rindex(this->s, this->t), index(this->s, this->t, i[k]), rindex(this->s, this->t, i[k]), basename(this->s), dirname(this->s));
}
tick-1ms {
	this->p = strchr(this->s, c[k]); printf("[%%s]", this->p == NULL ? "(null)" : this->p);
	this->p = strrchr(this->s, c[k]); printf("[%%s]", this->p == NULL ? "(null)" : this->p);
	this->p = strstr(this->s, this->t); printf("[%%s]", this->p == NULL ? "(null)" : this->p);
	this->p = strtok(this->s, this->t); printf("[%%s]", this->p == NULL ? "(null)" : this->p);
	this->p = strtok(NULL, this->t); printf("[%%s]", this->p == NULL ? "(null)" : this->p);
	this->p = strtok(NULL, this->t); printf("[%%s]\\n", this->p == NULL ? "(null)" : this->p);
}
tick-1ms {
	printf("[%%s] %%d %%d [%%s] [%%s] %%d%%d%%d%%d\\n", cleanpath(this->s), strtoll(this->s), strtoll(this->s, b[k]), lltostr(v[k]), lltostr(v[k], b[k]), this->s < this->t, this->s == this->t, this->s > this->t, strjoin(this->s, "") == this->s);
	k++;
}
''' % count)

with open(want_file, "w") as w:
    for s, t, i, n, c, b, v in cases:
        s, t = cut(s), cut(t)
        v = signed(v)
        w.write(f"{len(s)} [{cut(s + t)}] [{c_substr(s, i)}] [{c_substr(s, i, n)}] [{s.lower()}]\n")
        w.write(f"[{s.upper()}] {s.find(t)} {s.rfind(t)} {c_index(s, t, i, False)} {c_index(s, t, i, True)} "
                f"[{cut(c_basename(s))}] [{cut(c_dirname(s))}]\n")
        found = [null(s[s.find(c):]) if c in s else "(null)", null(s[s.rfind(c):]) if c in s else "(null)",
                 null(s[s.find(t):]) if t in s else "(null)"]
        w.write("".join(f"[{x}]" for x in found + [null(x) for x in c_tokens(s, t)]) + "\n")
        w.write(f"[{c_cleanpath(s)}] {signed(c_strtoll(s, 10))} {signed(c_strtoll(s, b))} [{cut(c_lltostr(v, 10))}] "
                f"[{cut(c_lltostr(v, b))}] {int(s < t)}{int(s == t)}{int(s > t)}1\n")
    w.write("\n")  # exit()
