BEGIN { @ = llquantize(1, 10, 3, 1, 10); }
