BEGIN { speculate(1); breakpoint(); }
