struct a { int x; } v = { 1 }; BEGIN { exit(0); }
