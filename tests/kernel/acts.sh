# timeout: 120
# Actions and aggregations: small scripts and what each prints. acts_*.cases hold blocks of "### NAME", the script,
# "---", the output (without empty lines at its end; the numbers of CPUs are 0), and where they differ from nothing and 0:
# "---err", the messages (of a compilation: its tags), "---status", what dwire returns. A first line "// args: ..." has
# the options, which are -q unless told.
checked=0
run_case() { # NAME
	local args=(-q) got=0 head
	checked=$((checked + 1))
	IFS= read -r head <case.d
	[[ $head != '// args: '* ]] || read -r -a args <<<"${head#// args: }"
	timeout 10 "$dwire" "${args[@]}" -s case.d >out 2>messages </dev/null || got=$?
	sed -i -E 's/^ {1,2}[0-9]{1,2}( +[0-9]+ +[^ ]*:(BEGIN|END|ERROR))/  0\1/; s/^ {1,2}[0-9]{1,2}( +\|)/  0\1/' out
	sed -i -E '/ matched [0-9]+ probes?$/d; s/pc [0-9]+$/pc NNN/' messages
	grep -q 'error\[D_' messages && sed -n -E 's/.*error(\[D_[A-Z_]*\]).*/\1/p' messages >tags && mv tags messages
	[ "$got" = "${want:-0}" ] || fail "$1: dwire returned $got: $(head -c 300 messages)"
	[ "$(<messages)" = "$(<err)" ] || fail "$1: said '$(head -c 300 messages)', not '$(<err)'"
	[ "$(<out)" = "$(<text)" ] || fail "$1: $(diff out text)"
}
run_file() {
	local name='' part=case.d line
	while IFS= read -r line; do
		case $line in
		'### '*)
			[ -z "$name" ] || run_case "$name"
			name=${line#'### '}
			part=case.d
			want=
			: >case.d
			: >text
			: >err
			;;
		---) part=text ;;
		---err) part=err ;;
		---status) part=status ;;
		*)
			[ "$part" != status ] || want=$line
			[ "$part" = status ] || printf '%s\n' "$line" >>$part
			;;
		esac
	done <"$1"
	run_case "$name"
}
export TZ=UTC
for file in "$here"/acts_*.cases; do
	run_file "$file"
done
expect_ge "$checked" 100 "cases"
