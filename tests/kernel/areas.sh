# timeout: 120
# Aggregations, types, subroutines, formats, preprocessor, errors: small scripts and what each prints (cases.lib).
. "$here/cases.lib"
for file in "$here"/areas*.cases; do
	run_file "$file"
done
expect_ge "$checked" 170 "cases"
