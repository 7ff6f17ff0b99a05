# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# Random texts through D's subroutines: what the kernel makes of them against Python, strings long and short.
need python3
checked=0
for strsize in 256 1000 100 40 17 9; do
	python3 "$here/lang/random_text.py" $strsize 50 $strsize t.d want || fail "cannot generate"
	"$dwire" -s t.d >got 2>err || fail "strsize $strsize: dwire returned $?: $(head -c 600 err)"
	grep -v 'tick firings* missed' err >err.rest && fail "strsize $strsize: $(head -c 600 err.rest)"
	diff want got >differ || fail "strsize $strsize: Python <, dwire >: $(head -n 6 differ)"
	checked=$((checked + $(wc -l <want)))
done
expect_ge $checked 1200 "lines compared"
