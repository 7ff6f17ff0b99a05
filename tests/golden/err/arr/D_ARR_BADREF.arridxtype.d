int a[5]; BEGIN { a["x"] = 1; exit(0); }
