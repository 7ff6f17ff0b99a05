typedef self int x; BEGIN { exit(0); }
