struct nope x; BEGIN { exit(0); }
