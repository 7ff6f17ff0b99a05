# SPDX-License-Identifier: GPL-2.0-or-later
# Aggregations of a value that changes from tick to tick. A busy machine may miss ticks: the script counts those that fire.
cat >t.d <<'D'
BEGIN { n = 0; }
tick-10ms /n < 20/ { @ticks = quantize(n); @tickavg = avg(n * -3); @tickmin[n % 2 ? "odd" : "even"] = min(-n); n++; }
tick-50ms /n == 20/ { exit(0); }
D
"$dwire" -q -s t.d >out 2>err || fail "dwire returned $?: $(<err)"
expect_eq "$(<out)" "$(cat <<'O'


           value  ------------- Distribution ------------- count    
              -1 |                                         0        
               0 |@@                                       1        
               1 |@@                                       1        
               2 |@@@@                                     2        
               4 |@@@@@@@@                                 4        
               8 |@@@@@@@@@@@@@@@@                         8        
              16 |@@@@@@@@                                 4        
              32 |                                         0        

              -28
  odd                                                             -19
  even                                                            -18
O
)" "what is printed"
