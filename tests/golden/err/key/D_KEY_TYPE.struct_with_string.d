struct s { int a; string b; } x; BEGIN { @[x] = count(); n[x] = 1; exit(0); }
