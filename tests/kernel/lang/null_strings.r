error 1 0
1
bc 0
1
[1]
1
v
/b
1
error 1 0
error 3 0
|abc||bc|
0 0 3
ab

stderr:
dwire: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 7 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 8 (ID 1: dtrace:::BEGIN): illegal operation in action #1 at BPF pc NNN
