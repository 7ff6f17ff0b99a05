hello
[JEllo] l
43 -8 1
78 JEllo
c
JEllo 78
stderr:
dwire: error on enabled probe ID 3 (ID 1: dtrace:::BEGIN): invalid address (0x4d2) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 4 (ID 1: dtrace:::BEGIN): out of scratch space in action #1 at BPF pc NNN
dwire: error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #3 at BPF pc NNN
dwire: error on enabled probe ID 6 (ID 1: dtrace:::BEGIN): invalid address (0xc) in action #1 at BPF pc NNN
