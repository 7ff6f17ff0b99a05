BEGIN { printf("%.*d\n", "x", 1); }
