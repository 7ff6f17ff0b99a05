BEGIN { trace(sizeof(struct nope)); exit(0); }
