# SPDX-License-Identifier: GPL-2.0-or-later
# An llquantize of 2,702 levels: each value is counted in the level that holds it.
got=$("$dwire" -q -n 'BEGIN { @ = llquantize(1, 10, 0, 5, 500); @ = llquantize(345678, 10, 0, 5, 500); }
BEGIN { @ = llquantize(0, 10, 0, 5, 500); @ = llquantize(999999, 10, 0, 5, 500); exit(0); }' 2>&1 | awk 'NF > 1 && $NF != 0 { print $1, $NF }')
expect_eq "$got" "value count
< 1
1 1
344000 1
998000 1" "levels of an llquantize"
