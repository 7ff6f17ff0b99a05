# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# The C preprocessor: -C and its options; places of errors in included files; #line.
. "$here/lib/cli.lib"
need cpp

mkdir d inc
cat >d/main.d <<'EOF'
#!/usr/sbin/dtrace -qCs
/* it's a comment with a quote */
#include "near.h"
#ifdef FAR
#include <far.h>
#endif
#pragma D option defaultargs
#ifndef VALUE
#define VALUE NEAR
#endif
BEGIN
{
	printf("%d %s %s %d\n", VALUE, __FILE__, STR(unix linux), $1);
	exit(0);
}
EOF
printf '#define NEAR 5\n#define STR(x) #x\n' >d/near.h
echo 'inline int far = 7;' >inc/far.h
gives 0 "5 d/main.d unix linux 0" "" -qCs d/main.d
gives 0 "7 d/main.d unix linux 3" "" -C -q -I inc -D FAR -DVALUE=far -s d/main.d 3
gives 0 "5 d/main.d unix linux 0" "" -x cpp -q -D VALUE=9 -U VALUE -s d/main.d
gives 0 "9 d/main.d unix linux 0" "" -qC -x define=VALUE=9 -x incdir=inc -Xs -s d/main.d
run -CHqs d/main.d
expect_match "$STATUS $ERR" '^0 \. d/near\.h' "-H"
printf '#ifndef __SUNW_D\nBEGIN { printf("no D\\n"); exit(0); }\n#endif\n' >v.d
gives 0 "" "" -e -Cqs v.d -x empty
printf '#if __SUNW_D_VERSION >= 0x01000000 && !defined(linux)\nBEGIN { printf("D\\n"); exit(0); }\n#endif\n' >v.d
gives 0 "D" "" -Cqs v.d
for x in "a 0" "t 0" "c 1"; do
	echo "BEGIN { exit(__STDC__ == ${x#* } ? 3 : 4); }" >stdc.d
	gives 3 "" "" -qC "-X${x% *}" -s stdc.d
done
gives 1 "" "dwire: failed to set -X q: Invalid value for specified option
    hint: it takes a, c, s or t" -C -Xq -s v.d

# An error names the file and the line that it is in.
printf 'inline int a = 1;\ninline int b = 1 +;\n' >inc/bad.h
printf '#include "bad.h"\nBEGIN { exit(0); }\n' >e.d
run -C -I inc -s e.d
expect_match "$STATUS $ERR" '^1 inc/bad\.h:2:19: error\[D_SYNTAX\]' "an error in an included file"
printf '#include "near.h"\n#define BAD nosuch\n\nBEGIN { trace(BAD); }\n' >d/e.d
run -C -s d/e.d
expect_match "$STATUS $ERR" '^1 d/e\.d:4:15: error\[D_IDENT_UNDEF\]' "an error after an included file"
printf '#line 100 "made.d"\n\nBEGIN { trace(nosuch); }\n# 7\nEND { trace(nosuch2); }\n' >l.d
run -s l.d
expect_match "$STATUS $ERR" '^1 made\.d:101:15: error.*made\.d:7:13: error' "#line"
printf '#error no good\n' >x.d
run -C -s x.d
expect_eq "$STATUS ${ERR##*$'\n'}" "1 dwire: failed to compile script x.d: Preprocessor failed to process input program" "#error"
gives 1 "" "dwire: failed to run the preprocessor nosuch/cpp: No such file or directory; install it, or name another with -x cpppath" \
	-C -x cpppath=nosuch/cpp -s v.d
# A preprocessor of one's own: here one that reads nothing, and one that only passes on.
printf '#!/bin/sh\necho %s\n' "'BEGIN { trace(\"mine\"); exit(0); }'" >mine
printf '#!/bin/sh\nexec cat\n' >pass
chmod +x mine pass
gives 0 "mine" "" -qC -x cpppath="$PWD/mine" -s v.d
{
	echo 'BEGIN { printf("big\n"); exit(0); }'
	yes '/* a line that is long enough to fill up a pipe */' | head -n 20000
} >big.d
gives 0 "big" "" -qC -x cpppath="$PWD/pass" -s big.d
gives 0 "big" "" -qCs big.d
# Without -C nothing is preprocessed, and -n texts never are.
run -s e.d
expect_match "$STATUS $ERR" '^1 .*D_PRAGCTL_INVAL' "#include without -C"
gives 0 "1" "" -qC -D pid=7 -n 'BEGIN { printf("%d\n", pid != 7); exit(0); }'
