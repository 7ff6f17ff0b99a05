BEGIN { x = 1; trunc(x, 5); }
