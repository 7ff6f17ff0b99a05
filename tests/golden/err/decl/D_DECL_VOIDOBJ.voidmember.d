struct a { void b; }; BEGIN { exit(0); }
