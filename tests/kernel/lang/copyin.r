dwire cut whole
3 5
dwire 0
1
fault 1 8
fault 1 10
fault 1 18
fault 1 20
fault 5 0

stderr:
dwire: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): invalid address (0x8) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 3 (ID 1: dtrace:::BEGIN): invalid address (0x10) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 4 (ID 1: dtrace:::BEGIN): invalid address (0x18) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): invalid address (0x20) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 6 (ID 1: dtrace:::BEGIN): out of scratch space in action #1 at BPF pc NNN
