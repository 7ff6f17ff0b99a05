struct a { int x; } p; BEGIN { trace(stringof(p)); exit(0); }
