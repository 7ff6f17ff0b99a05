5
text
{"d": [10, 20, {"e": true}], "f": null}
[10, 20, {"e": true}]
20
true
null
-1.5e3
a\"b
3
y
x
1 1 1 1 1
6

