# timeout: 120
# What scripts from other DTraces rely on: small scripts and what each prints (cases.lib).
. "$here/cases.lib"
for file in "$here"/as_dtrace*.cases; do
	run_file "$file"
done
expect_ge "$checked" 9 "cases"
