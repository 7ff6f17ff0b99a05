BEGIN / *curthread/ { exit(0); }
