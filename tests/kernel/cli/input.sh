# SPDX-License-Identifier: GPL-2.0-or-later
# Texts that are not D, and valid texts that look odd.
. "$here/lib/cli.lib"
ok='BEGIN { printf("ok\n"); exit(0); }'

bad() { # FILE REGEX: what is said, with status 1 and no output
	run -qs "$1"
	expect_eq "$STATUS $OUT" "1 " "$1"
	expect_match "$ERR" "$2" "$1"
	expect_le "$(awk '{ print length }' <<<"$ERR" | sort -n | tail -n 1)" 700 "longest line about $1"
	LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' "$tmp/err" && fail "$1: a control byte in the message"
}
good() { # FILE
	gives 0 "ok" "" -qs "$1"
}

gives 0 "ok" "" -qs <(echo "$ok") # can be read once only

head -c 5000 "$dwire" >elf.d
bad elf.d '^elf\.d:[0-9]+:[0-9]+: error\[D_SYNTAX\]'
head -c 5000 /dev/urandom >junk.d
bad junk.d '^junk\.d:[0-9]+:[0-9]+: error\[D_'
bad . '^dwire: cannot read \.: Is a directory$'
bad nothing.d '^dwire: cannot read nothing\.d: No such file or directory$'
: >empty.d
bad empty.d '^dwire: error\[D_EMPTY\]: empty\.d: the program is empty$'
printf '\n/* nothing */\n' >blank.d
bad blank.d '^dwire: error\[D_EMPTY\]: blank\.d: the program is empty$'
echo 'inline int x = 4;' >decl.d
bad decl.d '^dwire: nothing to trace: no probe is enabled$'
printf '%s\0junk' "$ok" >nul.d
bad nul.d 'D_SYNTAX\]: .*zero byte'
printf 'BEGIN { trace("\033[31mred \302\233 \377"); x; }\n' >escapes.d
bad escapes.d 'D_IDENT_UNDEF'
{ echo "$ok" && head -c 20000000 /dev/zero | tr '\0' x; } >big.d
bad big.d 'D_LIMIT\]: the text is larger than 16 MiB'
bad /dev/zero 'D_LIMIT\]'
{ printf 'BEGIN { x = 1'; printf '+1%.0s' {1..5000}; echo '; }'; } >long.d
bad long.d 'D_LIMIT\]'
printf 'BEGIN { x%d = y%d; }\n' {1..300} >errors.d
bad errors.d 'dwire: [0-9]+ more errors not shown$'
rm big.d

{ echo "$ok" && printf '/*' && head -c 15000000 /dev/zero | tr '\0' x && echo '*/'; } >large.d
good large.d
rm large.d
printf 'BEGIN\r\n{\r\n\tprintf("ok\\n");\r\n\texit(0);\r\n}\r\n' >crlf.d
good crlf.d
printf '\357\273\277%s\n' "$ok" >bom.d
good bom.d
printf '%s' "$ok" >noeol.d
good noeol.d
{ printf 'BEGIN { x = '; printf '(%.0s' {1..1000}; printf 1; printf ')%.0s' {1..1000}; echo "; } $ok"; } >deep.d
good deep.d
{ printf 'BEGIN { y = %d; } BEGIN { y += 1; }\n' {1..5000}; echo 'BEGIN /y == 5001 || y == 2/ {' "${ok#BEGIN \{}"; } >many.d
good many.d
gives 0 "grüß dich €" "" -qn 'BEGIN { printf("grüß dich €\n"); exit(0); }'

# Traced bytes are escaped before they reach a terminal: a process may call itself anything.
printf '%s\n' '#!/bin/bash' "printf 'a\\033[31m\\rb\\233\\042' >/proc/self/comm" \
	': </dev/tcp/127.0.0.1/1' '' >named
chmod +x named
run -qn 'tcp:::connect-request /pid == $target/ { printf("%s\n", execname); trace(args[1]->cs_execname); @[execname] = count(); }' \
	-c ./named
name='a\x1b[31m\x0db\x9b"'
expect_eq "$(head -n 2 <<<"$OUT")" "$name
$name" "a hostile name printed"
expect_match "$OUT" "a.x1b.31m.x0db.x9b\" +1" "a hostile name as a key"
