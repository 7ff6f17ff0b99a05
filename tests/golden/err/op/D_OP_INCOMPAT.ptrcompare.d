struct a { int x; } *p; struct b { int x; } *q; BEGIN { trace(p == q); exit(0); }
