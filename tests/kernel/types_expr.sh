# timeout: 120
# Small scripts and what each prints, one after the other: types_*.cases hold blocks of "### NAME", the script, "---",
# and the output.
checked=0
run_case() { # NAME
	checked=$((checked + 1))
	timeout 10 "$dwire" -q -s case.d >got 2>err </dev/null || fail "$1: dwire returned $?: $(head -c 300 err)"
	[ ! -s err ] || grep -q ERROR case.d || fail "$1: $(head -c 300 err)"
	[ "$(cat got)" = "$(cat want)" ] || fail "$1: printed '$(head -c 200 got)', not '$(cat want)'"
}
for file in "$here"/types_*.cases; do
	name=
	part=case.d
	while IFS= read -r line; do
		case $line in
		'### '*)
			[ -z "$name" ] || run_case "$name"
			name=${line#'### '}
			part=case.d
			: >case.d
			: >want
			;;
		---) part=want ;;
		*) printf '%s\n' "$line" >>$part ;;
		esac
	done <"$file"
	run_case "$name"
done
expect_ge "$checked" 40 "cases"
