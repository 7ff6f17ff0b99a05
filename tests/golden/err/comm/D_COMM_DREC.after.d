BEGIN { printf("x\n"); commit(1); }
