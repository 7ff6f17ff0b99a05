5 5 6 literal BEGIN 6
10 3 3 BEGIN 1
7 0 8 n8 1
ten z 6 6
4 4 5 1
-1 255 -2 yes 1

