struct a { struct nope b; }; BEGIN { exit(0); }
