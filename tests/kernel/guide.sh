# timeout: 120
# The chapters of the Dynamic Tracing Guide: small scripts and what each prints (cases.lib).
. "$here/cases.lib"
for file in "$here"/guide*.cases; do
	run_file "$file"
done
expect_ge "$checked" 200 "cases"
# An llquantize of 2,702 levels.
got=$("$dwire" -q -n 'BEGIN { @ = llquantize(1, 10, 0, 5, 500); @ = llquantize(345678, 10, 0, 5, 500); }
BEGIN { @ = llquantize(0, 10, 0, 5, 500); @ = llquantize(999999, 10, 0, 5, 500); exit(0); }' 2>&1 | awk 'NF > 1 && $NF != 0 { print $1, $NF }')
expect_eq "$got" "value count
< 1
1 1
344000 1
998000 1" "levels of an llquantize"
