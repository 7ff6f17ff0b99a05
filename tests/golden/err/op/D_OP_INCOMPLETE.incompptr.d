struct nope *p; BEGIN { trace(p->x); exit(0); }
