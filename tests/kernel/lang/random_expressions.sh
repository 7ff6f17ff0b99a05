# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 180
# parallel: yes
# Random expressions and statements over all integer types, storage classes, members, elements, bit-fields and
# operators: dwire against a model of D's 64-bit integers in C. Constants are folded by the compiler, variables are
# computed in the kernel; both must print what the model prints.
need gcc python3
checked=0
for seed in {1..14}; do
	python3 "$here/lang/random_expressions.py" $seed 150 e.d e.c || fail "cannot generate"
	gcc -fwrapv -w -O0 -o e e.c || fail "gcc does not take what was generated"
	./e >want
	"$dwire" -s e.d >got 2>err || fail "seed $seed: dwire returned $?: $(head -c 600 err)"
	sed -i '${/^$/d}' got # the empty line at the end of all output
	[ -s err ] && fail "seed $seed: $(head -c 600 err)"
	diff want got >differ || fail "seed $seed: the model <, dwire >: $(head -n 6 differ)"
	checked=$((checked + $(wc -l <want)))
done
expect_ge $checked 2100 "lines compared"
