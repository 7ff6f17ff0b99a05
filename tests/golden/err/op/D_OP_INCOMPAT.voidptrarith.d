void *p; BEGIN { p = p + 1; exit(0); }
