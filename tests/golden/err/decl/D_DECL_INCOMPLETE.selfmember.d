struct a { struct a b; }; BEGIN { exit(0); }
