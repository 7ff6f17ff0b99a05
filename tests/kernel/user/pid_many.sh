# SPDX-License-Identifier: GPL-2.0-or-later
# timeout: 120
# parallel: yes
# A function called a million times; more than two hundred probes at once; ten thousand in a list. Functions of a
# library in which an author's probes are looked for in vain.
need cc
cat >"$tmp/gen" <<'SH'
echo '#define F(n) __attribute__((noinline, noclone, used)) long n(long x) { __asm__ volatile("" : "+r"(x)); return x + 1; }'
echo 'F(million)'
for i in $(seq 300); do echo "F(many_$i)"; done
echo 'int main(int argc, char **argv) { long s = 0; (void)argv; if (argc > 1) for (int i = 0; i < 1000000; i++) s = million(s);'
for i in $(seq 300); do echo "for (int i = 0; i < $i; i++) s = many_$i(s);"; done
echo 'return s == 1; }'
SH
cd "$tmp" || exit 1
bash gen >m.c && cc -O1 -o m m.c || skip "cannot build programs"
"$dwire" -qn 'pid$target:a.out:million:entry { @ = count(); @s = sum(arg0); } END { printa("%@d %@d\n", @, @s); }' -c './m go' >out 2>err ||
	fail "dwire: $(<err)"
expect_eq "$(<out)" "1000000 499999500000" "calls of a function, and their arguments: $(<err)"
# many_N is called N times.
"$dwire" -qn 'pid$target:a.out:many_*:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }' -c ./m >out 2>err ||
	fail "dwire: $(<err)"
expect_eq "$(sed '/^$/d' out | sort)" "$(for i in $(seq 300); do echo "many_$i $i"; done | sort)" "three hundred probes: $(<err)"
n=$("$dwire" -ln 'pid$target:a.out:many_*:*' -c ./m 2>err | grep -c many_)
expect_ge "$n" 900 "every instruction of three hundred functions, listed"
# Each line is a probe of its own, and the whole list has all of each part.
"$dwire" -l >all 2>err || fail "-l: $(<err)"
expect_eq "$(awk 'NR > 1 { print $2, $3, $4, $5 }' all | sort | uniq -d | head -n 3)" "" "probes that are listed twice"
expect_eq "$(grep -c ' sdt ' all)" "$("$dwire" -lP sdt | grep -c ' sdt ')" "sdt in the whole list, and alone"
{
	echo '#define F(n) __attribute__((used)) long n(long x) { return x; }'
	for i in $(seq 10000); do echo "F(f_$i)"; done
	echo 'int main(void) { return 0; }'
} >big.c
cc -O0 -o big big.c
expect_eq "$("$dwire" -ln 'pid$target:a.out:f_*:entry' -c ./big 2>err | grep -c ' f_')" 10000 "ten thousand in a list: $(<err)"

echo 'int in_library(int a) { return a + 1; }' >l.c
echo 'int in_library(int a); int main(void) { int s = 0; for (int i = 0; i < 5; i++) s += in_library(i); return s == 0; }' >user.c
cc -O1 -shared -fPIC -o l.so l.c && cc -o user user.c "$PWD/l.so" || fail "no library"
"$dwire" -qZn 'pid*:'"$PWD"'/l.so:in_library:entry { @ = count(); } nosuch*:'"$PWD"'/l.so::x { }
	END { printa("%@d\n", @); }' -c ./user >out 2>err || fail "dwire: $(<err)"
expect_eq "$(<out)" 5 "a library without authors' probes: $(<err)"
