struct s { int a : 0; int b : -1; int c : 1 / 0; };
BEGIN { exit(0); }
