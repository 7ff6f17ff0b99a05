BEGIN { trace(((int *)8)->x); }
