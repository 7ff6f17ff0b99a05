self nosuch_t x; this 5; extern y z; BEGIN { exit(0); }
