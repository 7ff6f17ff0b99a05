BEGIN { x = (nosuch_t)1; exit(0); }
