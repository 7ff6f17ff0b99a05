BEGIN { @ = llquantize(1, 10, 0, 3, 20); @ = llquantize(1, 20, 0, 3, 20); }
