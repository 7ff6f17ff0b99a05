int a[int];
BEGIN { a[1, 2] = 1; }
