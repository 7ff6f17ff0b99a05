BEGIN { @ = llquantize(1, 10, 100000, 6, 10); }
