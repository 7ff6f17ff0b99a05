struct a { int x; } p; BEGIN { trace(!p); exit(0); }
