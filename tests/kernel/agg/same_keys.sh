# SPDX-License-Identifier: GPL-2.0-or-later
# Aggregations that follow each other with the same keys store and hash them once. Nothing else changes: keys with
# effects, calls and assignments between them have values of their own, and a fault in one leaves the others.
. "$here/lib/cli.lib"

length() { # STATEMENTS: instructions of the clause
	"$dwire" -S -e -qn "uint64_t n; tick-1s { $1 }" 2>&1 | grep -c '^ *[0-9]'
}
one=$(length '@a[n, execname, execname] = count();')
same=$(length '@a[n, execname, execname] = count(); @b[n, execname, execname] = sum(2);')
differ=$(length '@a[n, execname, execname] = count(); @b[n + 0, execname, execname] = sum(2);')
converted=$(length '@a[(int)n, (n > 3 ? (long)n : -1), execname, execname] = count();
	@b[(int)n, (n > 3 ? (long)n : -1), execname, execname] = sum(2);')
apart=$(length '@a[(int)n, (n > 3 ? (long)n : -1), execname, execname] = count();
	@b[(int)n, (n > 3 ? (int)n : -1), execname, execname] = sum(2);')
((one > 100)) || fail "a clause of $one instructions"
((differ - same > 40)) || fail "the same keys: $same instructions; one that is not the same: $differ"
((apart - converted > 40)) || fail "the same conversions: $converted instructions; one that is not the same: $apart"

cat >same.d <<'D'
uint64_t n;
BEGIN { n = 5; }
BEGIN { @count[n, execname, "a long text, so that the key has a slot"] = count();
	@sum[n, execname, "a long text, so that the key has a slot"] = sum(n);
	@most[n, execname, "a long text, so that the key has a slot"] = max(n + 1);
	@all[n, execname, "a long text, so that the key has a slot"] = quantize(n); }
BEGIN { @first[n, execname, "another text, as long as that of the others"] = count(); n++;
	@second[n, execname, "another text, as long as that of the others"] = count(); }
BEGIN { @x[n++] = count(); @y[n++] = count(); }
BEGIN { @w[n] = sum(n++); @z[n] = sum(n); }
BEGIN { @left[n, 1] = count(); @right[1, n] = count(); }
BEGIN { if (n == 9) { @yes[n] = sum(1); @also[n] = sum(2); } else { @no[n] = sum(1); @nor[n] = sum(2); } }
BEGIN { @none = sum(3); @nothing = sum(4); }
BEGIN { this->v = 7; @twice[n, execname, "a third text, as long as those of the others"] = sum(1);
	@twice[n, execname, "a third text, as long as those of the others"] = sum(this->v);
	@once[n, execname, "a third text, as long as those of the others"] = sum(this->v);
	@twice[n, execname, "a third text, as long as those of the others"] = sum(2);
	@times[n, execname, "a third text, as long as those of the others"] = count(); }
BEGIN { this->v = 7; @twice[n, execname, "a third text, as long as those of the others"] = sum(1);
	@twice[n, execname, "a third text, as long as those of the others"] = sum(this->v);
	@once[n, execname, "a third text, as long as those of the others"] = sum(this->v);
	@twice[n, execname, "a third text, as long as those of the others"] = sum(2);
	@times[n, execname, "a third text, as long as those of the others"] = count(); }
BEGIN { @kept[n, "k"] = count(); @lost[n, "k"] = sum(*(int *)8); @after[n, "k"] = count(); }
BEGIN { exit(0); }
END { printa("count %d %@d\n", @count); printa("sum %d %@d\n", @sum); printa("most %d %@d\n", @most);
	printa("first %d %@d\n", @first); printa("second %d %@d\n", @second); printa("x %d %@d\n", @x); printa("y %d %@d\n", @y);
	printa("w %d %@d\n", @w); printa("z %d %@d\n", @z); printa("left %d %d %@d\n", @left); printa("right %d %d %@d\n", @right);
	printa("yes %d %@d\n", @yes); printa("also %d %@d\n", @also); printa("no %d %@d\n", @no); printa("nor %d %@d\n", @nor);
	printa("none %@d\n", @none); printa("nothing %@d\n", @nothing); printa("kept %d %@d\n", @kept);
	printa("lost %d %@d\n", @lost); printa("after %d %@d\n", @after); printa("twice %d %@d\n", @twice);
	printa("once %d %@d\n", @once); printa("times %d %@d\n", @times); printa("all %d %@d\n", @all); }
D
run -q -s same.d
expect_eq "$(sed '/^all/,$d' <<<"$OUT")" "count 5 1
sum 5 5
most 5 6
first 5 1
second 6 1
x 6 1
y 7 1
w 8 8
z 9 9
left 9 1 1
right 1 9 1
yes 9 1
also 9 2
none 3
nothing 4
kept 9 1
twice 9 20
once 9 14
times 9 2" "what was printed"
expect_match "$OUT" 'all 5 .*4 \|@+ +1'
expect_match "$ERR" 'action #2'
