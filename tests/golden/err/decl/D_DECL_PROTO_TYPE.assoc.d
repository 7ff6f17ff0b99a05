int f(int a[int]); int b[int c[int]]; BEGIN { exit(0); }
