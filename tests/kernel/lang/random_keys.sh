# SPDX-License-Identifier: GPL-2.0-or-later
# Random keys of aggregations of all integer types, in the order of each option, and random texts, compared and taken
# apart: dwire against a model in Python.
need python3
checked=0
for seed in 3 29 30; do
	python3 "$here/lang/random_keys.py" $seed k.d want || fail "cannot generate"
	"$dwire" -s k.d >got 2>err || fail "seed $seed: dwire returned $?: $(head -c 600 err)"
	sed -i '${/^$/d}' got # the empty line at the end of all output
	[ -s err ] && fail "seed $seed: $(head -c 600 err)"
	diff -a want got >differ || fail "seed $seed: the model <, dwire >: $(head -n 6 differ)"
	checked=$((checked + $(wc -l <want)))
done
expect_ge $checked 500 "lines compared"
