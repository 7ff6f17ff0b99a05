inline int x = 1; int x;
