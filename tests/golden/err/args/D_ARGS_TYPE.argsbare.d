BEGIN { trace(args); exit(0); }
