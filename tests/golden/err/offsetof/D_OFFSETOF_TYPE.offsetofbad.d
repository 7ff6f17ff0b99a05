BEGIN { trace(offsetof(int, x)); exit(0); }
