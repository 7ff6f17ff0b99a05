auto int x; BEGIN { exit(0); }
