BEGIN { @ = llquantize(1, 100000, 0, 6, 10); }
