# SPDX-License-Identifier: GPL-2.0-or-later
# The end of all output: an empty line, then the aggregations that were not printed, in the order of their
# appearance, with nothing between them.
bytes() { "$dwire" -q "$@" 2>"$tmp/err" | od -An -c | tr -d ' \n'; }
expect_eq "$(bytes -n 'BEGIN { exit(0); }')" '\n' "nothing"
expect_eq "$(bytes -n 'BEGIN { printf("x\n"); exit(0); }')" 'x\n\n' "one line"
expect_eq "$("$dwire" -qn 'BEGIN { @b["k"] = count(); @a = sum(0); printa(@b); printa(@never); @c = max(-3); @d[1] = avg(4); exit(0); }
	END { @never = count(); printf("end\n"); }' 2>/dev/null; echo .)" "
  k                                                                 1

end

                0
                1
               -3
        1                4
." "aggregations"
expect_eq "$("$dwire" -qn 'BEGIN { printa("%@d\n", @a); printa(@a); @a = count(); exit(0); }' 2>/dev/null; echo .)" "1

                1

." "an aggregation is printed though it is filled later in the same clause"
