aXc 3
a
b
hellOWorld W
Global
Globa 1
selx
[] 0
[1]
error 1 0
error 1 0
[0]
error 1 0
ElEm Ey
error 1 0
error 1 0
error 1 ff
error 1 ffffffffffffffff
error 1 0
error 1 0
error 1 0
dDire dwire
Zloba
Yloba Zloba

  Zloba                                                             1
stderr:
dwire: error on enabled probe ID 6 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 7 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 10 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 12 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 13 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 14 (ID 1: dtrace:::BEGIN): invalid address (0xff) in action #3 at BPF pc NNN
dwire: error on enabled probe ID 15 (ID 1: dtrace:::BEGIN): invalid address (0xffffffffffffffff) in action #3 at BPF pc NNN
dwire: error on enabled probe ID 16 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #3 at BPF pc NNN
dwire: error on enabled probe ID 17 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #2 at BPF pc NNN
dwire: error on enabled probe ID 18 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
