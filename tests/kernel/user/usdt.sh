# SPDX-License-Identifier: GPL-2.0-or-later
# USDT probes: arguments, semaphores, processes that run and processes that start later.
need cc
. "$here/lib/user.lib"
cc -O2 -o "$tmp/userprog" "$user_prog" || skip "cannot build programs"
strip -o "$tmp/stripped" "$tmp/userprog"
cd "$tmp" || exit 1

for how in userprog stripped; do
	traced -n '
userprog$target:::query-start {
	printf("%d %s %d %d %d %d %d\n", arg0, copyinstr(arg1), arg2, arg3, arg4, args[2], args[4]);
}' -c "./$how 3"
	expect_eq "$OUT" "0 some text -44 -7 -100 -44 -100
1 some text -44 -7 -101 -44 -101
2 some text -44 -7 -102 -44 -102" "$how: arguments: $ERR"
done

# The semaphore: query-done is reached only while somebody traces it.
traced -n 'userprog$target:userprog:query:query-done { @[probefunc, probename] = count(); @s = sum(arg0); }
	END { printa("%s %s %@d\n", @); printa("%@d\n", @s); }' -c './userprog 100 thread fork exec'
expect_eq "$OUT" "query query-done 200
9900" "semaphore: $ERR"

# Every process: those that run, and those that start later.
start ./userprog 20 wait
cat >later <<SH
./userprog 30
echo >go
while kill -0 $pid 2>/dev/null; do sleep 0.02; done
./userprog 4
SH
traced -n 'userprog*:::query-* { @[probeprov, probename] = count(); } END { printa("%s %s %@d\n", @); }' -c 'bash later'
expect_eq "$(sort <<<"$OUT")" "userprog* query-done 54
userprog* query-start 54" "every process: $ERR"

# By its path, before any runs.
echo ./stripped 11 >later
traced -n "userprog*:$tmp/stripped::query-start { @ = count(); } END { printa(\"%@d\\n\", @); }" -c 'bash later'
expect_eq "$OUT" 11 "a program that starts later: $ERR"

# -l with a process lists its probes, with the types of their arguments.
OUT=$("$dwire" -l -c ./userprog 2>err | awk '{ print $2, $3, $4, $5 }' | sed 's/userprog[0-9]*/userprog/' | grep '^userprog')
expect_eq "$OUT" "userprog userprog query query-start
userprog userprog query query-done" "-l: $(<err)"
OUT=$("$dwire" -lvn 'userprog$target:::query-start' -c ./userprog | grep 'args\[')
expect_eq "$OUT" "		args[0]: int64_t
		args[1]: uint64_t
		args[2]: int32_t
		args[3]: int32_t
		args[4]: int8_t" "types"

# Another user's program may bring names with codes for the terminal of whoever traces it.
LC_ALL=C sed 's/query__start/que\x1b[31mtart/' userprog >hostile && chmod +x hostile
OUT=$("$dwire" -ln 'userprog$target:::que*art' -c ./hostile | awk 'NR == 2 { print $NF }')
expect_eq "$OUT" 'que\x1b[31mtart' "a hostile name, -l"
traced -n 'userprog$target:::que*art { printf("%s", probename); trace(1 / (arg0 - arg0)); }' -c './hostile 1'
expect_match "$ERR" ':query:que\\x1b\[31mtart\): divide-by-zero' "a hostile name, an error"
expect_eq "$(grep -c $'\x1b' <<<"$OUT$ERR")" 0 "a hostile name: $OUT"

traced -x errtags -n 'userprog$target:::query-strat' -c ./userprog
expect_match "$ERR" '\[D_PDESC_ZERO\].*did you mean userprog[0-9]*:::query-start\?' "a name that is not there"
traced -x errtags -n 'otherprog$target:::query-start' -c ./userprog
expect_match "$ERR" '\[D_PDESC_ZERO\].*has the probes of userprog' "a provider that is not there"
