# timeout: 120
# Actions and aggregations: small scripts and what each prints (cases.lib).
. "$here/cases.lib"
for file in "$here"/acts_*.cases; do
	run_file "$file"
done
expect_ge "$checked" 100 "cases"
