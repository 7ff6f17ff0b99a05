[1] [10] [x,y] [true]
[null] [q\"uote] [-1.5e3] [z]
[[ 10, "x,y", { "d": true, "e": null } ]] [{ "c": [ 10, "x,y", { "d": true, "e": null } ], "s": "q\"uote" }] [[]]
111110
[3] [4] 42

