float f; BEGIN { trace(f + 1); exit(0); }
