BEGIN { @ = lquantize(1, 0, 99999999999); }
