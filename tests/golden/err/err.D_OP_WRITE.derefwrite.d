int *p; BEGIN { *p = 1; exit(0); }
