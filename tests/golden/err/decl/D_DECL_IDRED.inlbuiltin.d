inline int pid = 5; BEGIN { exit(0); }
