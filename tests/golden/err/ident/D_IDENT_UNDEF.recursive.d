inline int f[int x] = x ? f[x - 1] : 0;
BEGIN { trace(f[3]); }
