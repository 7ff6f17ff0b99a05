int a[5]; BEGIN { a[7] = 1; exit(0); }
