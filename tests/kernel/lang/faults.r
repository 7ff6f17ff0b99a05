first
ERROR 1: action 2 fault 1 value 0
ERROR 2: action 2 fault 4 value 0
ERROR 3: action 1 fault 4 value 0
ERROR 4: action 0 fault 4 value 0
ERROR 5: action 1 fault 1 value 10
ERROR 6: action 1 fault 1 value 1000
ERROR 7: action 1 fault 1 value c
ERROR 8: action 1 fault 4 value 0
not evaluated 2 0
ERROR 9: action 1 fault 4 value 0
ERROR 10: action 2 fault 4 value 0
last 1111 7
stderr:
dwire: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): invalid address (0x0) in action #2 at BPF pc NNN
dwire: error on enabled probe ID 3 (ID 1: dtrace:::BEGIN): divide-by-zero in action #2 at BPF pc NNN
dwire: error on enabled probe ID 4 (ID 1: dtrace:::BEGIN): divide-by-zero in action #1 at BPF pc NNN
dwire: error on enabled probe ID 5 (ID 1: dtrace:::BEGIN): divide-by-zero in predicate at BPF pc NNN
dwire: error on enabled probe ID 6 (ID 1: dtrace:::BEGIN): invalid address (0x10) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 7 (ID 1: dtrace:::BEGIN): invalid address (0x1000) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 8 (ID 1: dtrace:::BEGIN): invalid address (0xc) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 9 (ID 1: dtrace:::BEGIN): divide-by-zero in action #1 at BPF pc NNN
dwire: error on enabled probe ID 11 (ID 1: dtrace:::BEGIN): divide-by-zero in action #1 at BPF pc NNN
dwire: error on enabled probe ID 12 (ID 1: dtrace:::BEGIN): divide-by-zero in action #2 at BPF pc NNN
