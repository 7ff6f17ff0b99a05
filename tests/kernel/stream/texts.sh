# SPDX-License-Identifier: GPL-2.0-or-later
# parallel: yes
# Steps whose texts differ between machines, with clear(), trunc() and printa(): a tree of merges shows what one merge of
# all machines shows, lines and order.
cat >script.d <<'D'
#pragma D option quiet
int i; int j;
tick-20ms { @["k", i % 3] = sum(i); @b[i % 2] = count(); @c[i % 7] = count(); i++; }
tick-100ms { printf("machine %d\n", j % 2 ? pid : 0); printa("b %d %@d\n", @b); trunc(@b); trunc(@c, 3); j++; }
tick-110ms { printf("m %d %d\n", j, pid % 2); clear(@); clear(@c); }
tick-90ms { printf("of one machine: %d\n", $target); }
tick-100ms /j == 5/ { exit(0); }
END { printf("end of %d\n", $target); printa("%s %d %@d\n", @); printa("c %d %@d\n", @c); }
D
for n in 1 2 3 4 5; do
	"$dwire" --emit -s script.d -c "sleep 9" >"m$n" 2>"err$n" &
done
wait
"$dwire" merge m1 m2 m3 m4 m5 >one || fail "one merge"
expect_ge "$(grep -c '^end of' one)" 1 "texts at the end"
for n in 1 2 3 4 5; do "$dwire" merge m$n; done 2>alone.err | grep -c "^of one machine" >alone
expect_eq "$(grep -c "^of one machine" one)" "$(<alone)" "texts of each machine"
"$dwire" merge --emit m1 m2 >a && "$dwire" merge --emit m3 m4 m5 >b && "$dwire" merge --emit a b >c
"$dwire" merge a b >tree || fail "a tree"
cmp one tree || fail "a tree differs: $(diff one tree | head -n 8)"
"$dwire" merge c >tree || fail "a higher tree"
cmp one tree || fail "a higher tree differs: $(diff one tree | head -n 8)"
