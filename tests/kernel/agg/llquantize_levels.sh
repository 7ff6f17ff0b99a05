# SPDX-License-Identifier: GPL-2.0-or-later
# An llquantize of 2,702 levels: each value is counted in the level that holds it.
got=$("$dwire" -q -n 'BEGIN { @ = llquantize(1, 10, 0, 5, 500); @ = llquantize(345678, 10, 0, 5, 500); }
BEGIN { @ = llquantize(0, 10, 0, 5, 500); @ = llquantize(999999, 10, 0, 5, 500); exit(0); }' 2>&1 | awk 'NF > 1 && $NF != 0 { print $1, $NF }')
expect_eq "$got" "value count
< 1
1 1
344000 1
998000 1" "levels of an llquantize"

# Levels of powers of two are computed, not searched for: values at and beside some of their bounds.
for p in "2 0 31 16" "2 3 20 8" "2 4 61 4"; do
	want=$(python3 - "$p" prog <<'PY'
import sys
factor, low, high, steps = map(int, sys.argv[1].split())
bounds = []
for m in range(low, high + 1):
    step = max(1, factor ** (m + 1) // steps)
    bounds += range(factor ** m, factor ** (m + 1), step)
bounds.append(factor ** (high + 1))
some = bounds[::max(1, len(bounds) // 12)] + bounds[-1:]
values = sorted({v for b in some for v in (b - 1, b, b + 1)} | {-7, 0, 2 ** 62})
counts = [0] * (len(bounds) + 1)
for v in values:
    counts[sum(b <= v for b in bounds)] += 1
rows = zip([f"< {bounds[0]}"] + bounds[:-1] + [f">= {bounds[-1]}"], counts)
print("\n".join(f"{b} {n}" for b, n in rows if n))
event = "BEGIN {{ @ = llquantize({} + (vtimestamp < 0), {}); }}\n"
open(sys.argv[2], "w").write("".join(event.format(v, sys.argv[1].replace(" ", ", ")) for v in values) + "BEGIN { exit(0); }\n")
PY
	)
	got=$("$dwire" -q -s prog 2>&1 | awk 'NF > 1 && $NF != 0 && $NF != "count" { sub(/\|@*/, ""); $1 = $1; print }')
	expect_eq "$got" "$want" "levels of llquantize($p)"
done
