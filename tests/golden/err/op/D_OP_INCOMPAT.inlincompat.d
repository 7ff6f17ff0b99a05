inline string foo = 1; BEGIN { trace(foo); exit(0); }
