BEGIN { x = 5 / 0; exit(0); }
