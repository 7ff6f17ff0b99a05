tcp:::send { printf("%p\n", args[2]); }
