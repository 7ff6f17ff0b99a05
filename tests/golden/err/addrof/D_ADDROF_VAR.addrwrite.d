int x; BEGIN { &x = 0; exit(0); }
