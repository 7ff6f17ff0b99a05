BEGIN { printf("%*d\n"); }
