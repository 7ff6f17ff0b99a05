ERROR 1 1 10
ERROR 1 1 20
ERROR 1 1 30
ERROR 1 1 40
ERROR 1 1 50
ERROR 1 1 60
ERROR 1 1 30
1 1 1
stderr:
dwire: error on enabled probe ID 3 (ID 1: dtrace:::BEGIN): invalid address (0x10) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 4 (ID 1: dtrace:::BEGIN): invalid address (0x20) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): invalid address (0x30) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 6 (ID 1: dtrace:::BEGIN): invalid address (0x40) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 7 (ID 1: dtrace:::BEGIN): invalid address (0x50) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 8 (ID 1: dtrace:::BEGIN): invalid address (0x60) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 9 (ID 1: dtrace:::BEGIN): invalid address (0x30) in action #1 at BPF pc NNN
