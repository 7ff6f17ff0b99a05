global 5 x 1099511627776
this 5 x 35
self 5 y 42
assoc 10 90 2 5 3 0
copies 5 x 1099511627776
dynamic 6 x 1099511627776 7 0 0
kernel 0 0 1
union D A 4
nested 1 2 10 35 76 48
index 42 43 42
array 3 10 10 20
structs 7 z
typedefs 4 8 5 0
bits -1 0 4 -5 -2 16
anonymous a 9 12
strings hello hello hello one dwire
chars hi|hi|8
large 4 2 1 dwire
layout 12 4 10 4
