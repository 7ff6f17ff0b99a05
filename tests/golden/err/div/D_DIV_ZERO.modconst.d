BEGIN { x = 5 % (1 - 1); exit(0); }
