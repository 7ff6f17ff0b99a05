BEGIN { printf("%d %d\n", 1); printf("hello\n", 1); }
