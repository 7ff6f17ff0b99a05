[abcdef] [dwire/x] 5
[world] [ell] [llo] [ll] [ell]
[hello [@z] [HELLO {`Z]
[/b/c] [/c] 1
[barbaz] 1
2 3 3 2
[c.d] [/a/b] [/] [.]
[/a/b/d] [/foo/]
[-5] [0xff] [010] [0] [1111111111111111111111111111111111111111111111111111111111111111]
123 -77 255 1295
a
bc
def
1
error
error
stderr:
dwire: error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #2 at BPF pc NNN
dwire: error on enabled probe ID 6 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
