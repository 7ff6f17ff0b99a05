struct a { int x; } p, q; BEGIN { trace(p == q); exit(0); }
