inline int foo = 1; BEGIN { foo = 2; exit(0); }
