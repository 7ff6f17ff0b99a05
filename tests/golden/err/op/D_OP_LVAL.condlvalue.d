int a, b; BEGIN { (1 ? a : b) = 5; exit(0); }
