# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# -h and -G: a project with a provider file is built with dwire, and its probes are traced.
need cc
. "$here/lib/user.lib"
cd "$tmp" || exit 1

cat >prov.d <<'END'
#pragma D attributes Evolving/Evolving/Common provider myprov provider
#pragma D attributes Private/Private/Unknown provider myprov args
typedef unsigned int lock_t;
enum state { OPEN, SHUT };

/* What follows a : is for readers. */
provider myprov {
	probe my__probe(int, char *);
	probe nothing();
	probe all(char a, unsigned char b, short c, unsigned short d, int e, unsigned int f, long g, unsigned long h,
		struct conn *i, string j, lock_t k, bool l) : (char a, conninfo_t *c);
	probe dash-ed(uint64_t, enum state);
};
END
cat >work.h <<'END'
#include "prov.h"
#include <stdio.h>
#include <stdlib.h>
static inline int work(int i)
{
	char text[32];

	sprintf(text, "text %d", i);
	MYPROV_MY_PROBE(i - 1, text);
	MYPROV_NOTHING();
	if (i > 1)
		MYPROV_DASH_ED(0x123456789abcdef0ul + (unsigned long)i, SHUT);
	if (!MYPROV_ALL_ENABLED())
		return 0;
	MYPROV_ALL((signed char)(-1 - i), 255, -2, (unsigned short)(65535 - i), -3 - i, 4000000000u, -5L - i,
		(1ul << 63) + (unsigned)i, NULL, "constant", 7u, i == 0);
	return 1;
}
END
cat >main.c <<'END'
enum { OPEN, SHUT };
#include "work.h"
#include <unistd.h>
int other(int i);
int main(int argc, char **argv)
{
	int enabled = 0, n = atoi(argv[1]), i;

	if (argc > 2) { /* until a line comes */
		char c;

		puts("ready");
		fflush(stdout);
		while (read(0, &c, 1) != 1)
			;
	}
	for (i = 0; i < n; i++)
		enabled += i % 2 ? other(i) : work(i);
	printf("enabled %d\n", enabled);
	return 0;
}
END
printf 'enum { OPEN, SHUT };\n#include "work.h"\nint other(int i);\nint other(int i)\n{\n\treturn work(i);\n}\n' >other.c

# Neither root nor the kernel's types are needed. The names come from the script's, and objects stay as they are.
mkdir -p away
echo object >away/app.o
(cd away && "$dwire" -h -s ../prov.d && "$dwire" -G -s ../prov.d app.o) >out 2>&1 || fail "-h, -G: $(<out)"
expect_eq "$(<out)$(cd away && echo ./*)$(<away/app.o)" "./app.o ./prov.h ./prov.oobject" "files that -h and -G make"
"$dwire" -h -s prov.d -o prov.h && "$dwire" -G -s prov.d -o sem.o || fail "-o"
cmp prov.h away/prov.h && cmp sem.o away/prov.o || fail "-o makes another file"

want='-1 text 0
-1 255 -2 65535 -3 4000000000 -5 8000000000000000 0 constant 7 1
0 text 1
-2 255 -2 65534 -4 4000000000 -6 8000000000000001 0 constant 7 0
1 text 2
123456789abcdef2 1
-3 255 -2 65533 -5 4000000000 -7 8000000000000002 0 constant 7 0
nothing 3'
d='
myprov$target:::my-probe { printf("%d %s\n", arg0, copyinstr(arg1)); }
myprov$target:::all {
	printf("%d %d %d %d %d %d %d %x %d %s %d %d\n", args[0], args[1], args[2], args[3], args[4], args[5], args[6],
		args[7], args[8], copyinstr(args[9]), args[10], args[11]);
}
myprov$target:::dash-ed { printf("%x %d\n", arg0, arg1); }
myprov$target:::nothing { n++; }
END { printf("nothing %d\n", n); }'

built() { # WHAT COMPILER...: builds main, says what it does untraced, and traces it
	local what=$1
	shift
	"$@" -c main.c -o main.o && "$@" -c other.c -o other.o && "${link:-$1}" main.o other.o sem.o "${ldflags[@]}" -o main ||
		fail "$what: cannot build"
	expect_eq "$(./main 3)" "enabled 0" "$what: untraced"
	traced -n "$d" -c './main 3' -o lines
	expect_eq "$OUT" "enabled 3" "$what: traced: $ERR"
	expect_eq "$(<lines)" "$want" "$what: arguments: $ERR"
	rm -f lines
}
ldflags=()
strict=(-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Werror -Wno-unused-parameter)
built "C" cc -O2 "${strict[@]}"
notes=$(readelf -n main 2>&1)
for text in 'Provider: myprov' 'Name: my__probe' 'Name: nothing' 'Name: all' 'Name: dash__ed' 'Arguments: -4@.* 8@'; do
	expect_match "$notes" "$text" "readelf -n"
done
expect_eq "$(grep -cE 'Semaphore: 0x0*[1-9a-f]' <<<"$notes")" "$(grep -c 'Provider: myprov' <<<"$notes")" "semaphores"
expect_eq "$(readelf -lW main | awk '$1 == "GNU_STACK" { print $7 }')" RW "the stack"

# A process that runs already: its semaphores count up, and down at the end.
start ./main 3 wait
traced "${lets_go[@]}" -n "$d" -p "$pid" -o lines
wait "$pid"
expect_eq "$(<said)" "ready
enabled 3" "-p: $ERR"
expect_eq "$(<lines)" "$want" "-p: arguments: $ERR"
rm -f lines

built "C without optimisation" cc -O0 "${strict[@]}"
ldflags=(-Wl,--gc-sections,--fatal-warnings)
built "C90, each function in a section" cc -Os -ffunction-sections -fdata-sections -std=gnu90 -pedantic-errors \
	-Wno-long-long -Wno-declaration-after-statement
ldflags=(-O2 -flto)
built "optimised by the linker" cc -O2 -flto
ldflags=()
if command -v c++ >/dev/null; then
	sed -i '1i namespace app {' work.h && sed -i '1i #include <stdio.h>\n#include <stdlib.h>' work.h
	printf '}\nusing namespace app;\n' >>work.h
	sed -i 's/static inline/inline/; s/sprintf/(void)sprintf/' work.h # one copy, whose notes are there once
	link=c++ built "C++" c++ -x c++ -O1 -fno-inline -Wall -Wextra -Werror
	expect_eq "$(readelf -n main 2>&1 | grep -c 'Name: my__probe')" 1 "notes of an inline function"
fi
printf '#include "prov.h"
void f(int i, char *s);
void f(int i, char *s)
{
	if (MYPROV_MY_PROBE_ENABLED())
		MYPROV_MY_PROBE(i, s);
}
' >small.c
cc -std=c90 -pedantic-errors -Wall -Wextra -Wconversion -Wshadow -Werror -c small.c || fail "C90"
if command -v c++ >/dev/null; then
	c++ -x c++ -std=c++98 -pedantic-errors -Wall -Wextra -Wold-style-cast -Werror -c small.c || fail "C++98"
fi
if command -v clang >/dev/null; then
	if clang --target=aarch64-linux-gnu -O2 -Wall -Werror -c small.c -o arm.o 2>err; then
		expect_match "$(readelf -n arm.o 2>&1)" 'Arguments: -4@x[0-9]+ 8@x' "arm64"
	fi
	expect_eq "$(grep -v 'No available targets\|unable to create target' err)" "" "arm64: clang"
	clang --target=i386-linux-gnu -Wall -Wextra -Werror -fsyntax-only small.c || fail "a machine without probes"
fi

# Through cpp, as some projects write theirs. Errors leave no file.
printf '#define flag unsigned char\nprovider pg { probe on(flag); };\n' >cpp.d
"$dwire" -C -h -s cpp.d -o cpp.h || fail "-C"
grep -q 'dwire_probe_pg_on(unsigned char arg0)' cpp.h || fail "-C: $(<cpp.h)"
refused() { # WHAT MESSAGE ARG…
	local what=$1 message=$2 status=0
	shift 2
	OUT=$("$dwire" "$@" 2>&1) || status=$?
	expect_eq "$status:$OUT" "1:$message" "$what"
	[ ! -e none.h ] || fail "$what: there is a file"
}
echo 'BEGIN { }' >no.d
echo 'provider p { probe a_b(); probe a__b(); };' >twice.d
refused "no provider" 'dwire: error[D_EMPTY]: no.d: no provider is declared
    hint: as in provider app { probe start(int, char *); };' -h -s no.d -o none.h
refused "one macro" 'twice.d:1:33: error[D_PROV_PRDUP]: another probe has the macro P_A_B already
    provider p { probe a_b(); probe a__b(); };
                                    ^~~~' -h -s twice.d -o none.h
refused "both" "dwire: -h and -G make one file each: run them one after the other" -h -G -s prov.d
refused "an object" "dwire: cannot read none.o: No such file or directory" -G -s prov.d none.o
refused "a folder" "dwire: cannot write to /nowhere/x.h: No such file or directory" -h -s prov.d -o /nowhere/x.h
refused "no name" "dwire: -h needs the name of its output: -o FILE" -h -n 'provider p { probe a(); };'
