BEGIN { trace(curthread * 2); exit(0); }
