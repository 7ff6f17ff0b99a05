BEGIN { x[1] = 1; x[1, 2] = 1; exit(0); }
