inline int foo = foo + 1; BEGIN { trace(foo); exit(0); }
