struct s { int a; } x; BEGIN { @[x] = count(); exit(0); }
