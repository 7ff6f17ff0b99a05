1 2 0
now
first
second string
committed 0
again 1
cut
cut
cut
plain
fault 3
stderr:
dwire: error on enabled probe ID 21 (ID 1: dtrace:::BEGIN): illegal operation in action #1 at BPF pc NNN
dwire: 1 failed speculation (no speculative buffer available)
dwire: 3 speculative drops
