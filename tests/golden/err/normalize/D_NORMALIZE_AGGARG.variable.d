BEGIN { x = 1; normalize(x, 2); }
