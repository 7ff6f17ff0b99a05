BEGIN { printf("%*.*d\n", 3); }
