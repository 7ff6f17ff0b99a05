eb9f 9f eb eb eb9f
1 1 0
dwire
1 1
1 1 8
