# SPDX-License-Identifier: GPL-2.0-or-later
# More aggregations, associative arrays and self-> variables than a BPF program may have maps: the later ones share
# maps.
. "$here/lib/cli.lib"
run_limit=25 # maps by the hundred: on a busy machine the kernel takes its time
make='' sum=''
for i in {1..60}; do
	make+=" self->x$i = $i; y$i[$i, \"k\"] = $i; @c$i[$i] = sum($i); @d$i = max($i); @e$i = min(-$i);"
	make+=" @l$i = lquantize($i, 0, 64);"
	sum+=" this->s += self->x$i + y$i[$i, \"k\"];"
done
cat >many.d <<D
BEGIN { $make self->x7 = 0; y7[7, "k"] = 14; }
BEGIN { $sum trace(this->s - 7 + 7 + self->x60 - 60 + y59[60, "k"]); }
BEGIN { clear(@d50); clear(@c60); trunc(@e60); trunc(@c5); printa("%d %@d\n", @c59); printa("%@d %@d\n", @d59, @e59); }
BEGIN { @c58[58] = sum(1); exit(0); }
D
run -q -x aggsize=4m -x dynvarsize=4m -s many.d
expect_eq "$STATUS $ERR" "0 " "status"
for i in {1..60}; do
	((i == 5)) || ((i == 59)) || echo "$i $((i == 60 ? 0 : i == 58 ? 59 : i))"
	((i == 59)) || echo $((i == 50 ? 0 : i))
	((i == 59)) || ((i == 60)) || echo "-$i"
	printf '%s 0\n%s @ 1\n%s 0\n' $((i - 1)) $i $((i + 1))
done >want
expect_eq "$(sed 's/@@*/@/; s/|//; /value/d; /^$/d; s/  */ /g; s/^ //; s/ $//; 1,3d' <<<"$OUT")" "$(<want)" "values"
expect_eq "$(sed -n 1,2p <<<"$OUT")" "366059 59
59 -59" "variables and printa"
# As many arguments and aggregations as one likes.
make='' names='' formats='' numbers=''
for i in {1..100}; do
	make+=" @a$i = sum($i);" names+=", @a$i" formats+="%d " numbers+=", $i"
done
run -q -n "BEGIN { $make printf(\"$formats\n\"$numbers); printa(\"${formats//d/@d}\n\"$names); exit(0); }"
expect_eq "$STATUS $ERR $(sort -u <<<"$OUT")" "0  $(echo {1..100} '')" "a hundred"
