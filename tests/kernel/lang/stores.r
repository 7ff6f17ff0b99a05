1 0
1 4
5 7
[]
stderr:
dwire: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): invalid address (0x4) in action #1 at BPF pc NNN
