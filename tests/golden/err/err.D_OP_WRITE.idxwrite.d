int *p; BEGIN { p[1] = 1; exit(0); }
