BEGIN { @ = llquantize(1, 10, 0, 3, 20); @ = llquantize(1, 10, 0, 4, 20); }
