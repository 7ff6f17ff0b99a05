inline int a[int x] = x; BEGIN { printf("%d", a); exit(0); }
