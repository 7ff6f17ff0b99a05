# SPDX-License-Identifier: GPL-2.0-or-later
# D libraries of the user: order, dependencies, cycles; stability reports; -x amin.
. "$here/lib/cli.lib"

mkdir lib sys bad circle
# Read in the order of their needs: a.d uses what z.d defines; left.d, which needs what is not there, is left out.
cat >lib/a.d <<'END'
#pragma D depends_on library z.d
#pragma D depends_on provider dtrace
#pragma D depends_on module kernel
inline int twice = 2 * base;
END
echo 'inline int base = 21; typedef struct pair { int a; int b; } pair_t;' >lib/z.d
printf '#pragma D depends_on provider nosuch\ninline int twice = 1; junk_t junk;\n' >lib/left.d
printf '#pragma D depends_on library left.d\ninline int later = 1;\n' >lib/later.d
echo 'not D' >lib/README
echo 'inline string greeting = "hello";' >sys/greet.d
prog='BEGIN { printf("%d %d\n", twice, sizeof(pair_t)); exit(0); }'
gives 0 "42 8" "" -L "$PWD/lib" -qn "$prog"
gives 0 "42 8" "" -x libdir="$PWD/lib" -L nowhere -qn "$prog"
gives 0 "hello 42" "" -x syslibdir="$PWD/sys" -L lib -qn 'BEGIN { printf("%s %d\n", greeting, twice); exit(0); }'
run -L lib -qn $'#pragma D depends_on library a.d\nBEGIN { exit(0); }'
expect_match "$STATUS $ERR" '^1 .*D_PRAGMA_DEPEND.: .*libraries only' "a program needs no library by name"
mkdir needs
printf '#pragma D depends_on library gone.d\ninline int ok = 1;\n' >needs/it.d
run -L needs -qn 'BEGIN { exit(0); }'
expect_match "$STATUS $ERR" '^1 .*needs/it.d requires library gone.d, which does not exist' "a library that does not exist"
run -x nolibs -L lib -qn "$prog"
expect_match "$STATUS $ERR" '^1 .*D_(VAR_UNDEF|IDENT_UNDEF)' "-x nolibs"
run -L lib -qn 'BEGIN { trace(later); }'
expect_match "$STATUS $ERR" '^1 .*D_IDENT_UNDEF.: there is no variable later' "a library that was left out"
printf 'inline int ok = 1;\ninline int wrong = 1 +;\n' >bad/broken.d
run -L bad -n 'BEGIN { exit(0); }'
expect_match "$STATUS $ERR" '^1 bad/broken\.d:2:' "an error in a library names it"
echo 'BEGIN { trace(1); }' >bad/broken.d
run -L bad -n 'BEGIN { exit(0); }'
expect_match "$STATUS $ERR" '^1 bad/broken\.d:1:1: error\[D_SYNTAX\]: a library declares' "a clause in a library"
echo '#pragma D depends_on library two.d' >circle/one.d
echo '#pragma D depends_on library one.d' >circle/two.d
gives 1 "" "dwire: failed to load libraries: cyclic dependency: one.d -> two.d -> one.d" -L circle -n 'BEGIN { exit(0); }'

# Stability: of descriptions and of statements; the tcp provider's as its documentation has it.
report() { # KIND NAME LEVELS… : "name data class" of descriptions, then of statements
	printf '\nStability attributes for %s:\n\n\tMinimum Probe Description Attributes\n' "$1"
	printf '\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n' "${@:2:3}"
	printf '\n\tMinimum Statement Attributes\n'
	printf '\t\tIdentifier Names: %s\n\t\tData Semantics:   %s\n\t\tDependency Class: %s\n\n' "${@:5:3}"
}
gives 0 "$(report 'description dtrace:::BEGIN ' Stable Stable Common Stable Stable Common)" "" \
	-ev -n 'dtrace:::BEGIN { exit(0); }'
gives 0 "$(report 'description dtrace:::BEGIN ' Stable Stable Common Stable Private Common)" "" \
	-ev -n 'dtrace:::BEGIN { trace(curthread->pid); }'
gives 0 "$(report 'description tcp:::send ' Evolving Evolving ISA Evolving Evolving ISA)" "" \
	-ev -n 'tcp:::send { trace(args[2]->ip_plength); }'
printf '#pragma D attributes Unstable/Private/CPU weak\ninline int weak = 1;\ntcp:::send, BEGIN { trace(weak); }\n' >s.d
gives 0 "$(report 'script s.d' Evolving Evolving ISA Unstable Private CPU)" "" -ev -s s.d
for key in "Probe Description:Private Private Unknown" "Argument:Evolving Evolving ISA"; do
	read -r name data class <<<"${key#*:}"
	run -lvn tcp:::send
	expect_match "$OUT" "	${key%:*} Attributes
		Identifier Names: $name
		Data Semantics:   $data
		Dependency Class: $class
" "-lv: ${key%:*}"
done
gives 0 "   ID   PROVIDER            MODULE                          FUNCTION NAME
    1     dtrace                                                     BEGIN

	Probe Description Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Attributes
		Identifier Names: Stable
		Data Semantics:   Stable
		Dependency Class: Common

	Argument Types
		None" "" -lvn BEGIN
run -x amin=Stable/Stable/Common -n 'tcp:::send { exit(0); }'
expect_match "$STATUS $ERR" '^1 .*D_ATTR_MIN.*probe description tcp:::send .Evolving/Evolving/ISA. are less' "amin"
