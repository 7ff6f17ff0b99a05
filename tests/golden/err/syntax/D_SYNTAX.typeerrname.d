nosuch_t x; BEGIN { exit(0); }
