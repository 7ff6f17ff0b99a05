before
error 1: clause 2, fault 1, value 40
after
error 2: clause 4, fault 4, value 0
end
2 errors
1 1
4 1
stderr:
dwire: error on enabled probe ID 2 (ID 1: dtrace:::BEGIN): invalid address (0x40) in action #1 at BPF pc NNN
dwire: error on enabled probe ID 4 (ID 1: dtrace:::BEGIN): divide-by-zero in action #2 at BPF pc NNN
