# timeout: 120
# The chapters of the Dynamic Tracing Guide: small scripts and what each prints (cases.lib).
. "$here/cases.lib"
for file in "$here"/guide*.cases; do
	run_file "$file"
done
expect_ge "$checked" 200 "cases"
