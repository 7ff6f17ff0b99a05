BEGIN { x[1] = 1; x["a"] = 1; exit(0); }
