5 4 2
[abc] [other] [dwire]
1 dwire 1 105
dwire d 1
w r
1 1
1 1
1 1
1 1
1 1
1
1 0
1 1 1 -1
3 3 2 1
0 7
10 18
-56 200 0
0 1
0 1
1 0
1
hits 1
hits 1
