# SPDX-License-Identifier: GPL-2.0-or-later
# Macro arguments and variables; scripts that are executed.
. "$here/lib/cli.lib"

gives 0 "a b|5|-7|0x1f 31" "" -qn 'BEGIN { printf("%s|%d|%d|%s %d\n", $$1, $2, $3, $$4, $4); exit(0); }' -- 'a b' 5 -7 0x1f
run -qn "BEGIN { printf(\"%d %d %d %s\\n\", \$uid, \$ppid, \$pid, \$\$0); exit(0); }"
expect_match "$OUT" "^$UID [0-9]+ [0-9]+ $dwire\$" "\$uid \$ppid \$pid \$\$0"
run -n 'BEGIN { trace($1); }'
expect_eq "$STATUS $ERR" '1 -n:1:15: error[D_MACRO_UNDEF]: macro argument $1 is not defined
    BEGIN { trace($1); }
                  ^~ hint: give it as an argument of the script, or set -x defaultargs' "a missing argument"
gives 1 "" "dwire: error[D_MACRO_UNUSED]: extraneous argument 'a' (\$1 is not referenced)
dwire: error[D_MACRO_UNUSED]: extraneous argument 'c' (\$3 is not referenced)" -n 'BEGIN { trace($$2); }' a b c
gives 0 "" "" -q -x argref -n 'BEGIN { exit(0); }' a b
gives 0 "0 []" "" -q -x defaultargs -n 'BEGIN { printf("%d [%s]\n", $1, $$2); exit(0); }'
gives 0 "7" "" -qn 'BEGIN { printf("%d\n", $1); }' -n 'BEGIN { exit(0); }' 7

gives 0 "a b|10.0.0.1|c|5" "" -qn 'BEGIN { printf("%s|%s|%s|%d\n", $1, $2, $3, $4); exit(0); }' -- 'a b' 10.0.0.1 '"c"' +5
# #!: the options behind it, arguments and options behind the name.
script() { # OPTIONS LINE…
	printf '#!%s %s\n' "$dwire" "$1" >x.d
	shift
	printf '%s\n' "$@" >>x.d
	chmod +x x.d
}
script -qs '#pragma D option defaultargs' 'BEGIN { printf("%s %s %d %d\n", $$0, $$1, $2, $target); exit($2); }'
expect_eq "$(./x.d one 3; echo $?)" "./x.d one 3 0

3" "an executed script"
expect_eq "$(./x.d; echo $?)" "./x.d  0 0

0" "an executed script without arguments"
expect_eq "$(./x.d -p $$ one 3)" "./x.d one 3 $$" "an executed script with -p"
./x.d a 1 b 2>err && fail "an extraneous argument was taken"
expect_eq "$(<err)" "dwire: error[D_MACRO_UNUSED]: extraneous argument 'b' (\$3 is not referenced)" "a script's argument"
script -s 'BEGIN { exit(0); }'
./x.d >out 2>err
expect_eq "$(<err)" "dwire: script './x.d' matched 1 probe" "what is said of a script"
