# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Functions of a program that is built in several ways: counts, arguments, return values, offsets, which processes
# are followed.
need cc
. "$here/lib/user.lib"
cc -O2 -o "$tmp/pie" "$user_prog" && cc -O2 -no-pie -static -o "$tmp/static" "$user_prog" 2>/dev/null &&
	cc -O2 -DPLUGIN -shared -fPIC -o "$tmp/plugin.so" "$user_prog" && strip -o "$tmp/stripped" "$tmp/pie" || skip "cannot build programs"
cd "$tmp" || exit 1

# Counts, names and arguments, with children and threads: the process's threads count, its children do not.
for how in pie static; do
	traced -n '
pid$target:a.out:add_all:entry { @n[probefunc, probename] = count(); @a = sum(arg0); @mod[probemod] = count(); }
pid$target:a.out:text_length:entry, pid$target:a.out:text_length:return { @n[probefunc, probename] = count(); }
pid$target:a.out:add_all:entry /arg1 != 2 || arg2 != 3 || arg5 != 6 || arg6 != 7 || arg7 != 8/ { @bad = count(); }
pid$target:a.out:text_length:entry /copyinstr(arg0) != "some text"/ { @bad = count(); }
pid$target:a.out:text_length:return { @r[arg1] = count(); }
pid$target:a.out:add_all:entry { self->i = arg0; }
pid$target:a.out:add_all:return /arg1 != self->i + 87654320/ { @bad = count(); }
END { printa("%s:%s %@d\n", @n); printa("sum %@d\n", @a); printa("mod %s %@d\n", @mod); printa("returned %d %@d\n", @r);
	printa("bad %@d\n", @bad); }' -c "./$how 5000 thread fork exec"
	expect_eq "$(sort <<<"$OUT")" "add_all:entry 10000
mod $how 10000
returned 9 10000
sum 24995000
text_length:entry 10000
text_length:return 10000" "$how: $ERR"
done

# Memory that the program has not touched yet.
traced -n 'pid$target:a.out:pass:entry { printf("%s %s", copyinstr(arg0), stringof(copyin(arg0, 2))); }' -c ./pie
expect_eq "$OUT" "far fa" "text that is not in memory yet: $ERR"

# -p: from now on; and a library that is loaded later, by its path; two hundred probes at once.
start ./pie 100 wait load ./plugin.so
traced "${lets_go[@]}" -n "pid$pid:a.out::entry, pid$pid:libc:str*:entry { @[probefunc] = count(); }
	pid$pid:$tmp/plugin.so:plugin_step:entry { @lib[probemod, arg0 < 100] = count(); }
	END { printa(\"%s %@d\\n\", @); printa(\"%s %d %@d\\n\", @lib); }" -p "$pid"
expect_match "$OUT" $'(^|\n)add_all 100(\n|$)' "add_all: $ERR"
expect_match "$OUT" $'(^|\n)query 100(\n|$)' "query"
expect_match "$OUT" $'(^|\n)plugin.so 1 100(\n|$)' "a library that is loaded later"
expect_ge "$("$dwire" -ln 'pid$target:libc:str*:entry' -c ./pie 2>/dev/null | wc -l)" 50 "functions of the C library"

# Every process, also those that start later.
printf './pie 30\n./pie 12\n' >later
traced -n "pid*:$tmp/pie:add_all:entry { @[probeprov, execname] = count(); } END { printa(\"%s %s %@d\\n\", @); }" -c 'bash later'
expect_eq "$OUT" "pid* pie 42" "every process: $ERR"

# A pattern that means the provider of a process.
traced -n 'p*d$target:a.out:add_all:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -c './pie 11'
expect_match "$OUT" '^add_all 11$' "a pattern of a provider: $ERR"

# An instruction: at the function's start, and where the address in the name is.
traced -n 'pid$target:a.out:add_all:0 { @[probefunc, probename] = count(); } END { printa("%s %s %@d\n", @); }' -c './pie 9'
expect_eq "$OUT" "add_all 0 9" "offset: $ERR"

# All of them: an empty name. Each call passes the first instruction once, and all that it passes lie in the function.
traced -n 'pid$target:a.out:query: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -c './pie 9'
expect_eq "$(grep -cE '^(0|entry|return) 9$' <<<"$OUT")" 3 "every instruction: $ERR"
expect_ge "$(grep -cE '^[0-9a-f]+ 9$' <<<"$OUT")" 2 "every instruction: $ERR"
all=$("$dwire" -ln 'pid$target:a.out:query:' -c ./pie 2>/dev/null | awk 'NR > 1 { print $5 }')
expect_eq "$all" "$("$dwire" -ln 'pid$target:a.out:query:*' -c ./pie 2>/dev/null | awk 'NR > 1 { print $5 }')" "a pattern"
if command -v objdump >/dev/null; then
	code=$(objdump -d --no-show-raw-insn pie | awk -v RS= '/<query>:/' | awk '/^ *[0-9a-f]+:/ { sub(":", "", $1); print $1 }')
	first=$(head -n 1 <<<"$code")
	want=$(for a in $code; do printf '%x\n' $((0x$a - 0x$first)); done)
	all=$(grep -vE 'entry|return' <<<"$all") # what fills the room up to the next function is none of them
	expect_eq "$all" "$(head -n "$(wc -l <<<"$all")" <<<"$want")" "they are the instructions"
fi

# At its end: the instruction that returns, which is one byte of x86 and four of arm64; between two there is none.
at=$(objdump -d --no-show-raw-insn pie 2>/dev/null | awk -v RS= '/<text_length>:/' | awk '$2 == "ret" || $2 == "retq" { sub(":", "", $1); a = $1 }
	/<text_length>:/ { f = $1 } END { if (a) printf "%s %s", f, a }')
if [ -n "$at" ]; then
	off=$(printf '%x' $((0x${at#* } - 0x${at% *})))
	traced -n 'pid$target:a.out:text_length:'"$off"' { @[arg0 != 0] = count(); } END { printa("%@d\n", @); }' -c './pie 13'
	expect_eq "$OUT" 13 "the last instruction, $off: $ERR"
	traced -n 'pid$target:a.out:text_length:return, pid$target:a.out:query:return { @[probefunc, arg0] = count(); }
		END { printa("%s %x %@d\n", @); }' -c './pie 13'
	expect_match "$OUT" "text_length $off 13" "where it returns: $ERR"
	traced -n 'pid$target:a.out:text_length:return { @[arg0] = count(); } END { printa("%x %@d\n", @); }' -c './pie 13'
	expect_eq "$OUT" "$off 13" "likewise, alone: $ERR"
	traced -n 'pid$target:a.out:-:'"${at#* }"' { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -c './pie 14'
	expect_eq "$OUT" "- 14" "its address, ${at#* }: $ERR"
fi

# A program that was deleted goes on, and is traced.
cp pie gone
start ./gone 77 wait
rm gone
cp static gone
traced "${lets_go[@]}" -n "pid$pid:a.out:add_all:entry { @ = count(); } END { printa(\"%@d\\n\", @); }" -p "$pid"
expect_eq "$OUT" 77 "a program whose file is replaced: $ERR"

# What cannot be.
fails() { # TAG TEXT ARGS
	local tag=$1 text=$2
	shift 2
	traced -x errtags "$@"
	expect_eq "$STATUS" 1 "status of $*"
	expect_match "$ERR" "\[$tag\].*$text" "$*"
}
fails D_PROC_FUNC "did you mean add_all\?" -n 'pid$target:a.out:ad_all:entry' -c ./pie
fails D_PROC_FUNC "is stripped" -n 'pid$target:a.out:main:entry' -c ./stripped
fails D_PDESC_ZERO "no object 'libnone'" -n 'pid$target:libnone:main:entry' -c ./pie
ln -s pie by_link
fails D_PDESC_ZERO "no object 'by_link'.*the program's file is pie, or a.out" -n 'pid$target:by_link:main:entry' -c ./by_link
fails D_PROC_NAME "'enter' is no name" -n 'pid$target:a.out:main:enter' -c ./pie
fails D_PROC_NAME "'-' is no name" -n 'pid$target:a.out:main:-' -c ./pie
fails D_PROC_CREATEFAIL "instructions are meant" -n 'pid$target:::' -c ./pie
fails D_PROC_LIB "only the a.out module" -n 'pid$target:libc:-:80' -c ./pie
fails D_PROC_NAME "only individual addresses" -n 'pid$target:a.out:-:entry' -c ./pie
fails D_PROC_NAME "only individual addresses" -n 'pid$target:a.out:-:*' -c ./pie
fails D_PROC_OFF "has no function at 0x1" -n 'pid$target:a.out:-:1' -c ./pie
printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0' >small.so
fails D_PROC_GRAB "small.so is for 32-bit x86" -n "pid*:$tmp/small.so:main:entry"
fails D_PROC_LIB "is no program or library" -n "pid*:/etc/passwd:main:entry"
fails D_PDESC_ZERO "there is no file /nowhere" -n "pid*:/nowhere:main:entry"
fails D_PROC_OFF "outside of function 'main'" -n 'pid$target:a.out:main:fffff' -c ./pie
fails D_PROC_ALIGN "not aligned on an instruction" -n 'pid$target:a.out:query:2' -c ./pie
fails D_PROC_GRAB "failed to grab process 4194303" -n 'pid4194303:a.out:main:entry'
kthread=$(pgrep -x kthreadd) && fails D_PROC_GRAB "process $kthread: it is a kernel thread" -n "pid$kthread:a.out:main:entry"
fails D_PROC_BADPID "does not name a process" -n 'pid$target:a.out:main:entry'
fails D_PROC_LIB "one object has to be named" -n 'pid*::main:entry'
fails D_PROC_CREATEFAIL "does not return as functions do" -n 'pid$target:libc:setjmp:return' -c ./pie
