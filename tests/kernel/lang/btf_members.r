1
1
1
1
1
1
0
0 0
1
5 5
1
1
1
dwire
dwire
1 1
1 1
1
1
1 1
1 two c 4 5 dwire -7 248 11 10.0.0.1 11 1 BEGIN 14 1     s 17    00018 5 |
1
16
16 4
1
1
done
1 1 1 1 0
1 1 1 1
0
0

  dwire                                                     1                1
