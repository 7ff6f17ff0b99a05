BEGIN { trace(curthread + curthread); exit(0); }
