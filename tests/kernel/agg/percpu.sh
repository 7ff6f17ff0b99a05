# SPDX-License-Identifier: GPL-2.0-or-later
# aggpercpu prints a line for each CPU after the total, in the default layout only. clear() and trunc() apply to
# these lines too.
. "$here/lib/cli.lib"

cat >p.d <<'D'
BEGIN { @n["x"] = sum(3); @n["x"] = sum(9); @n["y"] = sum(-1); @avg = avg(3); @avg = avg(8); @m = max(-4); }
BEGIN { @q = lquantize(2, 0, 4); printa(@n); printa("%s %@d\n", @n); normalize(@n, 2); printa(@n); clear(@n); }
BEGIN { printa(@n); trunc(@n); printa(@n); exit(0); }
D
run -q -x cpu=0 -x aggpercpu -s p.d
expect_eq "$(grep -v "CPU [1-9]" <<<"$OUT" | sed '/^  *2 |@/q')" "
  y                                                                -1
    [CPU 0]               -1
  x                                                                12
    [CPU 0]               12
y -1
x 12

  y                                                                 0
    [CPU 0]                0
  x                                                                 6
    [CPU 0]                6

  x                                                                 0
    [CPU 0]                0
  y                                                                 0
    [CPU 0]                0


                5
    [CPU 0]                5
               -4
    [CPU 0]               -4

           value  ------------- Distribution ------------- count    
               1 |                                         0        
               2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1        " "on CPU 0"
expect_match "$OUT" $'\n    \[CPU 0\]\n           value ' "a distribution of a CPU"

# What the CPUs have is what there is in all.
run -q -x aggpercpu -n 'profile-97 { @ = count(); @s["v"] = sum(cpu + 1); } tick-1s { exit(0); }'
left=$(awk 'NF == 1 || $1 == "v" { left += $NF } /CPU/ { left -= $NF } END { print left + 0 }' <<<"$OUT")
expect_eq "$left" 0 "all CPUs together"
expect_eq "$(grep -c 'CPU' <<<"$OUT")" $((2 * $(getconf _NPROCESSORS_ONLN))) "lines of CPUs"
